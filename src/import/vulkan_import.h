#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "gpu/handle.h"
#include "import/surface_import.h"
#include "media/hardware_devices.h"

struct AVVkFrame;

namespace glyphreel::importer {

/// Frames that FFmpeg decoded on our own VkDevice, read in place. Each is locked from the recording of
/// commands that read it until their submission is on its way, which waits for the decoder's semaphores and
/// raises them by one: decoder and renderer take turns on the GPU, and no thread waits for the GPU but in
/// FFmpeg's own locks.
///
/// A frame is held as long as the GPU reads it, at most FrameRing's slots of them; between two frames nothing
/// of the decoder's is held but the frames context of the last one, for the image views that are kept with
/// it. Thread-safety: one thread at a time.
class VulkanImport final : public SurfaceImport {
 public:
  explicit VulkanImport(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  /// Frames of AV_PIX_FMT_VULKAN of this very device.
  [[nodiscard]] bool takes(const AVFrame& frame) const override;
  /// The caller may let go of `frame` at once: what it returns holds a reference. Errors: Failed: a format
  /// whose texels are no samples (packed YUV, 10 bits in 32), a picture that does not begin in the first
  /// texel.
  [[nodiscard]] Result<gpu::GpuFrame> bring(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "Vulkan Video"; }

  /// Image views made so far: in a steady state none are.
  [[nodiscard]] std::uint64_t views_made() const { return views_made_; }

 private:
  [[nodiscard]] Result<VkImageView> view_of(VkImage image, VkImageAspectFlagBits aspect, VkFormat format);

  const std::shared_ptr<gpu::Device> device_;
  /// Whose images `views_` show. As long as it lives none of its images goes, so that no handle comes to mean
  /// another.
  media::BufferRef frames_;
  std::map<std::pair<VkImage, VkImageAspectFlagBits>, gpu::ImageViewHandle> views_;
  std::uint64_t views_made_ = 0;
};

}  // namespace glyphreel::importer
