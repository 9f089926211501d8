#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/frame.h"
#include "media/frame/compositing.h"

namespace glyphreel::media {

/// Host memory for a picture: a block of a HostMemory, or FFmpeg's own.
struct HostBuffer {
  std::shared_ptr<const HostBlock> block;  ///< null if the memory is FFmpeg's
  std::shared_ptr<const void> owner;
  std::uint8_t* bytes = nullptr;
};
/// Uses FFmpeg's allocator if `memory` is null or has no block left.
[[nodiscard]] HostBuffer allocate_host_buffer(HostMemory* memory, std::size_t size);

/// Memory for the planes of a picture, with rows aligned for SIMD code.
struct HostPlanes {
  WritablePlanes planes;
  std::array<Extent, 4> sizes{};  ///< of each plane: bytes of a row, and rows
  HostBuffer target;
  std::uint64_t sample_bytes = 0;  ///< of all components' samples, without padding
};
[[nodiscard]] HostPlanes acquire_planes(HostMemory* memory, const PixelLayout& layout, Extent size);
/// Copies the planes of `view`, including any alpha stored in them, to planes acquired for its layout and
/// size.
void copy_planes(const FrameView& view, const HostPlanes& to);

/// Makes `planes` the planes of `frame` and counts the copy.
void attach_planes(const HostPlanes& planes, Frame& frame);

/// Makes FFmpeg's four planes those of `view`.
void set_planes(FrameView& view, const std::uint8_t* const* planes, const int* strides);

}  // namespace glyphreel::media
