#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "mapping/shared/shared_types.h"
#include "text/glyph_set.h"

namespace glyphreel::render {

using OverlayCell = mapping::shared::OverlayCell;
using OverlayParameters = mapping::shared::OverlayParameters;

/// The glyphs of text over the picture, drawn for cells of one size. The first one is the space.
struct OverlayGlyphs {
  CellSize cell;
  std::vector<std::uint8_t> masks;    ///< as text::GlyphSet::masks()
  std::vector<std::string> utf8;      ///< as text::GlyphSet::utf8(), by glyph
  std::vector<char32_t> code_points;  ///< as text::GlyphSet::code_points()
  std::vector<text::GlyphColumns> columns;

  [[nodiscard]] int size() const { return static_cast<int>(utf8.size()); }
};

/// Text over a grid of cells, ready to be drawn, made by OverlayBuilder. Immutable once shared.
struct Overlay {
  GridSize grid;
  std::vector<OverlayCell> cells;  ///< grid.cells() of them
  std::shared_ptr<const OverlayGlyphs> glyphs;
};

/// The characters of rendered cells: the picture's glyphs, followed by those of the text over it. A view:
/// both must outlive it.
class Characters {
 public:
  /// `overlay`: RenderedFrame::overlay_glyphs, which may be null.
  Characters(const text::GlyphSet& picture, const OverlayGlyphs* overlay)
      : picture_(picture), overlay_(overlay) {}

  /// UTF-8; empty for the right half of a wide character.
  [[nodiscard]] const std::string& utf8(std::uint32_t glyph) const {
    return is_text(glyph) ? overlay_->utf8[text(glyph)] : picture_.utf8(static_cast<int>(glyph));
  }
  /// Both halves of a wide character have the same one.
  [[nodiscard]] char32_t code_point(std::uint32_t glyph) const {
    return is_text(glyph) ? overlay_->code_points[text(glyph)] : picture_.code_points()[glyph];
  }
  [[nodiscard]] text::GlyphColumns columns(std::uint32_t glyph) const {
    return is_text(glyph) ? overlay_->columns[text(glyph)] : picture_.columns(static_cast<int>(glyph));
  }

 private:
  [[nodiscard]] bool is_text(std::uint32_t glyph) const { return static_cast<int>(glyph) >= picture_.size(); }
  [[nodiscard]] std::size_t text(std::uint32_t glyph) const {
    return glyph - static_cast<std::uint32_t>(picture_.size());
  }

  const text::GlyphSet& picture_;
  const OverlayGlyphs* overlay_;
};

/// Whether `overlay` is not null and was made for this grid and cell size.
[[nodiscard]] bool fits_grid(const Overlay* overlay, GridSize grid, CellSize cell);

/// Parameters for composing `overlay` (null: none) over cells of `picture`.
[[nodiscard]] OverlayParameters overlay_parameters(const text::GlyphSet& picture, GridSize grid,
                                                   const Overlay* overlay, bool has_picture);

/// Mean coverage of each glyph, 0 to 255.
[[nodiscard]] std::vector<std::uint8_t> mean_coverage(const text::GlyphSet& glyphs);

/// Composes one row of the cells that are drawn. `picture`: the whole grid; null: there is none yet.
/// `composed`: the whole grid. `coverage`: mean_coverage() of the picture's glyphs.
void compose_row(const OverlayParameters& parameters, const mapping::shared::Cell* picture,
                 const std::uint8_t* coverage, const Overlay* overlay, int row,
                 mapping::shared::Cell* composed);

}  // namespace glyphreel::render
