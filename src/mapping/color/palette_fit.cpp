#include "mapping/color/palette_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mapping/color/mix_palette.h"
#include "mapping/color/oklab.h"

namespace glyphreel::mapping {
namespace {

constexpr int Iterations = 24;

/// All pixels whose colors share the upper bits of each component.
struct Swatch {
  std::uint32_t color = 0;  ///< mean of the pixels, 0xRRGGBB
  Oklab place{};
  double weight = 0;  ///< square root of the number of pixels
};

/// `bits`: the bits of 0xRRGGBB that the pixels of a swatch share.
std::vector<Swatch> swatches_of(std::span<const std::uint32_t> pixels, std::uint32_t bits) {
  struct Sums {
    std::uint64_t red = 0, green = 0, blue = 0, count = 0;
    [[nodiscard]] std::uint32_t mean() const {
      const auto rounded = [this](std::uint64_t sum) {
        return static_cast<std::uint32_t>((sum + count / 2) / count);
      };
      return rounded(red) << 16 | rounded(green) << 8 | rounded(blue);
    }
  };
  std::map<std::uint32_t, Sums> sums;  // ordered, so that the result depends only on the pixels
  for (const std::uint32_t pixel : pixels) {
    Sums& sum = sums[pixel & bits];
    sum.red += pixel >> 16 & 255;
    sum.green += pixel >> 8 & 255;
    sum.blue += pixel & 255;
    ++sum.count;
  }
  std::vector<Swatch> swatches;
  for (const auto& [key, sum] : sums) {
    const std::uint32_t color = sum.mean();
    swatches.push_back({color, oklab(color), std::sqrt(static_cast<double>(sum.count))});
  }
  return swatches;
}

/// Chooses up to `count` colors one by one: first the most frequent color, then repeatedly the color that is
/// farthest from all chosen colors, with distances weighted by frequency.
std::vector<Oklab> first_centers(const std::vector<Swatch>& swatches, std::size_t count) {
  std::vector<Oklab> centers;
  std::vector<double> distances(swatches.size(), 1);
  while (centers.size() < std::min(count, swatches.size())) {
    std::size_t farthest = 0;
    for (std::size_t i = 1; i < swatches.size(); ++i) {
      if (distances[i] * swatches[i].weight > distances[farthest] * swatches[farthest].weight) farthest = i;
    }
    const Oklab center = swatches[farthest].place;
    for (std::size_t i = 0; i < swatches.size(); ++i) {
      const double distance = square_distance(swatches[i].place, center);
      distances[i] = centers.empty() ? distance : std::min(distances[i], distance);
    }
    centers.push_back(center);
  }
  return centers;
}

std::size_t nearest(const std::vector<Oklab>& centers, const Oklab& place) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < centers.size(); ++i) {
    const double distance = square_distance(centers[i], place);
    if (distance >= least) continue;
    least = distance;
    best = i;
  }
  return best;
}

/// The swatches that are nearest to a center: the sum of their weights, and the weighted sums of their color
/// components.
struct Cluster {
  double weight = 0, lightness = 0, a = 0, b = 0, red = 0, green = 0, blue = 0;

  void add(const Swatch& swatch) {
    weight += swatch.weight;
    lightness += swatch.weight * swatch.place.lightness;
    a += swatch.weight * swatch.place.a;
    b += swatch.weight * swatch.place.b;
    red += swatch.weight * (swatch.color >> 16 & 255);
    green += swatch.weight * (swatch.color >> 8 & 255);
    blue += swatch.weight * (swatch.color & 255);
  }
  [[nodiscard]] Oklab center() const { return {lightness / weight, a / weight, b / weight}; }
  /// Returns the mean color, with its distance from the mean color of `all` multiplied by `factor`.
  [[nodiscard]] std::uint32_t color(const Cluster& all, double factor) const {
    const auto code = [&](double Cluster::*sum) {
      const double mean = all.*sum / all.weight;
      const double moved = mean + (this->*sum / weight - mean) * factor;
      return static_cast<std::uint32_t>(std::lround(std::clamp(moved, 0.0, 255.0)));
    };
    return code(&Cluster::red) << 16 | code(&Cluster::green) << 8 | code(&Cluster::blue);
  }
};

/// Returns the colors of the pixels, weighted by their frequency to the power of 0.7. The k-means step uses a
/// power of 0.5, which gives each rare hue a palette color, so here frequent colors can count more.
std::vector<WantedColor> wanted_colors(std::span<const std::uint32_t> pixels) {
  std::vector<WantedColor> wanted;
  for (const Swatch& swatch : swatches_of(pixels, 0xF0F0F0))
    wanted.push_back(
        {.light = light_of(swatch.color), .place = swatch.place, .weight = std::pow(swatch.weight, 1.4)});
  return wanted;
}

}  // namespace

std::vector<std::uint32_t> fit_palette(std::span<const std::uint32_t> pixels, std::size_t count) {
  const std::vector<Swatch> swatches = swatches_of(pixels, 0xF8F8F8);
  std::vector<Oklab> centers = first_centers(swatches, count);
  std::vector<Cluster> clusters;
  for (int i = 0; i < Iterations; ++i) {
    clusters.assign(centers.size(), {});
    for (const Swatch& swatch : swatches) clusters[nearest(centers, swatch.place)].add(swatch);
    for (std::size_t k = 0; k < centers.size(); ++k)
      if (clusters[k].weight > 0) centers[k] = clusters[k].center();
  }
  Cluster all;
  for (const Swatch& swatch : swatches) all.add(swatch);
  // Glyphs mix two palette colors, and mixes lie between them. So all cluster means are moved outward.
  const double factor = swatches.size() <= count ? 1 : 1 + 1 / std::sqrt(static_cast<double>(count));
  std::vector<std::uint32_t> palette;
  for (const Cluster& cluster : clusters)
    if (cluster.weight > 0) palette.push_back(cluster.color(all, factor));
  for (const std::uint32_t color : {0x000000u, 0xFFFFFFu})
    if (palette.size() < count && std::ranges::find(palette, color) == palette.end())
      palette.push_back(color);
  if (swatches.size() > count && count <= MaxMixPaletteColors)
    palette = fitted_to_mixes(palette, wanted_colors(pixels));
  std::ranges::sort(palette, {}, [](std::uint32_t color) { return oklab(color).lightness; });
  return palette;
}

}  // namespace glyphreel::mapping
