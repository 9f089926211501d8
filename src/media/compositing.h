#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/frame.h"

namespace glyphreel::media {

/// Whether every pixel is opaque. `alpha`: where `view` keeps its opacity (alpha_of()).
[[nodiscard]] bool is_opaque(const FrameView& view, const ComponentLayout& alpha);

/// Code values of an sRGB colour (0xRRGGBB) in the components of such frames. Those of HDR are of the same
/// numbers, not of the same light.
[[nodiscard]] std::array<std::uint32_t, 3> codes_of(std::uint32_t rgb, const PixelLayout& layout,
                                                    const ColorTags& color);

/// Where a picture goes: planes like those of a FrameView, which may be the source's own.
struct WritablePlanes {
  std::array<std::byte*, 4> planes{};
  std::array<std::ptrdiff_t, 4> strides{};
};

/// Lays `view` over a background colour (0xRRGGBB): code = code * a + background * (1 - a), to nearest, as
/// the web and FFmpeg's overlay mix, in code values. A subsampled chroma sample takes the mean opacity of its
/// pixels. The opacity itself is not written.
void composite(const FrameView& view, const ComponentLayout& alpha, std::uint32_t background,
               const WritablePlanes& target);

/// A paletted picture (rows of one-byte indices into 256 native words 0xAARRGGBB) over a background, as R, G,
/// B bytes.
void composite_palette(const FrameView& indices, const std::uint32_t* palette, std::uint32_t background,
                       const WritablePlanes& target);

}  // namespace glyphreel::media
