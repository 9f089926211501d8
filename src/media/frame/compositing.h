#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/frame.h"

namespace glyphreel::media {

/// Returns the size of a component's plane, in samples.
[[nodiscard]] Extent plane_size(Extent picture, const ComponentLayout& component);

/// Whether every pixel is opaque. `alpha`: where `view` stores its alpha (alpha_of()).
[[nodiscard]] bool is_opaque(const FrameView& view, const ComponentLayout& alpha);

/// Returns an sRGB color (0xRRGGBB) as code values of a frame's components. In HDR frames the code values
/// are the same, but not the light they stand for.
[[nodiscard]] std::array<std::uint32_t, 3> codes_of(std::uint32_t rgb, const PixelLayout& layout,
                                                    const ColorTags& color);

/// Destination of a picture: planes as in a FrameView. They may be the source's own.
struct WritablePlanes {
  std::array<std::byte*, 4> planes{};
  std::array<std::ptrdiff_t, 4> strides{};
};

/// Blends `view` over a background color (0xRRGGBB): code = code * a + background * (1 - a), rounded to
/// nearest, on code values as on the web and in FFmpeg's overlay. A subsampled chroma sample uses the mean
/// alpha of its pixels. Alpha itself is not written.
void composite(const FrameView& view, const ComponentLayout& alpha, std::uint32_t background,
               const WritablePlanes& target);

/// Blends a paletted picture (rows of one-byte indices into 256 native words 0xAARRGGBB) over a background
/// and writes R, G, B bytes.
void composite_palette(const FrameView& indices, const std::uint32_t* palette, std::uint32_t background,
                       const WritablePlanes& target);

}  // namespace glyphreel::media
