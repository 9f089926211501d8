#include "present/terminal/graphics_support.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

namespace glyphreel::present::graphics_support_test {
namespace {

GraphicsSupport answered(std::string_view bytes) {
  TerminalKeys keys;
  std::vector<TerminalInput> inputs;
  for (const char byte : bytes) keys.feed(std::string_view(&byte, 1), inputs);
  std::vector<TerminalAnswer> answers;
  for (const TerminalInput& input : inputs) {
    if (const auto* answer = std::get_if<TerminalAnswer>(&input)) answers.push_back(*answer);
  }
  EXPECT_TRUE(is_probe_answered(answers));
  return graphics_of(answers);
}

TEST(GraphicsSupport, IsWhatTheTerminalAnswers) {
  EXPECT_EQ(answered("\x1b[?62c"), GraphicsSupport{});
  EXPECT_EQ(answered("\x1b_Gi=31;OK\x1b\\\x1b_Gi=32;EBADF:no such object\x1b\\\x1b[6;20;10t\x1b[?62;c"),
            (GraphicsSupport{.kitty = true, .cell = {10, 20}}));
  EXPECT_EQ(answered("\x1b_Gi=31;OK\x1b\\\x1b_Gi=32;OK\x1b\\\x1b[?62c"),
            (GraphicsSupport{.kitty = true, .shares_memory = true}));
  EXPECT_EQ(answered("\x1b[?1;0;16S\x1b[?63;1;2;4;6;9;15;22c"),
            (GraphicsSupport{.sixel = true, .sixel_colors = 16}));
  EXPECT_EQ(answered("\x1b[?1;0;65536S\x1b[?62;4c").sixel_colors, 256);
  EXPECT_EQ(answered("\x1b[?1;3;0S\x1b[?62;4c").sixel_colors, 256) << "an error";
  EXPECT_EQ(answered("\x1b[?64;14;24c").sixel, false) << "14 is not 4";
}

TEST(GraphicsSupport, SharedPixelExistsUntilItIsDestroyed) {
  std::string name;
  const auto exists = [&] {
    const int file = shm_open(name.c_str(), O_RDONLY, 0);
    if (file >= 0) close(file);
    return file >= 0;
  };
  {
    const SharedPixel pixel;
    name = pixel.name();
    EXPECT_TRUE(exists());
  }
  EXPECT_FALSE(exists());
}

TEST(GraphicsSupport, AutoPrefersKitty) {
  constexpr GraphicsSupport Both{.kitty = true, .sixel = true};
  constexpr GraphicsSupport SixelOnly{.sixel = true};
  EXPECT_EQ(*choose_graphics(TerminalGraphics::Auto, Both), TerminalGraphics::Kitty);
  EXPECT_EQ(*choose_graphics(TerminalGraphics::Auto, SixelOnly), TerminalGraphics::Sixel);
  EXPECT_EQ(*choose_graphics(TerminalGraphics::Auto, {}), TerminalGraphics::No);
  EXPECT_EQ(*choose_graphics(TerminalGraphics::No, Both), TerminalGraphics::No);
  EXPECT_EQ(*choose_graphics(TerminalGraphics::Sixel, Both), TerminalGraphics::Sixel);
  const auto missing = choose_graphics(TerminalGraphics::Kitty, SixelOnly);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NoDevice);
}

}  // namespace
}  // namespace glyphreel::present::graphics_support_test
