#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::text {

/// A line of text as it is drawn, from left to right.
struct VisualLine {
  std::u32string characters;
  /// characters[i] shows the character that has the index from[i] in the original line.
  std::vector<std::size_t> from;
};

/// Whether the text has right-to-left characters or bidirectional controls. If not, it is drawn in the order
/// in which it is stored.
[[nodiscard]] bool needs_reordering(std::u32string_view line);

/// Reorders one line by Unicode's bidirectional algorithm (annex 9), with fribidi: the first strong character
/// sets the line's direction, brackets are mirrored, and Arabic letters are replaced by the characters that
/// join them to their neighbors (Arabic Presentation Forms).
[[nodiscard]] VisualLine visual_order(std::u32string_view line);

}  // namespace glyphreel::text
