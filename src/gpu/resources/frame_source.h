#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/frame.h"
#include "base/host_memory.h"
#include "base/result.h"
#include "gpu/device/device.h"
#include "gpu/resources/image.h"

namespace glyphreel::gpu {

/// Synchronizes a frame shared with its decoder while commands that read the frame are recorded and
/// submitted, for example by holding the decoder's lock. Destroyed right after the submission, or when
/// there will be none.
class FrameLease {
 public:
  virtual ~FrameLease() = default;
  /// Called when recording of the commands starts. Adds the points that their submission has to wait for
  /// and to signal, and updates the images' layouts and owners. Nothing may wait for the GPU or the screen
  /// between this call and the submission.
  virtual void take(std::vector<TimelinePoint>& /*waits*/, std::vector<TimelinePoint>& /*signals*/) {}
  /// Called once the commands are submitted. The submission waits for and signals the points of take(), and
  /// the images' recorded layouts and owners are those after the commands.
  virtual void submitted() = 0;
};

/// A frame's planes, readable by shaders: in one buffer, or as images.
struct GpuFrame {
  VkBuffer buffer = VK_NULL_HANDLE;            ///< null: images
  std::array<std::size_t, 4> plane_offsets{};  ///< bytes from the buffer's start to each plane's first sample
  std::array<std::ptrdiff_t, 4> strides{};     ///< bytes from row to row, never negative
  std::uint32_t owner_family = VK_QUEUE_FAMILY_IGNORED;  ///< of the buffer, see Image::owner_family

  /// The views of the planes. A texel is one sample, or one interleaved pair or triple of samples in memory
  /// order, in UNORM channels of 8 or 16 bits. The picture begins at the first texel.
  std::array<VkImageView, 3> plane_views{};
  /// The images of all planes, with their current layouts, last uses and owners; valid as long as `owner`.
  std::vector<Image*> images;

  std::vector<TimelinePoint> waits;    ///< to wait for before the frame is read
  std::vector<TimelinePoint> signals;  ///< to signal once it has been read
  std::unique_ptr<FrameLease> lease;   ///< may be null

  std::uint64_t bytes_copied = 0;     ///< bytes that the CPU copied to import the frame
  std::shared_ptr<const void> owner;  ///< keeps all members and the frame's content valid while the GPU reads
};

/// Makes decoded frames readable by shaders: the renderer's interface to the interop library, which is
/// built on top of this one.
/// Thread-safety: one thread at a time.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Imports a frame. Never waits for the GPU. Errors: Failed if memory for a copy is exhausted.
  [[nodiscard]] virtual Result<GpuFrame> import_frame(const Frame& frame) = 0;
  /// Returns the memory that decoders should write frames to, which saves a copy; null if there is none.
  [[nodiscard]] virtual HostMemory* memory() = 0;
};

}  // namespace glyphreel::gpu
