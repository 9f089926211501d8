#include "mapping/color/mix_palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mapping/color/numbers.h"

namespace glyphreel::mapping {
namespace {

constexpr int Rounds = 12;
constexpr int Sweeps = 4;  // Gauss-Seidel sweeps in each round
/// The shares that a mix's first color may have: the ink coverages of common glyphs.
constexpr std::array<double, 5> Shares = {0.1, 0.2, 0.3, 0.4, 0.5};
/// Cost of a mix that is half one color and half the other, relative to the squared Oklab distance between
/// the two colors.
constexpr double ContrastCost = 0.05;
/// Weight of a color's old value in LeastSquaresFit::improve(), relative to the mean of the diagonal of
/// LeastSquaresFit::products.
constexpr double Inertia = 0.05;

struct Mix {
  std::size_t first = 0, second = 0;
  double share = 0;  ///< how much of the mix is `first`; 1 = all
  Oklab place{};
  double cost = 0;  ///< cost of the contrast between the two colors
};

LinearRgb blended(const LinearRgb& a, const LinearRgb& b, double share) {
  return {std::lerp(b.red, a.red, share), std::lerp(b.green, a.green, share),
          std::lerp(b.blue, a.blue, share)};
}

std::vector<Mix> mixes_of(const std::vector<LinearRgb>& lights) {
  std::vector<Oklab> places;
  for (const LinearRgb& light : lights) places.push_back(oklab(light));
  std::vector<Mix> mixes;
  for (std::size_t first = 0; first < lights.size(); ++first) {
    mixes.push_back({.first = first, .second = first, .share = 1, .place = places[first]});
    for (std::size_t second = 0; second < lights.size(); ++second) {
      if (first == second) continue;
      const double contrast = square_distance(places[first], places[second]);
      for (const double share : Shares)
        mixes.push_back({.first = first,
                         .second = second,
                         .share = share,
                         .place = oklab(blended(lights[first], lights[second], share)),
                         .cost = ContrastCost * contrast * 4 * share * (1 - share)});
    }
  }
  return mixes;
}

/// The least-squares problem for the palette colors, given a mix for each wanted color.
struct LeastSquaresFit {
  explicit LeastSquaresFit(std::size_t colors) : size(colors), products(colors * colors), sums(colors) {}

  std::size_t size;
  std::vector<double> products;  ///< [i * size + j]: weighted sum, over mixes, of i's share * j's share
  std::vector<LinearRgb> sums;   ///< [i]: weighted sum, over mixes, of i's share * the wanted light
  double cost = 0;

  void add(const WantedColor& wanted, const Mix& mix) {
    // Eyes see relative differences of light, so the squared errors of dark colors count more: in
    // proportion to the squared derivative of the cube root.
    const double luminance =
        0.2126 * wanted.light.red + 0.7152 * wanted.light.green + 0.0722 * wanted.light.blue;
    const double weight = wanted.weight / std::pow(luminance + 0.01, 4.0 / 3);
    const std::array<std::pair<std::size_t, double>, 2> parts = {
        {{mix.first, mix.share}, {mix.second, 1 - mix.share}}};
    for (const auto& [i, share] : parts) {
      for (const auto& [j, other] : parts) products[i * size + j] += weight * share * other;
      sums[i].red += weight * share * wanted.light.red;
      sums[i].green += weight * share * wanted.light.green;
      sums[i].blue += weight * share * wanted.light.blue;
    }
    cost += wanted.weight * (square_distance(mix.place, wanted.place) + mix.cost);
  }

  /// Changes one color after the other to the value with the smallest squared error, while the other colors
  /// stay fixed (Gauss-Seidel).
  void improve(std::vector<LinearRgb>& lights) const {
    double trace = 0;
    for (std::size_t i = 0; i < size; ++i) trace += products[i * size + i];
    const double inertia = Inertia * trace / static_cast<double>(size);
    const std::vector<LinearRgb> old = lights;
    for (int sweep = 0; sweep < Sweeps; ++sweep) {
      for (std::size_t i = 0; i < size; ++i) {
        const auto solve = [&](double LinearRgb::*channel) {
          double sum = sums[i].*channel + inertia * (old[i].*channel);
          for (std::size_t j = 0; j < size; ++j)
            if (j != i) sum -= products[i * size + j] * (lights[j].*channel);
          return std::clamp(sum / (products[i * size + i] + inertia), 0.0, 1.0);
        };
        lights[i] = {solve(&LinearRgb::red), solve(&LinearRgb::green), solve(&LinearRgb::blue)};
      }
    }
  }
};

LeastSquaresFit best_fit(const std::vector<LinearRgb>& lights, std::span<const WantedColor> wanted) {
  const std::vector<Mix> mixes = mixes_of(lights);
  LeastSquaresFit fit(lights.size());
  for (const WantedColor& color : wanted) {
    const Mix* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Mix& mix : mixes) {
      const double cost = square_distance(mix.place, color.place) + mix.cost;
      if (cost >= least) continue;
      least = cost;
      best = &mix;
    }
    fit.add(color, *best);
  }
  return fit;
}

std::uint32_t packed(const LinearRgb& light) {
  const auto code = [](double value) {
    return static_cast<std::uint32_t>(std::lround(255 * srgb_signal(value)));
  };
  return code(light.red) << 16 | code(light.green) << 8 | code(light.blue);
}

}  // namespace

std::vector<std::uint32_t> fitted_to_mixes(std::span<const std::uint32_t> palette,
                                           std::span<const WantedColor> wanted) {
  std::vector<LinearRgb> lights;
  for (const std::uint32_t color : palette) lights.push_back(light_of(color));
  std::vector<LinearRgb> best = lights;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= Rounds; ++round) {
    const LeastSquaresFit fit = best_fit(lights, wanted);
    if (fit.cost < least) {
      least = fit.cost;
      best = lights;
    }
    fit.improve(lights);
  }
  std::vector<std::uint32_t> fitted;
  for (const LinearRgb& light : best) fitted.push_back(packed(light));
  return fitted;
}

}  // namespace glyphreel::mapping
