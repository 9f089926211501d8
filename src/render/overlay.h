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

/// The glyphs of overlay text, drawn at one cell size. Glyph 0 is the space.
struct OverlayGlyphs {
  CellSize cell;
  std::vector<std::uint8_t> masks;    ///< in the layout of text::GlyphSet::masks()
  std::vector<std::string> utf8;      ///< one per glyph, as in text::GlyphSet::utf8()
  std::vector<char32_t> code_points;  ///< one per glyph, as in text::GlyphSet::code_points()
  std::vector<text::GlyphColumns> columns;

  [[nodiscard]] int size() const { return static_cast<int>(utf8.size()); }
};

/// Text over a grid of cells, ready to be drawn, made by OverlayBuilder. Immutable once shared.
struct Overlay {
  GridSize grid;
  std::vector<OverlayCell> cells;  ///< grid.cells() cells
  std::shared_ptr<const OverlayGlyphs> glyphs;
};

/// Looks up the characters of rendered cells. Glyph indices below picture.size() are glyphs of the picture;
/// the overlay's glyphs follow. Does not own the two glyph sets, which must outlive this object.
class Characters {
 public:
  /// `overlay`: RenderedFrame::overlay_glyphs, which may be null.
  Characters(const text::GlyphSet& picture, const OverlayGlyphs* overlay)
      : picture_(picture), overlay_(overlay) {}

  /// Returns the UTF-8 text of a glyph; empty for the right half of a wide character.
  [[nodiscard]] const std::string& utf8(std::uint32_t glyph) const {
    return is_text(glyph) ? overlay_->utf8[text(glyph)] : picture_.utf8(static_cast<int>(glyph));
  }
  /// Returns the character of a glyph. Both glyphs of a wide character have the same character.
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

/// Returns the parameters for compose_row(). `picture`: the glyph set of the cells; `overlay`: null if there
/// is no text.
[[nodiscard]] OverlayParameters overlay_parameters(const text::GlyphSet& picture, GridSize grid,
                                                   const Overlay* overlay, bool has_picture);

/// Returns the mean coverage of each glyph, 0 to 255.
[[nodiscard]] std::vector<std::uint8_t> mean_coverage(const text::GlyphSet& glyphs);

/// Copies one row of cells from `picture` (null: black cells) to `composed`, with the text of `overlay`
/// (null: no text). `picture`, `overlay` and `composed` are whole grids. `coverage`: mean_coverage() of the
/// picture's glyphs.
void compose_row(const OverlayParameters& parameters, const mapping::shared::Cell* picture,
                 const std::uint8_t* coverage, const Overlay* overlay, int row,
                 mapping::shared::Cell* composed);

}  // namespace glyphreel::render
