#include "mapping/tables/dither.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <random>

#include "mapping/color/numbers.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {
namespace {

constexpr int Size = static_cast<int>(shared::DitherSize);
constexpr int Count = Size * Size;
static_assert((Size & (Size - 1)) == 0 && Count % 256 == 0);

/// Points on a torus. Each position also has a crowdedness: the sum of the Gaussians around all points. The
/// sums are integers, so that every machine computes the same positions.
class PointField {
 public:
  PointField() {
    // The Gaussian exp(-d^2 / (2 sigma^2)) with sigma = 1.5, Ulichney's choice. It is computed as powers of
    // exp(-1 / 4.5), because products of doubles are the same on every machine, and exp() is not.
    constexpr double Fall = 0.80073740291680806;
    std::array<double, 2 * Reach * Reach + 1> powers{};
    powers[0] = 1;
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * Fall;
    for (int y = -Reach; y <= Reach; ++y) {
      for (int x = -Reach; x <= Reach; ++x) {
        kernel_[static_cast<std::size_t>((y + Reach) * Width + x + Reach)] =
            static_cast<int>(powers[static_cast<std::size_t>(x * x + y * y)] * (1 << 20) + 0.5);
      }
    }
  }

  [[nodiscard]] bool has(int place) const { return points_[static_cast<std::size_t>(place)]; }

  void flip(int place) {
    const bool added = !has(place);
    points_[static_cast<std::size_t>(place)] = added;
    for (int dy = -Reach; dy <= Reach; ++dy) {
      const int row = (place / Size + dy) & (Size - 1);
      for (int dx = -Reach; dx <= Reach; ++dx) {
        const int column = (place + dx) & (Size - 1);
        const int weight = kernel_[static_cast<std::size_t>((dy + Reach) * Width + dx + Reach)];
        crowd_[static_cast<std::size_t>(row * Size + column)] += added ? weight : -weight;
      }
    }
  }

  /// Returns the least crowded empty position; the first if several are equal.
  [[nodiscard]] int largest_void() const {
    return least([this](std::size_t place) { return points_[place] ? NotOne : crowd_[place]; });
  }
  /// Returns the most crowded point; the first if several are equal.
  [[nodiscard]] int tightest_cluster() const {
    return least([this](std::size_t place) { return points_[place] ? -crowd_[place] : NotOne; });
  }

 private:
  static constexpr int Reach = 7;  // beyond this distance, the Gaussian is below 2e-5
  static constexpr int Width = 2 * Reach + 1;
  static constexpr int NotOne = std::numeric_limits<int>::max();

  template <typename Measure>
  [[nodiscard]] static int least(const Measure& measure) {
    int best = 0;
    int lowest = measure(0);
    for (int place = 1; place < Count; ++place) {
      const int measured = measure(static_cast<std::size_t>(place));
      if (measured >= lowest) continue;
      best = place;
      lowest = measured;
    }
    return best;
  }

  std::array<int, Width * Width> kernel_{};
  std::array<bool, Count> points_{};
  std::array<int, Count> crowd_{};
};

/// A range of uniform light, from `first` on, for which the same form matches best.
struct Step {
  int first;
  int light;  ///< the form's own light, 4095 = 1
};

/// Goes through the levels of uniform light from 0 to 8191 and finds the form that matches each level best.
/// Returns a step for each form that is brighter than the forms of all earlier steps.
std::vector<Step> steps_of(const std::vector<std::vector<int>>& features, const std::vector<double>& means,
                           const std::vector<std::uint32_t>& compressed) {
  // A cell with uniform light, compressed to e, has the features e * g. The gain g is MeanFeatureGain for a
  // feature that is a mean, and 1 for all other features. The squared distance between a form's features f
  // and the cell's features is the sum of (f - e * g)^2 = f^2 - 2 * e * f * g + e^2 * g^2. The last term is
  // the same for all forms, so it is left out.
  struct Sums {
    std::int64_t square = 0;   ///< sum of f^2
    std::int64_t product = 0;  ///< sum of f * g
  };
  std::vector<Sums> sums;
  for (const std::vector<int>& form : features) {
    Sums& sum = sums.emplace_back();
    for (std::size_t i = 0; i < form.size(); ++i) {
      const bool mean = i % (shared::PooledCount + 1) == shared::PooledCount;
      sum.square += std::int64_t{form[i]} * form[i];
      sum.product += std::int64_t{form[i]} * (mean ? shared::MeanFeatureGain : 1);
    }
  }
  std::vector<Step> steps;
  for (int light = 0; light < static_cast<int>(compressed.size()); ++light) {
    const std::int64_t even = compressed[static_cast<std::size_t>(light)];
    std::size_t best = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t form = 0; form < sums.size(); ++form) {
      const std::int64_t distance = sums[form].square - 2 * even * sums[form].product;
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

std::vector<std::uint32_t> bayer_thresholds() {
  std::vector<std::uint32_t> thresholds;
  for (std::uint32_t y = 0; y < Size; ++y) {
    for (std::uint32_t x = 0; x < Size; ++x) {
      // Interleaves the bits of `x ^ y` with the bits of `y`. The lowest bits become the most significant.
      std::uint32_t threshold = 0;
      for (int bit = 0; bit < 4; ++bit) {
        threshold = threshold << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1);
      }
      thresholds.push_back(threshold);
    }
  }
  return thresholds;
}

namespace {

std::vector<std::uint32_t> make_blue_noise() {
  // Starts with points at a random tenth of the positions and then spreads them evenly: moves the point in
  // the tightest cluster to the largest void, until the point's old position is the largest void.
  PointField field;
  std::mt19937 random(1993);
  int points = 0;
  while (points < Count / 10) {
    const int place = static_cast<int>(random() % Count);
    if (field.has(place)) continue;
    field.flip(place);
    ++points;
  }
  for (;;) {
    const int cluster = field.tightest_cluster();
    field.flip(cluster);
    const int gap = field.largest_void();
    field.flip(gap);
    if (gap == cluster) break;
  }

  // Ranks these points by removing the point in the tightest cluster again and again: the first point removed
  // gets the highest of their ranks. Then ranks the other positions by filling the largest void again and
  // again, with rising ranks. Ulichney's third phase looks for clusters of empty positions instead of voids
  // between points. The order is the same, because the Gaussian sums around points and around empty positions
  // add up to the same constant everywhere.
  std::vector<int> rank(Count);
  PointField thinned = field;
  for (int next = points - 1; next >= 0; --next) {
    const int cluster = thinned.tightest_cluster();
    thinned.flip(cluster);
    rank[static_cast<std::size_t>(cluster)] = next;
  }
  for (int next = points; next < Count; ++next) {
    const int gap = field.largest_void();
    field.flip(gap);
    rank[static_cast<std::size_t>(gap)] = next;
  }
  std::vector<std::uint32_t> thresholds;
  for (const int r : rank) thresholds.push_back(static_cast<std::uint32_t>(r / (Count / 256)));
  return thresholds;
}

}  // namespace

const std::vector<std::uint32_t>& blue_noise_thresholds() {
  static const std::vector<std::uint32_t> Thresholds = make_blue_noise();
  return Thresholds;
}

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
      // Limits the spread so that cells at all positions select one of the two forms. A cell's moved light is
      // at most 7/8 of the spread away from bright.first: up to 1/2 because of `moved`, and up to 3/8 because
      // of the cell's position.
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
