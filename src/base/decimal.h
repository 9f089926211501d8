#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace glyphreel {

/// Writes a number from 0 to 255 in decimal. Escape sequences are mostly such numbers, and parsing a format
/// string for each would take most of the time of an export to text. `to`: has room for 3 characters. Returns
/// the end of the number.
inline char* put_decimal(char* to, std::uint8_t number) {
  struct Digits {
    char text[3];
    std::uint8_t count;
  };
  static constexpr auto All = [] {
    std::array<Digits, 256> all{};
    for (int n = 0; n < 256; ++n) {
      Digits& digits = all[static_cast<std::size_t>(n)];
      for (const int power : {100, 10, 1}) {
        if (n >= power || power == 1) digits.text[digits.count++] = static_cast<char>('0' + n / power % 10);
      }
    }
    return all;
  }();
  const Digits& digits = All[number];
  std::memcpy(to, digits.text, sizeof digits.text);
  return to + digits.count;
}

}  // namespace glyphreel
