#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "cases.h"
#include "gpu/device/device.h"
#include "render/renderer.h"

namespace glyphreel::gpu {

/// Returns why there is no device to test on; empty if there is one.
[[nodiscard]] const std::string& device_problem();

/// Returns the renderer setup that a parity case requests.
[[nodiscard]] render::RenderSetup setup_of(const parity::Case& test_case, PictureFormat picture);

/// Checks that two configured renderers map two frames to the same cells, for example an imported frame and
/// the host frame that it was written from.
void expect_same_cells(render::Renderer& gpu, const Frame& imported, render::Renderer& cpu,
                       const Frame& host);

/// A test on a GPU, with validation and its synchronization checks enabled. Any validation message fails the
/// test, and so does a machine without a Vulkan device.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  [[nodiscard]] const std::shared_ptr<Device>& device() const;

 private:
  std::uint64_t messages_before_ = 0;
};

}  // namespace glyphreel::gpu
