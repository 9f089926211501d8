#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.h"

namespace glyphreel::text {

/// Tells whether a drawn character looks like one that was seen before: the root mean square of the
/// difference of their masks is at most LookAlikeRms. Exhaustive, yet fast for ten thousands of masks: two
/// that are that near have nearly the same ink, in all and in each of eight regions, and the few left are
/// compared pixel by pixel.
class LookAlikes {
 public:
  /// Of 255. In DejaVu Sans Mono at 8x16 the letters that two scripts share differ by 0 to 5, capital E with
  /// a grave and with an acute by 20, the two most alike of ASCII (O and Q) by 26.
  static constexpr int LookAlikeRms = 6;

  /// All masks are of `size` pixels.
  explicit LookAlikes(CellSize size);

  /// True where the mask is unlike all before; it is then remembered.
  [[nodiscard]] bool add(std::span<const std::uint8_t> mask);

 private:
  static constexpr int Across = 2;
  static constexpr int Down = 4;
  using Regions = std::array<int, Across * Down>;  ///< sums of coverage

  struct Seen {
    Regions regions;
    std::size_t mask_at;
  };

  [[nodiscard]] Regions regions_of(std::span<const std::uint8_t> mask) const;
  [[nodiscard]] bool may_be_alike(const Regions& a, const Regions& b) const;

  CellSize size_;
  std::array<std::int64_t, Across * Down> weights_{};  ///< 65536 / pixels of each region
  std::vector<std::vector<Seen>> seen_;                ///< by the mean coverage, LookAlikeRms to each step
  std::vector<std::uint8_t> masks_;                    ///< those seen, one after the other
};

}  // namespace glyphreel::text
