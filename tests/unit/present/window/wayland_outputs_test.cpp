#include "present/window/wayland_outputs.h"

#include <gtest/gtest.h>

#include <array>

namespace glyphreel::present::wayland_outputs_test {
namespace {

constexpr Extent Hd{1920, 1080};

TEST(WaylandRefresh, IsThatOfTheOutputGlfwNames) {
  const std::array outputs{WaylandOutput{0, 0, Hd, 60'000}, WaylandOutput{1920, 0, Hd, 59'940},
                           WaylandOutput{3840, 0, {3840, 2160}, 119'880}};
  EXPECT_NEAR(1 / refresh_interval(outputs, {0, 0, Hd, 60'000}), 60, 1e-9);
  EXPECT_NEAR(1 / refresh_interval(outputs, {1920, 0, Hd, 60'000}), 59.94, 1e-9);
  EXPECT_NEAR(1 / refresh_interval(outputs, {3840, 0, {3840, 2160}, 120'000}), 119.88, 1e-9);
}

TEST(WaylandRefresh, IsUnknownWithoutOneRateThatFits) {
  const std::array outputs{WaylandOutput{0, 0, Hd, 60'000}, WaylandOutput{1920, 0, Hd, 59'940}};
  // GLFW may report a position that no output has. The rate is then unknown if two outputs of the same size
  // have rates that are equal in whole Hz, but not in 1/1000 Hz.
  EXPECT_EQ(refresh_interval(outputs, {10, 10, Hd, 60'000}), 0);
  EXPECT_NEAR(1 / refresh_interval(std::span(outputs).last(1), {10, 10, Hd, 60'000}), 59.94, 1e-9);
  EXPECT_EQ(refresh_interval(outputs, {0, 0, Hd, 75'000}), 0);
  EXPECT_EQ(refresh_interval(outputs, {0, 0, {1280, 720}, 60'000}), 0);
  EXPECT_EQ(refresh_interval(std::array{WaylandOutput{0, 0, Hd, 0}}, {0, 0, Hd, 0}), 0);
  EXPECT_EQ(refresh_interval({}, {0, 0, Hd, 60'000}), 0);
}

}  // namespace
}  // namespace glyphreel::present::wayland_outputs_test
