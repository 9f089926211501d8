#pragma once

#include <string_view>

namespace glyphreel {

/// Returns the text without spaces, tabs and line ends at its beginning and end.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view Blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(Blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(Blanks) - first + 1);
}

}  // namespace glyphreel
