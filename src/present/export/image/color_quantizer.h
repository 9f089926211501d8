#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace glyphreel::present {

/// The colors of a picture, 0xRRGGBB, and the number of pixels of each color. Counts up to MaxExact different
/// colors exactly. If there are more, only the mean colors of groups of similar colors are known.
class ColorCounts {
 public:
  static constexpr std::size_t MaxExact = 256;

  void add(std::uint32_t color, std::uint32_t pixels);
  void clear();
  /// The number of different colors; MaxExact + 1 if there are more than MaxExact.
  [[nodiscard]] std::size_t distinct() const { return exact_.size(); }
  /// Returns the colors in ascending order. Call only if there are at most MaxExact.
  [[nodiscard]] std::vector<std::uint32_t> colors() const;

  /// A group of similar colors: the number of its pixels, and the sum of each component over these pixels.
  struct Group {
    std::uint64_t pixels = 0, red = 0, green = 0, blue = 0;
  };
  [[nodiscard]] std::vector<Group> groups() const;

 private:
  std::unordered_map<std::uint32_t, std::uint64_t> exact_;  ///< stops growing at MaxExact + 1 entries
  std::vector<Group> groups_;                               ///< indexed by the upper 6 bits of each component
  std::vector<std::uint32_t> used_;                         ///< indices of groups that have pixels
};

/// Returns at most `size` colors that represent the counted colors with a small squared error: all colors if
/// there are no more than `size`; otherwise the result of splitting by variance, improved by k-means. Uses
/// integers only, so that the result is the same on every machine.
[[nodiscard]] std::vector<std::uint32_t> quantize(const ColorCounts& counts, std::size_t size);

/// Returns the squared distance of two colors 0xRRGGBB, weighted for the eye: 10 if each component differs by
/// one code value.
[[nodiscard]] double color_distance(std::uint32_t a, std::uint32_t b);

/// Returns the squared difference of two colors 0xRRGGBB as the eye sees it in small details, where
/// differences of luma are much more visible than other differences: 17 if each component is one code value
/// higher, and 0.3 * color_distance() if the luma is equal.
[[nodiscard]] double detail_difference(std::uint32_t a, std::uint32_t b);

/// Returns, for each color of a palette, the indices of up to 3 other colors whose color_distance() is at
/// most `distance`, the nearest first.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> similar_colors(std::span<const std::uint32_t> palette,
                                                                    double distance);

/// The color_distance() of counted pixels from their palette colors.
struct PaletteError {
  double mean = 0;
  double largest = 0;
};

/// Finds the nearest color of a palette, by color_distance(). Colors with the same upper 6 bits of each
/// component form a group. For a color that the palette lacks, finds the palette color nearest to the middle
/// of the color's group. Caches the results. Thread-safety: one thread at a time.
class NearestColor {
 public:
  explicit NearestColor(std::vector<std::uint32_t> palette);
  [[nodiscard]] int index(std::uint32_t color);
  [[nodiscard]] bool contains(std::uint32_t color) const { return exact_.contains(color & 0xFFFFFF); }
  [[nodiscard]] const std::vector<std::uint32_t>& palette() const { return palette_; }
  [[nodiscard]] PaletteError error(const ColorCounts& counts);

 private:
  std::vector<std::uint32_t> palette_;
  std::unordered_map<std::uint32_t, int> exact_;
  std::vector<std::int16_t> nearest_;  ///< indexed by the upper 6 bits of each component; -1: unknown
};

}  // namespace glyphreel::present
