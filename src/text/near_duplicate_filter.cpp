#include "text/near_duplicate_filter.h"

#include <algorithm>
#include <numeric>

namespace glyphreel::text {

NearDuplicateFilter::NearDuplicateFilter(CellSize size) : size_(size), seen_(255 / NearDuplicateRms + 1) {}

bool NearDuplicateFilter::is_alike(const std::uint8_t* a, const std::uint8_t* b) const {
  std::int64_t left = std::int64_t{NearDuplicateRms} * NearDuplicateRms * size_.width * size_.height;
  for (int row = 0; row < size_.height && left >= 0; ++row, a += size_.width, b += size_.width) {
    int squares = 0;
    for (int x = 0; x < size_.width; ++x) squares += (a[x] - b[x]) * (a[x] - b[x]);
    left -= squares;
  }
  return left >= 0;
}

bool NearDuplicateFilter::add(std::span<const std::uint8_t> mask) {
  const int coverage = std::accumulate(mask.begin(), mask.end(), 0);
  // `seen_` groups masks by mean coverage in steps of NearDuplicateRms. The means of two masks differ by at
  // most the root mean square of the masks' difference. For masks that look alike, this root mean square is
  // at most NearDuplicateRms, so the masks are in the same step or in adjacent steps.
  const auto step = static_cast<std::size_t>(coverage / (size_.width * size_.height) / NearDuplicateRms);
  for (std::size_t near = step - (step > 0 ? 1 : 0); near < std::min(step + 2, seen_.size()); ++near) {
    for (const std::size_t at : seen_[near]) {
      if (is_alike(masks_.data() + at, mask.data())) return false;
    }
  }
  seen_[step].push_back(masks_.size());
  masks_.insert(masks_.end(), mask.begin(), mask.end());
  return true;
}

}  // namespace glyphreel::text
