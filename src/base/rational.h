#pragma once

#include <cstdint>

namespace glyphreel {

/// An exact ratio, such as a time base in seconds or a frame rate in frames per second.
struct Rational {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  [[nodiscard]] double value() const {
    return denominator == 0 ? 0.0 : static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  [[nodiscard]] bool is_positive() const { return numerator > 0 && denominator > 0; }
  bool operator==(const Rational&) const = default;
};

}  // namespace glyphreel
