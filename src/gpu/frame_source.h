#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/frame.h"
#include "base/host_memory.h"
#include "base/result.h"
#include "gpu/device.h"
#include "gpu/image.h"

namespace glyphreel::gpu {

/// What a decoder has to do with a frame that it shares, while commands that read the frame are recorded and
/// submitted: a lock that it holds, say. Destroyed right after the submission, or where there will be none.
class FrameLease {
 public:
  virtual ~FrameLease() = default;
  /// Commands are recorded from now on: tells, by adding to them, what their submission has to wait for and
  /// to signal, and brings the images' layouts and lenders up to date. Nothing that waits for the GPU or the
  /// screen comes between this and the submission.
  virtual void take(std::vector<TimelinePoint>& /*waits*/, std::vector<TimelinePoint>& /*signals*/) {}
  /// The submission is on its way: it waits and will signal, and the images' layouts and owners are now as
  /// its commands leave them.
  virtual void submitted() = 0;
};

/// A frame's planes where shaders can read them: a buffer, or images.
struct GpuFrame {
  VkBuffer buffer = VK_NULL_HANDLE;            ///< null: images
  std::array<std::size_t, 4> plane_offsets{};  ///< bytes from the buffer's start to each plane's first sample
  std::array<std::ptrdiff_t, 4> strides{};     ///< bytes from row to row, never negative
  std::uint32_t lender = VK_QUEUE_FAMILY_IGNORED;  ///< of the buffer, as Image::lender
  std::optional<PixelLayout> layout;               ///< where it is another than the frame's

  /// By plane: one texel for each sample, or for each of its pairs or triples in memory's order: UNORM of 8
  /// or 16 bits a channel. The picture begins in the first texel.
  std::array<VkImageView, 3> plane_views{};
  /// All of them together, layouts, last uses and owners as they are; alive as long as `owner`.
  std::vector<Image*> images;

  std::vector<TimelinePoint> waits;    ///< before the frame is read
  std::vector<TimelinePoint> signals;  ///< once it was
  std::unique_ptr<FrameLease> lease;   ///< may be null

  std::uint64_t bytes_copied = 0;     ///< by the host to get here
  std::shared_ptr<const void> owner;  ///< keeps all of this and the content alive while the GPU reads
};

/// Brings frames to the GPU: what the renderer needs of the import room, which lies above it.
/// Thread-safety: one thread at a time.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Never waits for the GPU. Errors: Failed where no memory is left for a copy.
  [[nodiscard]] virtual Result<GpuFrame> bring(const Frame& frame) = 0;
  /// Where a decoder puts frames so that they need no copy; null: nowhere.
  [[nodiscard]] virtual HostMemory* memory() = 0;
};

}  // namespace glyphreel::gpu
