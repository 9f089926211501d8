#include "mapping/tables/mixes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/glyph_measures.h"
#include "mapping/tables/perceptual_tables.h"

namespace glyphreel::mapping {
namespace {

constexpr std::size_t Levels = shared::MixOne + 1;
constexpr int CoarseBits = 3;            // number of upper bits per channel that all colors of a cube share
constexpr std::size_t NearColors = 16;   // number of palette colors, nearest to a cube, that are paired
constexpr std::size_t Shortlisted = 10;  // number of color pairs kept per cube and contrast
constexpr int LevelReach = 3;            // levels tried on each side of a pair's best level
constexpr double ContrastPerSquare = 0.15;  // squared CIELAB distance of two grays one code value apart
/// Each table entry lists the best mix for cells of each of these contrasts, in code values.
constexpr std::array<double, shared::MixesPerColor> Contrasts = {0, 50, 100, 160};

struct Lab {
  float lightness, a, b;
};

/// CIELAB's cube root of light, from a table.
class LabCurve {
 public:
  LabCurve() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double light = static_cast<double>(i) / static_cast<double>(values_.size() - 1);
      values_[i] =
          static_cast<float>(light > 216.0 / 24389 ? std::cbrt(light) : (light * 24389 / 27 + 16) / 116);
    }
  }
  float operator()(float light) const {
    const float at = std::clamp(light, 0.0F, 1.0F) * static_cast<float>(values_.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), values_.size() - 2);
    return values_[below] + (values_[below + 1] - values_[below]) * (at - static_cast<float>(below));
  }

 private:
  std::array<float, 16385> values_{};
};

using Light = std::array<float, 3>;

