#pragma once

#include <span>
#include <string_view>

namespace glyphreel::cli {

/// Number of single-character insertions, removals, replacements and swaps of neighbours between two words
/// (optimal string alignment distance).
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// The word nearest to `word`, or an empty view where none is near enough to be what was meant.
/// The first of equally near ones.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> words);

}  // namespace glyphreel::cli
