#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/geometry.h"

namespace glyphreel::render {

/// One cell of text over the picture.
struct TextCell {
  /// 0: no text, shows the picture's cell. WideRight: the right half of the wide character to the left.
  char32_t character = 0;
  std::uint32_t foreground = 0xFFFFFF;  ///< 0xRRGGBB
  std::uint32_t background = 0x000000;
  /// Opacity of the background over the picture's cell, 0 to 255. The character is always opaque.
  std::uint8_t opacity = 255;
  bool bold = false;
  bool italic = false;
  bool operator==(const TextCell&) const = default;

  static constexpr char32_t WideRight = 0xFFFF;  ///< U+FFFF, a Unicode noncharacter
};

/// Text over a whole grid, row by row, for example messages, statistics or subtitles. Later layers cover
/// earlier ones. Layers are compared to detect changes.
struct TextLayer {
  GridSize grid;
  std::vector<TextCell> cells;  ///< empty if there is no text; otherwise grid.cells() cells
  bool operator==(const TextLayer&) const = default;

  /// Returns the cell at that position. Call only if `cells` is not empty.
  [[nodiscard]] TextCell& at(int column, int row) {
    return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns) +
                 static_cast<std::size_t>(column)];
  }
};

}  // namespace glyphreel::render
