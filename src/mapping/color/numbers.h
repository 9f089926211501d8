#pragma once

#include <cmath>
#include <cstdint>

namespace glyphreel::mapping {

/// Converts an sRGB signal, 0 to 1, to linear light, 0 to 1 (IEC 61966-2-1).
[[nodiscard]] inline double srgb_light(double signal) {
  return signal <= 0.04045 ? signal / 12.92 : std::pow((signal + 0.055) / 1.055, 2.4);
}

/// Converts linear light, 0 to 1, to an sRGB signal, 0 to 1.
[[nodiscard]] inline double srgb_signal(double light) {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

[[nodiscard]] inline int rounded(double number) {
  return static_cast<int>(std::lround(number));
}

/// Rounds a number and converts it to a table word. Negative numbers are in two's complement.
[[nodiscard]] inline std::uint32_t rounded_word(double number) {
  return static_cast<std::uint32_t>(rounded(number));
}

}  // namespace glyphreel::mapping
