#include "mapping/tables/mono_dither.h"

#include <algorithm>

#include "mapping/shared/shared_types.h"
#include "mapping/tables/numbers.h"

namespace glyphreel::mapping {
namespace {

/// Even light from `first` on selects one form.
struct Step {
  int first;
  int light;  ///< the form's own, 4095 = 1
};

/// The forms that even light of 0 to 8191 selects, each brighter than the one before.
std::vector<Step> steps_of(const std::vector<std::vector<int>>& features, const std::vector<double>& means,
                           const std::vector<std::uint32_t>& compressed) {
  std::vector<Step> steps;
  for (int light = 0; light < static_cast<int>(compressed.size()); ++light) {
    const double even = compressed[static_cast<std::size_t>(light)];
    std::size_t best = 0;
    double least = 1e300;
    for (std::size_t form = 0; form < features.size(); ++form) {
      double distance = 0;
      for (std::size_t i = 0; i < features[form].size(); ++i) {
        const bool mean = i % (shared::PooledCount + 1) == shared::PooledCount;
        const double difference = features[form][i] - even * (mean ? shared::MeanFeatureGain : 1);
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = form;
      }
    }
    const int own = rounded(means[best] * 4095);
    if (steps.empty() || own > steps.back().light) steps.push_back({light, own});
  }
  return steps;
}

}  // namespace

std::vector<std::uint32_t> mono_dither(const std::vector<std::vector<int>>& features,
                                       const std::vector<double>& means,
                                       const std::vector<std::uint32_t>& compressed) {
  const std::vector<Step> steps = steps_of(features, means, compressed);
  std::vector<std::uint32_t> turns;
  for (int light = 0; light < 4096; ++light) {
    std::size_t above = 0;
    while (above < steps.size() && steps[above].light <= light) ++above;
    int spread = 0;
    int moved = 0;
    if (above == steps.size()) {
      moved = std::max(0, steps.back().first - light);
    } else if (above > 0) {
      const Step& dark = steps[above - 1];
      const Step& bright = steps[above];
      const int end = above + 1 < steps.size() ? steps[above + 1].first : static_cast<int>(compressed.size());
      // Every share stays within the two forms, since the dither reaches 7/8 of the spread.
      spread = std::min({bright.light - dark.light, bright.first - dark.first, end - bright.first});
      const double share = static_cast<double>(light - dark.light) / (bright.light - dark.light);
      moved = bright.first + rounded(spread * (share - 0.5)) - light;
    }
    turns.push_back((static_cast<std::uint32_t>(spread) & 0xFFFFu) |
                    (static_cast<std::uint32_t>(moved) << 16));
  }
  return turns;
}

}  // namespace glyphreel::mapping
