#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.h"

namespace glyphreel::text {

/// Detects whether a drawn character looks like an earlier one: the root mean square of the difference of
/// their masks is at most LookAlikeRms. Exhaustive, yet fast for tens of thousands of masks: two masks that
/// are this close have nearly the same ink, in total and in each of eight regions, and the few that pass
/// this test are compared pixel by pixel.
class NearDuplicateFilter {
 public:
  /// Out of 255. In DejaVu Sans Mono at 8x16, letters that two scripts share differ by 0 to 5, capital E
  /// with a grave and with an acute by 20, and the two most similar in ASCII (O and Q) by 26.
  static constexpr int LookAlikeRms = 6;

  /// All masks have `size` pixels.
  explicit NearDuplicateFilter(CellSize size);

  /// Returns true if the mask is unlike all earlier ones, and then remembers it.
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
  std::vector<std::vector<Seen>> seen_;                ///< by mean coverage, in steps of LookAlikeRms
  std::vector<std::uint8_t> masks_;                    ///< the remembered masks, one after the other
};

}  // namespace glyphreel::text
