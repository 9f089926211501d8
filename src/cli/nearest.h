#pragma once

#include <span>
#include <string_view>

namespace glyphreel::cli {

/// Returns the number of single-character insertions, removals, replacements and swaps of neighbors between
/// two words (optimal string alignment distance).
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// Returns the word nearest to `word`, the first of equally near ones; empty if none is near enough to be
/// what the user meant.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> words);

}  // namespace glyphreel::cli
