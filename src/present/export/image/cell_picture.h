#pragma once

#include <cstdint>
#include <vector>

#include "base/frame.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Part of a picture, in pixels.
struct PixelArea {
  int x = 0, y = 0;
  Extent size;  ///< 0x0: the area is empty
  [[nodiscard]] bool is_empty() const { return size.width == 0; }
  bool operator==(const PixelArea&) const = default;
};

/// Returns the smallest area that contains all differing pixels of two Bgra8 pictures of equal size.
[[nodiscard]] PixelArea changed_area(const Picture& before, const Picture& after);

/// Returns a view of part of a Bgra8 picture. The view shares the picture's memory.
[[nodiscard]] Picture part_of(const Picture& picture, PixelArea area);

/// Returns the coverage mask of a cell's glyph: one byte per pixel, row by row. The pointer is valid as long
/// as the frame and the glyph set exist.
[[nodiscard]] const std::uint8_t* mask_of(const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                                          const render::Cell& cell);

/// Draws the cells of a frame as a Bgra8 picture whose fourth byte is the opacity. Where a cell's background
/// is `background`, 0xRRGGBB, only the glyph is visible, in the cell's foreground color; the glyph's coverage
/// is the opacity. Other cells are opaque.
[[nodiscard]] Picture draw_transparent(const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                                       std::uint32_t background);

}  // namespace glyphreel::present
