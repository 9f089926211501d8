#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/frame.h"
#include "media/frame/compositing.h"

namespace glyphreel::media {

/// Host memory for a picture: a block of a HostMemory, or memory that FFmpeg allocated.
struct HostBuffer {
  std::shared_ptr<const HostBlock> block;  ///< null if FFmpeg allocated the memory
  std::shared_ptr<const void> owner;
  std::uint8_t* bytes = nullptr;
};
/// Allocates `size` bytes in `memory`. Uses FFmpeg's allocator if `memory` is null or has no block left.
[[nodiscard]] HostBuffer allocate_host_buffer(HostMemory* memory, std::size_t size);

/// Memory for the planes of a picture, with rows aligned for SIMD code.
struct HostPlanes {
  WritablePlanes planes;
  std::array<Extent, 4> sizes{};  ///< size of each plane: width in bytes, height in rows
  HostBuffer target;
  std::uint64_t sample_bytes = 0;  ///< total size of the samples of all components, without padding
};
[[nodiscard]] HostPlanes acquire_planes(HostMemory* memory, const PixelLayout& layout, Extent size);
/// Copies the planes of `view` to `to`, which must have been acquired for the same layout and size. Alpha is
/// copied only from planes that it shares with other components.
void copy_planes(const FrameView& view, const HostPlanes& to);

/// Makes `frame` use these planes, and adds `planes.sample_bytes` to Frame::bytes_copied.
void attach_planes(const HostPlanes& planes, Frame& frame);

/// Sets the planes of `view` from FFmpeg's arrays of four pointers and strides.
void set_planes(FrameView& view, const std::uint8_t* const* planes, const int* strides);

}  // namespace glyphreel::media
