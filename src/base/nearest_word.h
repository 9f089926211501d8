#pragma once

#include <span>
#include <string>
#include <string_view>

namespace glyphreel {

/// Returns the edit distance of two words (optimal string alignment distance): the smallest number of edits
/// that turn one word into the other. An edit inserts, removes or replaces a character, or swaps two adjacent
/// characters.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// Returns the first of `words` with the smallest edit distance to `word`; empty if the distance is too large
/// for a typing error.
[[nodiscard]] std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words);

/// Returns "did you mean X?" with the word X that nearest_word() finds, or else `otherwise`.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> words,
                                       std::string_view otherwise);

}  // namespace glyphreel
