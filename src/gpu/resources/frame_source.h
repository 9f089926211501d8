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

/// Synchronizes the renderer with a frame's decoder while commands that read the frame are recorded and
/// submitted, for example by locking the frame. Destroyed right after the submission, or when the recording
/// is discarded.
class FrameLease {
 public:
  virtual ~FrameLease() = default;
  /// Called before the first command that reads the frame is recorded. Adds the points that the submission
  /// has to wait for and to signal, and updates the images' layouts and owners. Nothing may wait for the GPU
  /// or the screen between this call and the submission.
  virtual void acquire(std::vector<TimelinePoint>& /*waits*/, std::vector<TimelinePoint>& /*signals*/) {}
  /// Called once the commands are submitted. The submission waits for and signals the points that acquire()
  /// added. The Image objects already state the layouts and owners that the images will have after the
  /// commands.
  virtual void submitted() = 0;
};

/// A frame's planes, readable by shaders: in one buffer, or as images.
struct GpuFrame {
  VkBuffer buffer = VK_NULL_HANDLE;            ///< null: the planes are images
  std::array<std::size_t, 4> plane_offsets{};  ///< bytes from the buffer's start to each plane's first sample
  std::array<std::ptrdiff_t, 4> strides{};     ///< bytes from row to row, never negative
  /// If the buffer is host memory: the bytes from its start to the end of the last plane. 0: GPU memory.
  std::size_t host_bytes = 0;
  std::uint32_t owner_family = VK_QUEUE_FAMILY_IGNORED;  ///< owner of the buffer, see Image::owner_family

  /// The views of the planes. A texel holds one or several interleaved samples in memory order, in UNORM
  /// channels of 8 or 16 bits. The visible part of the frame begins at the first texel.
  std::array<VkImageView, 3> plane_views{};
  /// The images of all planes, with their current layouts, last uses and owners. `owner` keeps them alive.
  std::vector<Image*> images;

  std::vector<TimelinePoint> waits;    ///< to wait for before the frame is read
  std::vector<TimelinePoint> signals;  ///< to signal once the frame has been read
  std::unique_ptr<FrameLease> lease;   ///< may be null

  std::uint64_t bytes_copied = 0;     ///< bytes that the CPU copied to import the frame
  std::shared_ptr<const void> owner;  ///< keeps all members and the frame's content valid while the GPU reads
};

/// Makes decoded frames readable by shaders. The interop library implements this interface for the renderer,
/// which cannot call that library directly: interop depends on the gpu library, not the reverse.
/// Thread-safety: one thread at a time.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Imports a frame. May wait for the decoder, but never for rendering. Errors: Failed if memory for a copy
  /// is exhausted.
  [[nodiscard]] virtual Result<GpuFrame> import_frame(const Frame& frame) = 0;
  /// Returns memory that the GPU reads in place, so frames that decoders write there need no copy. May be
  /// null.
  [[nodiscard]] virtual HostMemory* memory() = 0;
};

}  // namespace glyphreel::gpu
