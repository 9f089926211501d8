#pragma once

#include <cstdint>
#include <vector>

#include "base/frame.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Part of a picture, in pixels.
struct PixelArea {
  int x = 0, y = 0;
  Extent size;  ///< 0x0: nothing
  [[nodiscard]] bool is_empty() const { return size.width == 0; }
  bool operator==(const PixelArea&) const = default;
};

/// Returns the smallest area that contains all pixels in which two Bgra8 pictures of one size differ.
[[nodiscard]] PixelArea changed_area(const Picture& before, const Picture& after);

/// Returns a view of a part of a Bgra8 picture, which shares its memory.
[[nodiscard]] Picture part_of(const Picture& picture, PixelArea area);

/// Returns the coverage mask of a cell's glyph: one byte per pixel, row by row. Valid as long as the frame
/// and the glyph set.
[[nodiscard]] const std::uint8_t* mask_of(const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                                          const render::Cell& cell);

/// Draws the cells of a frame as a Bgra8 picture whose fourth byte is the opacity. Where a cell's background
/// is `background`, 0xRRGGBB, only the glyph is visible: in the cell's foreground color, as opaque as its
/// coverage. Other cells are opaque.
[[nodiscard]] Picture draw_transparent(const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                                       std::uint32_t background);

}  // namespace glyphreel::present