Lab lab_of(const Light& light) {
  static const LabCurve curve;
  const auto [r, g, b] = light;
  const float x = curve((0.4124F * r + 0.3576F * g + 0.1805F * b) / 0.9505F);
  const float y = curve(0.2126F * r + 0.7152F * g + 0.0722F * b);
  const float z = curve((0.0193F * r + 0.1192F * g + 0.9505F * b) / 1.089F);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

Light light_of(std::uint32_t color) {
  const auto channel = [&](int shift) {
    return static_cast<float>(linear_from_code(static_cast<int>(color >> shift & 255))) / 65535.0F;
  };
  return {channel(16), channel(8), channel(0)};
}

/// Does the same as contrast_color() in mix.glsl, in floating point.
std::array<double, 3> contrast_color(std::uint32_t color) {
  const auto r = static_cast<double>(color >> 16 & 255);
  const auto g = static_cast<double>(color >> 8 & 255);
  const auto b = static_cast<double>(color & 255);
  const double luminance = std::sqrt((54 * r * r + 183 * g * g + 19 * b * b) / 256);
  const double luma = (2 * r + 4 * g + b) / 7;
  constexpr double Chroma = shared::scalar::MixChroma / 16.0;
  return {luminance + Chroma * (r - luma), luminance + Chroma * (g - luma), luminance + Chroma * (b - luma)};
}

/// Squared distances from a color as in CIE94, but with less weight for chroma and hue (MixMeanChroma):
/// neighboring cells compensate for errors in chroma and hue, whereas wrong lightness shows as false edges
/// between cells.
class DistanceFrom {
 public:
  explicit DistanceFrom(const Lab& from) : from_(from) {
    const float chroma = std::hypot(from.a, from.b);
    cos_ = chroma > 0 ? from.a / chroma : 1;
    sin_ = chroma > 0 ? from.b / chroma : 0;
    of_chroma_ = 1 / (1 + 0.045F * chroma);
    of_hue_ = 1 / (1 + 0.015F * chroma);
  }
  float operator()(const Lab& to) const {
    const float a = to.a - from_.a;
    const float b = to.b - from_.b;
    const float lightness = to.lightness - from_.lightness;
    const float chroma = of_chroma_ * (a * cos_ + b * sin_);
    const float hue = of_hue_ * (b * cos_ - a * sin_);
    constexpr float Weight = shared::scalar::MixMeanChroma / 16.0F;
    return lightness * lightness + Weight * (chroma * chroma + hue * hue);
  }

 private:
  Lab from_;
  float cos_, sin_, of_chroma_, of_hue_;
};

/// A share of a mix's first color, and the properties of the glyphs that have about this share.
struct Level {
  bool exists = false;
  std::uint32_t glyph = 0;
  bool swapped = false;  ///< the ink has the second color
  double squares = 0,
         products = 0;         ///< means of c^2 and c (1 - c) over all pixels; c: share of the first color
  double least = 1, most = 0;  ///< lowest and highest perceived contrast of these glyphs; at most 1/4
};

using LevelTable = std::array<Level, Levels>;

LevelTable levels_of(const GlyphTables& made) {
  LevelTable levels;
  const shared::MapParameters& p = made.parameters;
  const double all = 32.0 * p.sample_count;
  std::array<double, Levels> most{};
  for (std::uint32_t glyph = 0; glyph < p.forms.narrow; ++glyph) {
    const GlyphNumbers numbers = glyph_numbers(made, glyph);
    const double contrast = numbers.contrast / 8.0 / (1 << shared::PerceptualLog2);
    const double covered = numbers.pixel_sum / all;
    const double square = numbers.pixel_square / (32 * all);
    for (const bool swapped : {false, true}) {
      const double share = swapped ? 1 - covered : covered;
      const auto at = static_cast<std::size_t>(std::lround(share * shared::MixOne));
      most[at] = std::max(most[at], contrast);
      Level& level = levels[at];
      if (level.exists && level.least <= contrast) continue;
      const double squares = swapped ? 1 - 2 * covered + square : square;
      level = {.exists = true,
               .glyph = glyph,
               .swapped = swapped,
               .squares = squares,
               .products = share - squares,
               .least = contrast};
    }
  }
  LevelTable filled = levels;
  for (std::size_t at = 0; at < Levels; ++at) {
    for (std::size_t away = 0; !filled[at].exists && away < Levels; ++away) {
      if (at + away < Levels && levels[at + away].exists)
        filled[at] = levels[at + away];
      else if (at >= away && levels[at - away].exists)
        filled[at] = levels[at - away];
    }
    filled[at].exists = levels[at].exists;
    constexpr std::size_t Reach = 6;
    for (std::size_t other = at > Reach ? at - Reach : 0; other < std::min(Levels, at + Reach + 1); ++other) {
      filled[at].most = std::max(filled[at].most, most[other]);
    }
  }
  return filled;
}

/// A mix of two palette colors.
struct PairLevel {
  std::uint16_t first, second;
  std::uint8_t level;
  float distance;
};

class MixTable {
 public:
  MixTable(const std::vector<std::uint32_t>& palette, std::size_t first, const LevelTable& levels)
      : palette_(palette), begin_(first), levels_(levels) {
    for (std::size_t at = 0; at < Levels; ++at) {
      if (levels[at].exists) existing_.push_back(at);
    }
    for (const std::uint32_t color : palette) {
      lights_.push_back(light_of(color));
      labs_.push_back(lab_of(lights_.back()));
      contrast_colors_.push_back(contrast_color(color));
    }
  }

  std::vector<std::uint32_t> build() {
    std::vector<std::uint32_t> words((std::size_t{1} << 15) * shared::MixesPerColor);
    for (std::uint32_t red = 0; red < 1 << CoarseBits; ++red) {
      for (std::uint32_t green = 0; green < 1 << CoarseBits; ++green) {
        for (std::uint32_t blue = 0; blue < 1 << CoarseBits; ++blue) fill_cube({red, green, blue}, words);
      }
    }
    return words;
  }

 private:
  using Cube = std::array<std::uint32_t, 3>;

  const std::vector<Lab>& mixes_of(std::size_t first, std::size_t second) {
    std::vector<Lab>& mixes = mixes_[first * palette_.size() + second];
    if (!mixes.empty()) return mixes;
    for (const std::size_t at : existing_) {
      const Level& level = levels_[at];
      const auto squares = static_cast<float>(level.squares);
      const auto products = static_cast<float>(level.products);
      Light light{};
      for (std::size_t c = 0; c < 3; ++c) {
        const float f = lights_[first][c];
        const float b = lights_[second][c];
        light[c] = f * squares + 2 * std::sqrt(f * b) * products + b * (1 - squares - 2 * products);
      }
      mixes.push_back(lab_of(light));
    }
    return mixes;
  }

  /// Returns the cost of a pair's contrast if the cell's own contrast is `wanted` code values. Computed as in
  /// mix.glsl, but without the factor MixFollowed.
  float contrast_cost(std::size_t first, std::size_t second, const Level& level, double wanted) const {
    constexpr std::array<double, 3> Weights = {2.0 / 7, 4.0 / 7, 1.0 / 7};
    double square = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double away = contrast_colors_[first][c] - contrast_colors_[second][c];
      square += Weights[c] * away * away;
    }
    const double cost =
        std::min(level.least * square, level.most * (square - 2 * wanted * std::sqrt(square)));
    return static_cast<float>(ContrastPerSquare * cost);
  }

  std::vector<std::size_t> near_colors(const DistanceFrom& distance) const {
    std::vector<std::size_t> near;
    for (std::size_t i = begin_; i < palette_.size(); ++i) near.push_back(i);
    if (near.size() > NearColors) {
      std::ranges::partial_sort(near, near.begin() + NearColors, {},
                                [&](std::size_t i) { return distance(labs_[i]); });
      near.resize(NearColors);
    }
    return near;
  }

  void fill_cube(const Cube& cube, std::vector<std::uint32_t>& words) {
    constexpr int Rest = 5 - CoarseBits;
    std::uint32_t center = 0;
    for (const std::uint32_t component : cube)
      center = center << 8 | (component << (8 - CoarseBits) | 1u << (7 - CoarseBits));
    const DistanceFrom distance(lab_of(light_of(center)));
    const std::vector<std::size_t> near = near_colors(distance);
    std::vector<PairLevel> pairs;
    for (std::size_t i = 0; i < near.size(); ++i) {
      for (std::size_t j = i; j < near.size(); ++j) {
        const std::vector<Lab>& mixes = mixes_of(near[i], near[j]);
        PairLevel best{static_cast<std::uint16_t>(near[i]), static_cast<std::uint16_t>(near[j]), 0,
                       std::numeric_limits<float>::max()};
        for (std::size_t k = 0; k < mixes.size(); ++k) {
          const float at = distance(mixes[k]);
          if (at < best.distance) best.distance = at, best.level = static_cast<std::uint8_t>(k);
        }
        pairs.push_back(best);
      }
    }
    const std::vector<PairLevel> kept = shortlist(pairs);
    for (std::uint32_t part = 0; part < 1u << (3 * Rest); ++part) {
      std::uint32_t key = 0;
      std::uint32_t color = 0;
      for (int c = 0; c < 3; ++c) {
        const std::uint32_t bits =
            cube[static_cast<std::size_t>(c)] << Rest | (part >> (Rest * (2 - c)) & ((1u << Rest) - 1));
        key = key << 5 | bits;
        color = color << 8 | (bits << 3 | bits >> 2);
      }
      fill_key(DistanceFrom(lab_of(light_of(color))), kept, &words[key * shared::MixesPerColor]);
    }
  }

  std::vector<PairLevel> shortlist(const std::vector<PairLevel>& pairs) const {
    std::vector<PairLevel> kept;
    std::vector<bool> chosen(pairs.size(), false);
    std::vector<std::pair<float, std::size_t>> ranked(pairs.size());
    for (const double wanted : Contrasts) {
      for (std::size_t i = 0; i < pairs.size(); ++i) ranked[i] = {cost_of(pairs[i], wanted), i};
      const std::size_t count = std::min(Shortlisted, ranked.size());
      std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
      for (std::size_t k = 0; k < count; ++k) {
        if (!chosen[ranked[k].second]) kept.push_back(pairs[ranked[k].second]);
        chosen[ranked[k].second] = true;
      }
    }
    return kept;
  }

  float cost_of(const PairLevel& pair, double wanted) const {
    // Converts MixMeanWeight to the units used here. In mix.glsl, a distance of d / 4 CIELAB units costs
    // MixMeanWeight * d^2, and contrasts cost 1024 * 7/8 / ContrastPerSquare times as much as in this file's
    // contrast_cost().
    constexpr auto MeanWeight =
        static_cast<float>(16.0 * shared::scalar::MixMeanWeight * ContrastPerSquare / (1024 * 7.0 / 8));
    return MeanWeight * pair.distance +
           contrast_cost(pair.first, pair.second, levels_[existing_[pair.level]], wanted);
  }

  void fill_key(const DistanceFrom& distance, const std::vector<PairLevel>& kept, std::uint32_t* words) {
    std::array<float, Contrasts.size()> least{};
    least.fill(std::numeric_limits<float>::max());
    for (PairLevel pair : kept) {
      const std::vector<Lab>& mixes = mixes_of(pair.first, pair.second);
      const int middle = pair.level;
      pair.distance = std::numeric_limits<float>::max();
      for (int k = std::max(0, middle - LevelReach);
           k <= std::min(static_cast<int>(mixes.size()) - 1, middle + LevelReach); ++k) {
        const float at = distance(mixes[static_cast<std::size_t>(k)]);
        if (at < pair.distance) pair.distance = at, pair.level = static_cast<std::uint8_t>(k);
      }
      for (std::size_t slot = 0; slot < Contrasts.size(); ++slot) {
        const float cost = cost_of(pair, Contrasts[slot]);
        if (cost >= least[slot]) continue;
        least[slot] = cost;
        const std::uint32_t off = std::min(511u, rounded_word(8 * std::sqrt(pair.distance)));
        words[slot] = pair.first | pair.second << 8u |
                      static_cast<std::uint32_t>(existing_[pair.level]) << 16 | off << 23;
      }
    }
  }

  const std::vector<std::uint32_t>& palette_;
  const std::size_t begin_;
  const LevelTable& levels_;
  std::vector<std::size_t> existing_;
  std::vector<Light> lights_;
  std::vector<Lab> labs_;
  std::vector<std::array<double, 3>> contrast_colors_;
  std::unordered_map<std::size_t, std::vector<Lab>> mixes_;  ///< per pair: its mix at each existing_ level
};

}  // namespace

