#pragma once

#include <bit>
#include <cstdint>

namespace glyphreel::gpu {

/// Division by a constant as a multiplication and a shift, for shaders: integer division is slow on every
/// GPU.
struct ExactDivision {
  std::uint32_t multiplier = 1;
  std::uint32_t shift = 0;
};

/// Dividends must be below this bound, which is more than any picture's width or height in pixels.
inline constexpr std::uint32_t MaxDividend = 1u << 15;

/// Returns a multiplier m and a shift s such that x / divisor == (x * m) >> s for all x < MaxDividend.
/// Requires 0 < divisor < 2^15.
///
/// Proof (Granlund and Montgomery 1994, theorem 4.2): s is chosen so that 2^s >= divisor * 2^15, and m is
/// floor(2^s / divisor) + 1. The excess e = m * divisor - 2^s is at most divisor, so e * x < 2^s. This means
/// that (x * m) / 2^s exceeds x / divisor by less than 1 / divisor, too little to reach the next integer. The
/// product m * x fits in 32 bits: m <= 2^16 and x < 2^15, so m * x < 2^31.
[[nodiscard]] constexpr ExactDivision exact_division(std::uint32_t divisor) {
  const auto log2 = static_cast<std::uint32_t>(std::bit_width(divisor - 1));
  const std::uint32_t shift = 15 + log2;
  return {static_cast<std::uint32_t>((std::uint64_t{1} << shift) / divisor + 1), shift};
}

}  // namespace glyphreel::gpu
