#pragma once

#include <cstdint>

namespace glyphreel::mapping {

/// A color as lightness, 0 to 1, and two opponent-color axes. Distances between such colors are close to
/// perceived differences (B. Ottosson, "A perceptual color space for image processing", 2020).
struct Oklab {
  double lightness, a, b;
};

/// Linear light of the sRGB primaries, each from 0 to 1.
struct LinearRgb {
  double red, green, blue;
};

/// Converts an sRGB color, 0xRRGGBB.
[[nodiscard]] LinearRgb light_of(std::uint32_t color);
[[nodiscard]] Oklab oklab(const LinearRgb& light);
[[nodiscard]] Oklab oklab(std::uint32_t color);

/// Returns the square of the distance between two colors.
[[nodiscard]] inline double square_distance(const Oklab& one, const Oklab& other) {
  const double lightness = one.lightness - other.lightness;
  const double a = one.a - other.a;
  const double b = one.b - other.b;
  return lightness * lightness + a * a + b * b;
}

}  // namespace glyphreel::mapping
