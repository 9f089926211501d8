#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/frame.h"
#include "media/compositing.h"

namespace glyphreel::media {

/// Host memory for a picture: a block of a HostMemory, or FFmpeg's own.
struct HostTarget {
  std::shared_ptr<const HostBlock> block;  ///< null where it is FFmpeg's
  std::shared_ptr<const void> owner;
  std::uint8_t* bytes = nullptr;
};
/// `memory` may be null or have no block left.
[[nodiscard]] HostTarget acquire_target(HostMemory* memory, std::size_t size);

/// Memory for the planes of a picture, their rows aligned for vector code.
struct HostPlanes {
  WritablePlanes planes;
  HostTarget target;
  std::uint64_t sample_bytes = 0;  ///< of all components' samples, without padding
};
[[nodiscard]] HostPlanes acquire_planes(HostMemory* memory, const PixelLayout& layout, Extent size);

/// Makes `planes` those of `frame`, and counts the copy.
void adopt_planes(const HostPlanes& planes, Frame& frame);

}  // namespace glyphreel::media
