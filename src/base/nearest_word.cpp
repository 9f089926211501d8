#include "base/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace glyphreel {

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> table((a.size() + 1) *
                         width);  // [i][j]: distance between a's first i and b's first j letters
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      int& here = table[i * width + j];
      if (i == 0 || j == 0) {
        here = static_cast<int>(i + j);
        continue;
      }
      const int replaced = table[(i - 1) * width + j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      here = std::min({replaced, table[(i - 1) * width + j] + 1, table[i * width + j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        here = std::min(here, table[(i - 2) * width + j - 2] + 1);
      }
    }
  }
  return table.back();
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words) {
  // Accept an edit distance of at most a third of the word's length, and always a distance of 1 if the word
  // has at least 3 letters: "sise" matches "size", "banana" matches no option, and "vo" does not match "to".
  int best = static_cast<int>(std::max<std::size_t>(word.size() > 2 ? 1 : 0, word.size() / 3)) + 1;
  std::string_view found;
  for (const std::string_view candidate : words) {
    const int distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> words,
                         std::string_view otherwise) {
  const std::string_view meant = nearest_word(word, words);
  return meant.empty() ? std::string(otherwise) : fmt::format("did you mean {}?", meant);
}

}  // namespace glyphreel
