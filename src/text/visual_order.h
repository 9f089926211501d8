#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::text {

/// A line of text as it is drawn, from left to right.
struct VisualLine {
  std::u32string characters;
  /// For each character, the index of the character of the original line that it shows.
  std::vector<std::size_t> from;
};

/// Whether the text has right-to-left characters or controls, and so is not drawn in the order in which it is
/// stored.
[[nodiscard]] bool needs_reordering(std::u32string_view line);

/// Reorders one line by Unicode's bidirectional algorithm (annex 9), with fribidi: the first strong character
/// sets the line's direction, brackets are mirrored, and Arabic letters get the forms that join them to their
/// neighbors, as characters of their own (Arabic Presentation Forms).
[[nodiscard]] VisualLine visual_order(std::u32string_view line);

}  // namespace glyphreel::text
