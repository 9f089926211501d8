#include "base/natural_order.h"

#include <cstddef>

namespace glyphreel {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

unsigned char folded(char c) {
  return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/// Returns the digits at `at` without leading zeros, and moves `at` past them.
std::string_view consume_number(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == '0') ++at;
  const std::size_t start = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(start, at - start);
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view first = consume_number(a, i);
      const std::string_view second = consume_number(b, j);
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
      continue;
    }
    const unsigned char first = folded(a[i++]);
    const unsigned char second = folded(b[j++]);
    if (first != second) return first < second;
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;  // equal except for case or leading zeros
}

}  // namespace glyphreel