void add_mixes(const std::vector<std::uint32_t>& palette, std::size_t first, double longest,
               GlyphTables& made) {
  shared::MapParameters& p = made.parameters;
  TableWriter tables(made.words);
  const LevelTable levels = levels_of(made);
  std::vector<std::uint32_t> level_words;
  const auto contrast = [](double c) { return std::min(255u, rounded_word(c * 1024)); };
  for (const Level& level : levels) {
    level_words.push_back(level.glyph | (level.swapped ? 0x8000u : 0) | contrast(level.least) << 16 |
                          contrast(level.most) << 24);
  }
  std::vector<std::uint32_t> forms;
  for (std::uint32_t glyph = 0; glyph < p.forms.narrow; ++glyph) {
    const GlyphNumbers numbers = glyph_numbers(made, glyph);
    const double deviation = std::sqrt(numbers.contrast / 8.0 / (1 << shared::PerceptualLog2));
    const double covered = numbers.pixel_sum / (32.0 * p.sample_count);
    forms.push_back(rounded_word(deviation * 1024) | rounded_word(covered * shared::MixOne) << 10);
  }
  std::vector<std::uint32_t> roots;
  for (int i = 0; i < 4096; ++i)
    roots.push_back(std::min(255u, rounded_word(i == 0 ? 0 : std::sqrt(16.0 * i + 8))));
  p.mix.levels_at = tables.add(level_words);
  p.mix.forms_at = tables.add(forms);
  p.light.root_at = tables.add(roots);
  p.mix.scale = rounded_word(1024 / longest);
  p.mix.mixes_at = tables.add(MixTable(palette, first, levels).build());
}

}  // namespace glyphreel::mapping
