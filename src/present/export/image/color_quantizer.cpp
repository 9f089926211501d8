#include "present/export/image/color_quantizer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

namespace glyphreel::present {
namespace {

// Colors that share this many upper bits of each component form a group.
constexpr int GroupBits = 6;
constexpr std::size_t GroupCount = std::size_t{1} << (3 * GroupBits);
constexpr int Rounds = 4;  // of k-means

using Components = std::array<std::int64_t, 3>;
constexpr Components Weights{3, 6, 1};  // approximately the eye's sensitivity to red, green and blue

std::size_t group_of(std::uint32_t color) {
  constexpr std::uint32_t Mask = (1u << GroupBits) - 1;
  return (color >> (24 - GroupBits) & Mask) << (2 * GroupBits) |
         (color >> (16 - GroupBits) & Mask) << GroupBits | (color >> (8 - GroupBits) & Mask);
}

Components components_of(std::uint32_t color) {
  return {color >> 16 & 255, color >> 8 & 255, color & 255};
}

std::int64_t distance(const Components& a, const Components& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += Weights[i] * (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// A group's mean color.
struct Sample {
  Components color;
  std::int64_t pixels;
};

std::vector<Sample> samples_of(const ColorCounts& counts) {
  std::vector<Sample> samples;
  for (const ColorCounts::Group& group : counts.groups()) {
    const auto mean = [&](std::uint64_t sum) {
      return static_cast<std::int64_t>((sum + group.pixels / 2) / group.pixels);
    };
    samples.push_back(
        {{mean(group.red), mean(group.green), mean(group.blue)}, static_cast<std::int64_t>(group.pixels)});
  }
  return samples;
}

/// A range of samples, and the component in which they differ most.
struct Box {
  std::size_t first = 0, last = 0;
  std::int64_t spread = 0;  ///< weighted sum of squared differences from the mean in `axis`
  std::size_t axis = 0;
  std::int64_t mean = 0;  ///< in `axis`
};

Box make_box(const std::vector<Sample>& samples, std::size_t first, std::size_t last) {
  Box box{.first = first, .last = last};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::int64_t pixels = 0, sum = 0, squares = 0;
    for (std::size_t i = first; i < last; ++i) {
      const std::int64_t value = samples[i].color[axis];
      pixels += samples[i].pixels;
      sum += samples[i].pixels * value;
      squares += samples[i].pixels * value * value;
    }
    if (pixels == 0) continue;
    const std::int64_t spread = Weights[axis] * (squares - sum / pixels * sum - sum % pixels * sum / pixels);
    if (axis == 0 || spread > box.spread) box = {first, last, spread, axis, sum / pixels};
  }
  return box;
}

std::vector<Components> split(std::vector<Sample>& samples, std::size_t size) {
  std::vector<Box> boxes{make_box(samples, 0, samples.size())};
  while (boxes.size() < size) {
    const auto widest = std::ranges::max_element(boxes, {}, &Box::spread);
    if (widest->spread <= 0) break;
    const Box box = *widest;
    const auto begin = samples.begin();
    const auto middle = std::stable_partition(
        begin + static_cast<std::ptrdiff_t>(box.first), begin + static_cast<std::ptrdiff_t>(box.last),
        [&](const Sample& sample) { return sample.color[box.axis] <= box.mean; });
    const auto at = static_cast<std::size_t>(middle - begin);
    if (at == box.first || at == box.last) {  // the spread is only a rounding error
      widest->spread = 0;
      continue;
    }
    *widest = make_box(samples, box.first, at);
    boxes.push_back(make_box(samples, at, box.last));
  }
  std::vector<Components> colors;
  for (const Box& box : boxes) {
    Components sum{};
    std::int64_t pixels = 0;
    for (std::size_t i = box.first; i < box.last; ++i) {
      pixels += samples[i].pixels;
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += samples[i].pixels * samples[i].color[axis];
    }
    for (std::int64_t& value : sum) value = (value + pixels / 2) / pixels;
    colors.push_back(sum);
  }
  return colors;
}

std::size_t nearest(const std::vector<Components>& colors, const Components& color) {
  std::size_t best = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const std::int64_t away = distance(colors[i], color);
    if (away < least) {
      least = away;
      best = i;
    }
  }
  return best;
}

void improve(std::vector<Components>& colors, const std::vector<Sample>& samples) {
  for (int round = 0; round < Rounds; ++round) {
    std::vector<Components> sums(colors.size(), Components{});
    std::vector<std::int64_t> pixels(colors.size(), 0);
    for (const Sample& sample : samples) {
      const std::size_t owner = nearest(colors, sample.color);
      pixels[owner] += sample.pixels;
      for (std::size_t axis = 0; axis < 3; ++axis) sums[owner][axis] += sample.pixels * sample.color[axis];
    }
    for (std::size_t i = 0; i < colors.size(); ++i) {
      if (pixels[i] == 0) continue;
      for (std::size_t axis = 0; axis < 3; ++axis)
        colors[i][axis] = (sums[i][axis] + pixels[i] / 2) / pixels[i];
    }
  }
}

}  // namespace

void ColorCounts::add(std::uint32_t color, std::uint32_t pixels) {
  if (pixels == 0) return;
  color &= 0xFFFFFF;
  if (exact_.size() <= MaxExact) exact_[color] += pixels;
  if (groups_.empty()) groups_.resize(GroupCount);
  const std::size_t at = group_of(color);
  Group& group = groups_[at];
  if (group.pixels == 0) used_.push_back(static_cast<std::uint32_t>(at));
  group.pixels += pixels;
  group.red += std::uint64_t{pixels} * (color >> 16);
  group.green += std::uint64_t{pixels} * (color >> 8 & 255);
  group.blue += std::uint64_t{pixels} * (color & 255);
}

void ColorCounts::clear() {
  exact_.clear();
  for (const std::uint32_t at : used_) groups_[at] = {};
  used_.clear();
}

std::vector<std::uint32_t> ColorCounts::colors() const {
  std::vector<std::uint32_t> colors;
  for (const auto& [color, pixels] : exact_) colors.push_back(color);
  std::ranges::sort(colors);
  return colors;
}

std::vector<ColorCounts::Group> ColorCounts::groups() const {
  std::vector<std::uint32_t> order = used_;
  std::ranges::sort(order);
  std::vector<Group> groups;
  for (const std::uint32_t at : order) groups.push_back(groups_[at]);
  return groups;
}

std::vector<std::uint32_t> quantize(const ColorCounts& counts, std::size_t size) {
  if (counts.distinct() <= std::min(size, ColorCounts::MaxExact)) return counts.colors();
  std::vector<Sample> samples = samples_of(counts);
  std::vector<Components> colors = split(samples, size);
  improve(colors, samples);
  std::vector<std::uint32_t> palette;
  for (const Components& color : colors) {
    palette.push_back(static_cast<std::uint32_t>(color[0] << 16 | color[1] << 8 | color[2]));
  }
  std::ranges::sort(palette);
  palette.erase(std::unique(palette.begin(), palette.end()), palette.end());
  return palette;
}

double color_distance(std::uint32_t a, std::uint32_t b) {
  return static_cast<double>(distance(components_of(a), components_of(b)));
}

double detail_difference(std::uint32_t a, std::uint32_t b) {
  // With these weights, the files of three test clips were smallest at equal fidelity.
  constexpr double LumaWeight = 14, ColorWeight = 0.3;
  constexpr Components Luma{2, 5, 1};
  const Components from = components_of(a), to = components_of(b);
  std::int64_t luma = 0;
  for (std::size_t i = 0; i < 3; ++i) luma += Luma[i] * (from[i] - to[i]);
  const double change = static_cast<double>(luma) / 8;
  return LumaWeight * change * change + ColorWeight * color_distance(a, b);
}

std::vector<std::vector<std::uint8_t>> similar_colors(std::span<const std::uint32_t> palette,
                                                      double distance) {
  constexpr std::size_t MaxSimilar = 3;
  std::vector<std::vector<std::uint8_t>> similar(palette.size());
  for (std::size_t i = 0; i < palette.size(); ++i) {
    std::vector<std::pair<double, std::uint8_t>> near;
    for (std::size_t k = 0; k < palette.size(); ++k) {
      const double away = color_distance(palette[i], palette[k]);
      if (k != i && away <= distance) near.emplace_back(away, static_cast<std::uint8_t>(k));
    }
    std::ranges::sort(near);
    near.resize(std::min(near.size(), MaxSimilar));
    for (const auto& [away, other] : near) similar[i].push_back(other);
  }
  return similar;
}

NearestColor::NearestColor(std::vector<std::uint32_t> palette) : palette_(std::move(palette)) {
  for (std::size_t i = 0; i < palette_.size(); ++i) exact_.emplace(palette_[i], static_cast<int>(i));
}

int NearestColor::index(std::uint32_t color) {
  color &= 0xFFFFFF;
  if (const auto found = exact_.find(color); found != exact_.end()) return found->second;
  if (nearest_.empty()) nearest_.assign(GroupCount, -1);
  std::int16_t& known = nearest_[group_of(color)];
  if (known < 0) {
    // The middle of the group, so that the result does not depend on which of its colors comes first.
    const Components middle = components_of((color & 0xFCFCFC) | 0x020202);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < palette_.size(); ++i) {
      const std::int64_t away = distance(components_of(palette_[i]), middle);
      if (away >= least) continue;
      least = away;
      known = static_cast<std::int16_t>(i);
    }
  }
  return known;
}

PaletteError NearestColor::error(const ColorCounts& counts) {
  std::int64_t sum = 0;
  std::int64_t pixels = 0;
  std::int64_t largest = 0;
  for (const Sample& sample : samples_of(counts)) {
    const auto color =
        static_cast<std::uint32_t>(sample.color[0] << 16 | sample.color[1] << 8 | sample.color[2]);
    const auto found = static_cast<std::size_t>(index(color));
    const std::int64_t away = distance(components_of(palette_[found]), sample.color);
    sum += sample.pixels * away;
    pixels += sample.pixels;
    largest = std::max(largest, away);
  }
  if (pixels == 0) return {};
  return {static_cast<double>(sum) / static_cast<double>(pixels), static_cast<double>(largest)};
}

}  // namespace glyphreel::present
