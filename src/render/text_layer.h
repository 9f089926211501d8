#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/geometry.h"

namespace glyphreel::render {

/// One cell of text over the picture.
struct TextCell {
  /// 0: the picture is unchanged here. WideRight: the right half of the wide character to the left.
  char32_t character = 0;
  std::uint32_t foreground = 0xFFFFFF;  ///< 0xRRGGBB
  std::uint32_t background = 0x000000;
  std::uint8_t opacity =
      255;  ///< opacity of the background over the picture's cell, 0 to 255; the character is opaque
  bool bold = false;
  bool italic = false;
  bool operator==(const TextCell&) const = default;

  static constexpr char32_t WideRight = 0xFFFF;  ///< not a character (the last of Unicode's basic plane)
};

/// Text over a whole grid, row by row: progress, messages, statistics, subtitles. Later layers cover
/// earlier ones. A value: compared to detect changes.
struct TextLayer {
  GridSize grid;
  std::vector<TextCell> cells;  ///< empty: no text; else grid.cells() of them
  bool operator==(const TextLayer&) const = default;

  [[nodiscard]] TextCell& at(int column, int row) {
    return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns) +
                 static_cast<std::size_t>(column)];
  }
};

}  // namespace glyphreel::render
