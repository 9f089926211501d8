#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "gpu/device/handle.h"
#include "interop/surface/surface_import.h"
#include "media/hwdec/hw_device_provider.h"

struct AVVkFrame;

namespace glyphreel::interop {

/// Imports, without a copy, frames that FFmpeg decoded on the renderer's own VkDevice. Each frame is locked
/// from the recording of the commands that read it until their submission. The submission waits for the
/// frame's timeline semaphores and then raises the value of each by one. This way the GPU orders decoding and
/// rendering, and no thread waits for the GPU except in FFmpeg's own locks.
///
/// A frame is referenced as long as the GPU reads it, so the number of referenced frames never exceeds the
/// number of FrameRing slots. While the GPU reads no frame, only the frames context of the last frame stays
/// referenced, because the cached image views belong to that context.
/// Thread-safety: one thread at a time.
class VulkanImport final : public SurfaceImport {
 public:
  explicit VulkanImport(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  /// Whether `frame` is an AV_PIX_FMT_VULKAN frame on the renderer's VkDevice.
  [[nodiscard]] bool supports(const AVFrame& frame) const override;
  /// The caller may release `frame` immediately: the result references it. Errors: Failed if the texels of a
  /// plane do not consist of one sample of each component in this plane, as in packed YUV or in formats that
  /// pack 10-bit samples into 32 bits. Also Failed if the picture does not begin at the first texel.
  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "Vulkan Video"; }

  /// Returns the number of image views created so far; constant in steady state.
  [[nodiscard]] std::uint64_t views_made() const { return views_made_; }

 private:
  [[nodiscard]] Result<VkImageView> view_of(VkImage image, VkImageAspectFlagBits aspect, VkFormat format);

  const std::shared_ptr<gpu::Device> device_;
  /// The frames context whose images `views_` show. While the context exists, none of its images is
  /// destroyed, so no image handle can be reused for another image.
  media::BufferRef frames_;
  std::map<std::pair<VkImage, VkImageAspectFlagBits>, gpu::ImageViewHandle> views_;
  std::uint64_t views_made_ = 0;
};

}  // namespace glyphreel::interop
