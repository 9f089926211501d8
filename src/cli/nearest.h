#pragma once

#include <span>
#include <string_view>

namespace glyphreel::cli {

/// Returns the number of single-character insertions, removals, replacements and swaps of neighbors between
/// two words (optimal string alignment distance).
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// Returns the first of `words` with the smallest edit distance to `word`; empty if the distance is too large
/// for a typing error.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> words);

}  // namespace glyphreel::cli
