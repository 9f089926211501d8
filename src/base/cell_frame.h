#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/geometry.h"

namespace glyphreel {

/// A cell of a recording: a glyph number and two colors, 0xFFRRGGBB each.
struct RecordedCell {
  std::uint32_t glyph = 0;  ///< index into RecordedGlyphs::glyphs
  std::uint32_t foreground = 0xff000000;
  std::uint32_t background = 0xff000000;
  bool operator==(const RecordedCell&) const = default;
};

struct RecordedGlyph {
  enum class Part : std::uint8_t { Whole, Left, Right };  ///< Left and Right: halves of a wide character
  char32_t code_point = U' ';
  Part part = Part::Whole;
  std::uint8_t coverage = 0;  ///< mean coverage of the cell's pixels, 0 to 255
  bool operator==(const RecordedGlyph&) const = default;
};

/// The glyphs of a recording and the font that drew them.
struct RecordedGlyphs {
  CellSize cell;                  ///< pixels
  std::string font;               ///< the value of --font: a name or a file
  std::uint32_t fingerprint = 0;  ///< CRC-32 of the glyphs' masks
  std::vector<RecordedGlyph> glyphs;
};

/// A frame that was recorded as cells. Immutable once shared.
struct CellFrame {
  GridSize grid;
  std::vector<RecordedCell> cells;  ///< row by row
  std::shared_ptr<const RecordedGlyphs> glyphs;
};

}  // namespace glyphreel
