#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.h"

namespace glyphreel::text {

/// Detects whether a drawn character looks like an earlier one: the root mean square of the difference of
/// their masks is at most NearDuplicateRms. Finds every such pair, and is fast for tens of thousands of
/// masks: it compares only masks of similar mean coverage, and most comparisons end after a few rows.
class NearDuplicateFilter {
 public:
  /// Maximum root mean square of the difference of two masks that look alike; masks have values of 0 to 255.
  /// In DejaVu Sans Mono at 8x16 pixels, letters that two scripts share differ by 0 to 5; capital E with a
  /// grave accent and with an acute accent differ by 20; O and Q, the most similar ASCII characters, by 26.
  static constexpr int NearDuplicateRms = 6;

  /// All masks must have `size` pixels.
  explicit NearDuplicateFilter(CellSize size);

  /// Stores the mask and returns true if no stored mask looks like it; otherwise returns false.
  [[nodiscard]] bool add(std::span<const std::uint8_t> mask);

 private:
  [[nodiscard]] bool is_alike(const std::uint8_t* a, const std::uint8_t* b) const;

  CellSize size_;
  /// Offsets of the stored masks in `masks_`, grouped by mean coverage in steps of NearDuplicateRms.
  std::vector<std::vector<std::size_t>> seen_;
  std::vector<std::uint8_t> masks_;  ///< the stored masks, one after the other
};

}  // namespace glyphreel::text
