#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/frame.h"

namespace glyphreel::media {

/// Returns the size of a component's plane, in samples.
[[nodiscard]] Extent plane_size(Extent picture, const ComponentLayout& component);

/// Whether every pixel of `view` is opaque. `alpha` describes where `view` stores its alpha; see alpha_of().
[[nodiscard]] bool is_opaque(const FrameView& view, const ComponentLayout& alpha);

/// Returns the code values of an sRGB color (0xRRGGBB) for a frame's components. An HDR frame gets the same
/// code values as an SDR frame, although these values mean a different luminance in HDR.
[[nodiscard]] std::array<std::uint32_t, 3> codes_of(std::uint32_t rgb, const PixelLayout& layout,
                                                    const ColorTags& color);

/// The planes to which a composited frame is written. They have the same layout as the planes of the source's
/// FrameView, and must not overlap them.
struct WritablePlanes {
  std::array<std::byte*, 4> planes{};
  std::array<std::ptrdiff_t, 4> strides{};
};

/// Blends `view` over a background color (0xRRGGBB). Where alpha is `a` (0 to 1), the result is
/// `code * a + background * (1 - a)`, rounded to nearest. Code values are blended directly, as browsers and
/// FFmpeg's overlay filter do. A subsampled chroma sample uses the mean alpha of the pixels that it covers.
/// The alpha plane is not written.
void composite(const FrameView& view, const ComponentLayout& alpha, std::uint32_t background,
               const WritablePlanes& target);

/// Blends a paletted frame over a background color (0xRRGGBB) and writes three bytes per pixel: R, G, B.
/// `indices` has one byte per pixel; `palette` has 256 entries, 0xAARRGGBB in native byte order.
void composite_palette(const FrameView& indices, const std::uint32_t* palette, std::uint32_t background,
                       const WritablePlanes& target);

}  // namespace glyphreel::media
