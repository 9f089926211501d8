#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "cases.h"
#include "gpu/gpu_renderer.h"
#include "interop/vulkan/vulkan_import.h"
#include "media/hwdec/hardware_surface.h"
#include "media/hwdec/hw_device_provider.h"
#include "test_frame.h"

namespace glyphreel::gpu {

/// Whether FFmpeg and the driver support images for a pixel format.
[[nodiscard]] bool has_images_for(AVBufferRef* device, AVPixelFormat format);

/// The locks that frames use: FFmpeg's own, or locks that `FrameLocks` counts.
enum class Locks { FFmpegs, Counted };
/// Creates FFmpeg's frames context for a pixel format on a device from interop::wrap_vulkan_device().
[[nodiscard]] media::BufferRef make_frames(AVBufferRef* device, AVPixelFormat format, Extent size,
                                           Locks locks = Locks::FFmpegs);

/// Statistics, since reset(), of the locks of all frames made with Locks::Counted.
/// Thread-safety: every member may be called from any thread.
struct FrameLocks {
  static void reset();
  [[nodiscard]] static int taken();
  [[nodiscard]] static int held();
  [[nodiscard]] static int mistakes();  ///< how often a frame that was not locked was unlocked
};

/// Uploads `frame`'s samples with FFmpeg's own code to a new frame of the frames context `frames`, whose
/// images may be larger than `frame`. Returns the new frame.
[[nodiscard]] media::FramePtr upload(const std::shared_ptr<Device>& device, AVBufferRef* frames,
                                     const Frame& frame);

/// Waits until the GPU has finished its work on a Vulkan frame. Call it before freeing samples that FFmpeg
/// uploads to the frame: FFmpeg 7.1 may still read them.
void wait_for(const AVFrame& frame);

/// Returns a copy of `frame` that has `surface` instead of planes in host memory, like a hardware decoder's
/// frame.
[[nodiscard]] Frame on_surface(const Frame& frame, media::FramePtr surface);

/// Passes frames with Vulkan surfaces to a renderer.
class VulkanFrames final : public FrameSource {
 public:
  explicit VulkanFrames(std::shared_ptr<interop::VulkanImport> import) : import_(std::move(import)) {}
  Result<GpuFrame> import_frame(const Frame& frame) override;
  HostMemory* memory() override { return nullptr; }

 private:
  const std::shared_ptr<interop::VulkanImport> import_;
};

/// A GPU renderer that reads Vulkan surfaces, and a CPU renderer that reads the frames that were uploaded to
/// them.
class SurfacePair {
 public:
  explicit SurfacePair(const std::shared_ptr<Device>& device);
  void configure(const parity::Case& test_case);
  /// Renders with both renderers and compares every cell.
  void expect_same(const Frame& software, const Frame& surface);
  [[nodiscard]] interop::VulkanImport& import() { return *import_; }
  [[nodiscard]] GpuRenderer& gpu() { return *gpu_; }

 private:
  StageTimes cpu_times_, gpu_times_;
  std::shared_ptr<interop::VulkanImport> import_;
  std::unique_ptr<render::Renderer> cpu_;
  std::unique_ptr<GpuRenderer> gpu_;
};

}  // namespace glyphreel::gpu
