#include "text/near_duplicate_filter.h"

#include <algorithm>
#include <numeric>

namespace glyphreel::text {
namespace {

constexpr std::int64_t SquareLimit =
    std::int64_t{NearDuplicateFilter::LookAlikeRms} * NearDuplicateFilter::LookAlikeRms;

std::int64_t squared_difference(const std::uint8_t* a, const std::uint8_t* b, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int difference = a[i] - b[i];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

NearDuplicateFilter::NearDuplicateFilter(CellSize size) : size_(size), seen_(255 / LookAlikeRms + 1) {
  const std::vector<std::uint8_t> ones(static_cast<std::size_t>(size.width) * size.height, 1);
  const Regions pixels = regions_of(ones);
  for (std::size_t i = 0; i < pixels.size(); ++i) weights_[i] = 65536 / std::max(1, pixels[i]);
}

NearDuplicateFilter::Regions NearDuplicateFilter::regions_of(std::span<const std::uint8_t> mask) const {
  Regions regions{};
  for (int y = 0; y < size_.height; ++y) {
    const int row = Across * (y * Down / size_.height);
    for (int x = 0; x < size_.width; ++x) {
      const int region = row + x * Across / size_.width;
      regions[static_cast<std::size_t>(region)] += mask[static_cast<std::size_t>(y * size_.width + x)];
    }
  }
  return regions;
}

/// Returns false if the regions alone prove a difference: over n pixels whose sums differ by d, the squared
/// differences add up to at least d * d / n (Cauchy-Schwarz). The weights are rounded down, so the test is
/// never too strict.
bool NearDuplicateFilter::may_be_alike(const Regions& a, const Regions& b) const {
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t difference = a[i] - b[i];
    squares += difference * difference * weights_[i];
  }
  return squares <= SquareLimit * size_.width * size_.height * 65536;
}

bool NearDuplicateFilter::add(std::span<const std::uint8_t> mask) {
  const Regions regions = regions_of(mask);
  const int pixels = size_.width * size_.height;
  const int coverage = std::accumulate(regions.begin(), regions.end(), 0);
  // Means differ by no more than the root mean square, so look-alikes are in this step or an adjacent one.
  const auto step = static_cast<std::size_t>(coverage / pixels / LookAlikeRms);
  for (std::size_t near = step - (step > 0 ? 1 : 0); near < std::min(step + 2, seen_.size()); ++near) {
    for (const Seen& seen : seen_[near]) {
      if (!may_be_alike(seen.regions, regions)) continue;
      if (squared_difference(mask.data(), masks_.data() + seen.mask_at, mask.size()) <=
          SquareLimit * pixels) {
        return false;
      }
    }
  }
  seen_[step].push_back({regions, masks_.size()});
  masks_.insert(masks_.end(), mask.begin(), mask.end());
  return true;
}

}  // namespace glyphreel::text
