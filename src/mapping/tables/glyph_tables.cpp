#include "mapping/tables/glyph_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "mapping/tables/dither.h"
#include "mapping/tables/edge_glyphs.h"
#include "mapping/tables/glyph_measures.h"
#include "mapping/tables/mixes.h"
#include "mapping/tables/palette.h"
#include "mapping/tables/perceptual_tables.h"
#include "mapping/tables/ramp.h"
#include "mapping/tables/table_writer.h"

namespace glyphreel::mapping {
namespace {

// Color modes mono and fg: sigma of the low-pass inside a cell, in cell heights.
constexpr double PoolSigma = 0.7 / 16;
// Color mode mono: light is compared after it is raised to this power, which is between the exponents of
// linear light (1) and L* (1/3).
constexpr double LightExponent = 0.7;
// Color mode fg: white is this fraction of the brightest glyph's light. The rest is headroom for saturated
// colors.
constexpr double InkShare = 0.8;
// The result of compressed() for relative light 1.
constexpr double LightOne = 2047;
// Color modes mono and fg: the value of SurroundParameters::contrast; 2 doubles the contrast.
constexpr std::uint32_t LocalContrast = 5;
// A cell is flat if its variance, summed over channels, is below this; 16 = one squared code value.
constexpr std::uint32_t FlatThreshold = 16;
// Replaces FlatThreshold if mixes of a coarse palette are used: the contrast between a mix's two colors hides
// more detail.
constexpr std::uint32_t MixedFlatThreshold = 16 * 16;
constexpr double MaxContrast = 50;  // difference in lightness (CIE L*) for --legibility 1

using Vector = std::vector<double>;

/// Returns PooledCount rows of weights over a cell's samples. The cell is divided into eight regions, two
/// across and four down. Each row of weights averages the samples in and around one region, with Gaussian
/// falloff.
std::vector<Vector> pooling_matrix(GridSize samples, CellSize cell) {
  std::vector<Vector> matrix;
  const double sigma = PoolSigma * cell.height;
  for (int py = 0; py < 4; ++py) {
    for (int px = 0; px < 2; ++px) {
      Vector row;
      double sum = 0;
      for (int sy = 0; sy < samples.rows; ++sy) {
        for (int sx = 0; sx < samples.columns; ++sx) {
          const double dx = (sx + 0.5) * cell.width / samples.columns - (px + 0.5) * cell.width / 2;
          const double dy = (sy + 0.5) * cell.height / samples.rows - (py + 0.5) * cell.height / 4;
          // Distances within the pooled region count as 0: each pooled number is a box average, widened by
          // the low-pass.
          const double ox = std::max(0.0, std::abs(dx) - cell.width / 4.0);
          const double oy = std::max(0.0, std::abs(dy) - cell.height / 8.0);
          row.push_back(std::exp(-(ox * ox + oy * oy) / (2 * sigma * sigma)));
          sum += row.back();
        }
      }
      for (double& weight : row) weight /= sum;
      matrix.push_back(std::move(row));
    }
  }
  return matrix;
}

/// Returns a form's light, pooled by the matrix `pool`.
Vector pooled(const std::vector<Vector>& pool, const Vector& form) {
  Vector sums;
  for (const Vector& row : pool) {
    sums.push_back(std::inner_product(row.begin(), row.end(), form.begin(), 0.0));
  }
  return sums;
}

double mean_of(const Vector& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double lightness(double code) {
  const double light = linear_from_code(std::clamp(static_cast<int>(std::lround(code)), 0, 255)) / 65535.0;
  return light > 216.0 / 24389 ? 116 * std::cbrt(light) - 16 : light * 24389 / 27;
}

/// Returns a table indexed by the mean luma of a cell: the smallest difference in code values with which two
/// grays differ by at least `wanted` in lightness (CIE L*), whichever of the two covers most of the cell.
std::vector<std::uint32_t> contrast_table(double wanted) {
  std::vector<std::uint32_t> words;
  for (int mean = 0; mean < 256; ++mean) {
    const auto differs = [&](int difference, double below) {
      const double lower = std::clamp(mean - difference * below, 0.0, 255.0 - difference);
      return lightness(lower + difference) - lightness(lower) >= wanted;
    };
    int difference = 0;
    while (difference < 255 && !(differs(difference, 0.1) && differs(difference, 0.9))) ++difference;
    words.push_back(static_cast<std::uint32_t>(difference));
  }
  return words;
}

/// Returns relative light after perceptual compression (light.glsl).
double compressed(double light) {
  return LightOne * std::pow(std::max(0.0, light), LightExponent);
}

/// Returns the table at LightTables::compress_at.
const std::vector<std::uint32_t>& compress_table() {
  static const std::vector<std::uint32_t> Table = [] {
    std::vector<std::uint32_t> table;
    for (int light = 0; light < 8192; ++light) table.push_back(rounded_word(compressed(light / 4095.0)));
    return table;
  }();
  return Table;
}

/// Fills GlyphTables. Each function sets the members of MapParameters that its name or comment lists.
class TableBuilder {
 public:
  TableBuilder(const text::GlyphSet& glyphs, const Parameters& parameters, GridSize samples)
      : glyphs_(glyphs), parameters_(parameters), samples_(samples) {}

  Result<GlyphTables> build() {
    TRY_ASSIGN(const Ramp ramp, make_ramp(glyphs_, parameters_));
    set_constants();
    p_.forms.wide_ramp = ramp.wide ? 1 : 0;
    switch (parameters_.color) {
      case Color::Mono:
        add_forms_of_mono();
        break;
      case Color::Fg:
        add_forms_of_fg();
        break;
      case Color::Full:
        longest_ = add_perceptual_tables(glyphs_, samples_, p_, tables_);
        break;
    }
    add_ink();
    std::vector<std::uint32_t> linear;
    for (int code = 0; code < 256; ++code) linear.push_back(linear_from_code(code));
    p_.light.linear_at = tables_.add(linear);
    p_.light.encode_at = tables_.add(encode_table());
    p_.ramp.entries_at = tables_.add(ramp.entries);
    p_.ramp.tones_at = tables_.add(ramp.tones);
    p_.glow_at = tables_.add(glow_table(glyphs_));
    if (parameters_.dither != Dither::None) {
      p_.dither.thresholds_at = parameters_.dither == Dither::Bayer ? tables_.add(bayer_thresholds())
                                                                    : tables_.add(blue_noise_thresholds());
    }
    if (!parameters_.palette.empty()) add_palette();
    if (p_.legibility.contrast != 0) {
      p_.legibility.differences_at = tables_.add(contrast_table(legibility_ * MaxContrast));
      if (!ramp.wide) add_flat_glyphs();
    }
    set_mode(ramp);
    return std::move(made_);
  }

 private:
  void set_constants() {
    const bool full = parameters_.color == Color::Full;
    const bool exact = !parameters_.thresholds.empty() || parameters_.sampling == Sampling::Corner;
    tables_.add({0});  // offset 0 means: no such table
    p_.sample_count = static_cast<std::uint32_t>(samples_.cells());
    p_.samples_x = static_cast<std::uint32_t>(samples_.columns);
    p_.forms.narrow = static_cast<std::uint32_t>(glyphs_.narrow_count());
    p_.forms.reversed_from = p_.forms.narrow;
    p_.forms.wide_from = p_.forms.narrow;
    p_.forms.wide_count = (static_cast<std::uint32_t>(glyphs_.size()) - p_.forms.narrow) / 2;
    p_.forms.wide = p_.forms.wide_count;
    p_.mode = parameters_.mode;
    p_.color = static_cast<std::uint32_t>(parameters_.color);
    p_.foreground = 0xFF000000u | parameters_.foreground;
    p_.background = 0xFF000000u | parameters_.background;
    p_.blank_glyph = static_cast<std::uint32_t>(std::max(0, glyphs_.blank()));
    legibility_ = full ? std::clamp(parameters_.legibility.value_or(default_legibility()), 0.0, 1.0) : 0;
    p_.legibility.contrast = rounded_word(legibility_ * 128);
    p_.flat_threshold = FlatThreshold;
    p_.history.stability = exact ? 0 : rounded_word(std::clamp(parameters_.stability, 0.0, 1.0) * 256);
    p_.levels.automatic = full || exact || parameters_.auto_levels == AutoLevels::Off ? 0 : 1;
    p_.levels.rate = 65535;
    p_.levels.gain = 4096;
    p_.dither.kind = parameters_.dither == Dither::None ? 0 : 1;
  }

  /// Returns the legibility to use for these glyphs if Parameters::legibility is empty.
  double default_legibility() const {
    const auto is_mosaic =
        [](char32_t c) {  // Block Elements, Braille Patterns, Symbols for Legacy Computing and its Supplement
          return (c >= 0x2580 && c <= 0x259F) || (c >= 0x2800 && c <= 0x28FF) ||
                 (c >= 0x1CC00 && c <= 0x1CEBF) || (c >= 0x1FB00 && c <= 0x1FBFF);
        };
    const bool is_text = !glyphs_.has_wide() && std::ranges::none_of(glyphs_.code_points(), is_mosaic);
    return is_text && parameters_.palette.empty() && parameters_.thresholds.empty() ? DefaultLegibility : 0;
  }

  /// Sets the parameters that depend on the mode. Must be called after the forms have been added.
  void set_mode(const Ramp& ramp) {
    const bool full = parameters_.color == Color::Full;
    const std::uint32_t local_contrast = full || samples_.cells() < 2 ? 0 : LocalContrast;
    switch (parameters_.mode) {
      case Mode::Ramp:
        if (!ramp.wide) p_.forms.wide = 0;
        break;
      case Mode::Shape:
        p_.surround.contrast = local_contrast;
        // The second pass lets neighboring samples compensate for each other's errors. This needs small
        // samples, at least 6 rows of them per cell, because eyes do not blur larger samples together. With
        // coarse palettes, the second pass compensates only for errors of the cells' mean colors.
        p_.two_pass = full && p_.forms.wide == 0 && (samples_.rows >= 6 || has_coarse_mixes()) ? 1 : 0;
        break;
      case Mode::Edge:
        p_.surround.contrast = local_contrast;
        p_.edge_at = tables_.add(edge_table(glyphs_, samples_));
        break;
    }
  }

  [[nodiscard]] bool has_coarse_mixes() const { return p_.mix.mixes_at != 0 && p_.mix.fits_palette == 0; }

  void add_palette() {
    p_.palette.colors_at = tables_.add(parameters_.palette);
    const bool themed =
        parameters_.palette == ansi256_palette();  // the first 16 colors differ from terminal to terminal
    const std::size_t first = themed ? FirstFixedAnsiColor : 0;
    p_.palette.nearest_at = tables_.add(nearest_table(parameters_.palette, first));
    const bool mixes = parameters_.color == Color::Full && parameters_.mode != Mode::Ramp &&
                       p_.forms.wide_count == 0 && p_.legibility.contrast == 0;
    if (mixes) {
      add_mixes(parameters_.palette, first, longest_, made_);
      p_.mix.fits_palette = is_coarse(parameters_.palette) ? 0 : 1;
      if (has_coarse_mixes()) p_.flat_threshold = MixedFlatThreshold;
    }
    p_.dither.range = static_cast<std::uint32_t>(dither_range(parameters_.palette));
  }

  /// Adds surround.weights_at: the weights of local_contrast()'s blur (light.glsl).
  void add_surround() {
    const auto add_axis = [this](int count, int blocks_per_cell, int reach) {
      // A block has the width of a cell and half the height of a cell. The blur gives a block and its two
      // neighbors the weights 1 2 1. Between the middles of two blocks, the blurred values are interpolated
      // linearly, so four blocks contribute to each position.
      for (int i = 0; i < count; ++i) {
        const double place =
            (i + 0.5) * blocks_per_cell / count - 0.5;  // in blocks, 0 = the middle of the cell's first block
        std::vector<std::uint32_t> weights;
        for (int block = -reach; block < reach + blocks_per_cell; ++block) {
          double weight = 0;
          for (int tap = -1; tap <= 1; ++tap) {
            weight += (tap == 0 ? 0.5 : 0.25) * std::max(0.0, 1 - std::abs(block + tap - place));
          }
          weights.push_back(rounded_word(weight * 256));
        }
        add_weights(weights, std::max_element(weights.begin(), weights.end()) - weights.begin());
      }
    };
    p_.surround.weights_at = tables_.here();
    add_axis(samples_.columns, 1, 2);
    add_axis(samples_.rows, 2, 2);
  }

  void add_pool(const std::vector<Vector>& pool) {
    p_.light.pool_at = tables_.here();
    for (const Vector& row : pool) {
      std::vector<std::uint32_t> weights;
      for (const double share : row) weights.push_back(rounded_word(share * 256));
      add_weights(weights, std::max_element(row.begin(), row.end()) - row.begin());
    }
  }

  /// Adds rounded weights, two in each word, the first in the lower half. First corrects the weight at
  /// `largest` so that the sum is 256.
  void add_weights(std::vector<std::uint32_t>& weights, std::ptrdiff_t largest) {
    weights[static_cast<std::size_t>(largest)] += 256 - std::accumulate(weights.begin(), weights.end(), 0u);
    weights.resize(weights.size() + weights.size() % 2, 0);
    std::vector<std::uint32_t> pairs;
    for (std::size_t i = 0; i < weights.size(); i += 2) pairs.push_back(weights[i] | weights[i + 1] << 16);
    tables_.add(pairs);
  }

  /// Returns the relative light of each form at each sample: first the narrow forms, then the halves of the
  /// wide forms. Relative light 0 is the mean light of the darkest form, and 1 is the mean light of the
  /// brightest form.
  std::vector<Vector> relative_light(bool swapped_too, double darkest, double brightest) {
    std::vector<Vector> forms;
    std::vector<Vector> halves;
    const auto add_all = [&](MaskCurve light_of) {
      for (double& light : light_of) light = (light - darkest) / std::max(1e-6, brightest - darkest);
      const std::vector<Vector> light = sample_masks(glyphs_, samples_, light_of);
      forms.insert(forms.end(), light.begin(), light.begin() + glyphs_.narrow_count());
      halves.insert(halves.end(), light.begin() + glyphs_.narrow_count(), light.end());
    };
    add_all(blended_luminance(p_.foreground, p_.background));
    if (swapped_too) add_all(blended_luminance(p_.background, p_.foreground));
    forms.insert(forms.end(), halves.begin(), halves.end());
    return forms;
  }

  /// Returns the mean light of each narrow form, then the mean light of each wide form.
  std::vector<double> means_of(const std::vector<Vector>& light) const {
    std::vector<double> means;
    for (std::size_t form = 0; form < p_.forms.narrow; ++form) means.push_back(mean_of(light[form]));
    for (std::size_t half = p_.forms.narrow; half < light.size(); half += 2) {
      means.push_back((mean_of(light[half]) + mean_of(light[half + 1])) / 2);
    }
    return means;
  }

  /// Returns mono_dither() of the narrow forms or, if the ramp consists of wide characters, of forms two
  /// cells wide: every narrow form repeated in both cells, and every wide form.
  std::vector<std::uint32_t> dither_forms(const std::vector<std::vector<int>>& features,
                                          std::vector<double> means,
                                          const std::vector<std::uint32_t>& compress) const {
    std::vector<std::vector<int>> even(features.begin(), features.begin() + p_.forms.narrow);
    if (p_.forms.wide_ramp == 0) {
      means.resize(even.size());
      return mono_dither(even, means, compress);
    }
    const auto append = [](std::vector<int>& pair, const std::vector<int>& half) {
      pair.insert(pair.end(), half.begin(), half.end());
    };
    for (std::vector<int>& form : even) append(form, std::vector<int>(form));
    for (std::size_t half = p_.forms.narrow; half < features.size(); half += 2) {
      append(even.emplace_back(features[half]), features[half + 1]);
    }
    return mono_dither(even, means, compress);
  }

  /// Adds the forms, the pools, surround.weights_at, light.compress_at and dither.mono_at.
  void add_forms_of_mono() {
    const bool swapped_too = parameters_.reverse == Reverse::PerCell;
    if (swapped_too) {
      p_.forms.narrow *= 2;
      p_.forms.wide *= 2;
    }
    const std::vector<double> unscaled = means_of(relative_light(swapped_too, 0, 1));
    const double darkest = std::min(1.0, *std::min_element(unscaled.begin(), unscaled.end()));
    const double brightest = std::max(0.0, *std::max_element(unscaled.begin(), unscaled.end()));
    const std::vector<Vector> forms = relative_light(swapped_too, darkest, brightest);
    const std::vector<Vector> pool = pooling_matrix(samples_, glyphs_.cell());
    std::vector<std::vector<int>> features;
    for (const Vector& form : forms) {
      std::vector<int>& numbers = features.emplace_back();
      for (const double light : pooled(pool, form)) numbers.push_back(rounded(compressed(light)));
      numbers.push_back(rounded(compressed(mean_of(form)) * shared::MeanFeatureGain));
    }
    tables_.add_forms(features, p_);
    add_pool(pool);
    add_surround();
    p_.light.compress_at = tables_.add(compress_table());
    p_.dither.mono_at = tables_.add(dither_forms(features, means_of(forms), compress_table()));
  }

  /// For the color mode fg, returns the ink that counts as relative light 1; 65535 = all pixels covered.
  static double brightest_ink(const std::vector<std::uint32_t>& ink) {
    return InkShare * std::max<double>(1, *std::max_element(ink.begin(), ink.end()));
  }

  /// Adds the forms, the pools and surround.weights_at.
  void add_forms_of_fg() {
    const std::vector<std::uint32_t> ink = character_ink(glyphs_);
    const double most = brightest_ink(ink);
    const std::vector<Vector> pool = pooling_matrix(samples_, glyphs_.cell());
    MaskCurve light_of{};
    for (int coverage = 0; coverage < 256; ++coverage) {
      light_of[static_cast<std::size_t>(coverage)] = linear_from_code(coverage) / most;
    }
    std::vector<std::vector<int>> features;
    for (const Vector& form : sample_masks(glyphs_, samples_, light_of)) {
      const double mean = ink[features.size()] / most;
      std::vector<int>& numbers = features.emplace_back();
      for (const double light : pooled(pool, form)) numbers.push_back(rounded(std::min(light, 3.0) * 4096));
      numbers.push_back(rounded(mean * 4096 * shared::InkMeanGain));
    }
    tables_.add_forms(features, p_);
    add_pool(pool);
    add_surround();
  }

  void add_ink() {
    constexpr double Faintest = 1.0 / 128;  // the maximum of LightTables::ink_at, 2^19, is 4096 / Faintest
    const std::vector<std::uint32_t> ink = character_ink(glyphs_);
    const double most = brightest_ink(ink);
    std::vector<std::uint32_t> reciprocals;
    for (const std::uint32_t light : ink) {
      reciprocals.push_back(light == 0 ? 0 : rounded_word(4096 / std::max(light / most, Faintest)));
    }
    p_.light.ink_at = tables_.add(reciprocals);
  }

  /// Adds flat_glyphs_at: the visible glyphs that a blur evens out best, in random order, with different
  /// glyphs in neighboring cells. Sets flat_coverage to the mean coverage of these glyphs. Sets
  /// flat_threshold: detail of less than about a quarter of the contrast between ink and background does not
  /// show among such glyphs.
  void add_flat_glyphs() {
    using Ranked = std::pair<std::uint32_t, std::uint32_t>;  // a glyph's ink or contrast, and its index
    std::vector<Ranked> glyphs;
    const std::vector<std::uint32_t> ink = character_ink(glyphs_);
    for (std::uint32_t glyph = 0; glyph < p_.forms.narrow; ++glyph) {
      if (ink[glyph] > 0) glyphs.emplace_back(ink[glyph], glyph);
    }
    if (glyphs.empty()) return;
    std::ranges::sort(glyphs);
    glyphs.erase(glyphs.begin(), glyphs.begin() + static_cast<std::ptrdiff_t>(glyphs.size() / 4));
    for (Ranked& each : glyphs) each.first = glyph_numbers(made_, each.second).contrast;
    std::ranges::sort(glyphs);
    glyphs.resize(std::max<std::size_t>(1, glyphs.size() / 3));
    p_.legibility.flat_glyphs_at = tables_.add(scattered(glyphs));
    std::uint32_t covered = 0;
    for (const Ranked& each : glyphs) covered += glyph_numbers(made_, each.second).pixel_sum;
    p_.legibility.flat_coverage =
        rounded_word(8.0 * covered / static_cast<double>(glyphs.size() * p_.sample_count));
    const double least = p_.legibility.contrast / 4.6;
    p_.flat_threshold = std::max(FlatThreshold, rounded_word(16 * least * least));
  }

  /// Returns a random glyph of `glyphs` for each cell of a DitherSize x DitherSize square. If there are more
  /// than two glyphs, no cell has the same glyph as its left or upper neighbor.
  static std::vector<std::uint32_t> scattered(
      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& glyphs) {
    using shared::DitherSize;
    std::minstd_rand random;
    std::vector<std::uint32_t> words;
    for (std::uint32_t place = 0; place < DitherSize * DitherSize; ++place) {
      std::uint32_t glyph = 0;
      do {
        glyph = glyphs[random() % glyphs.size()].second;
      } while (glyphs.size() > 2 && ((place > 0 && words[place - 1] == glyph) ||
                                     (place >= DitherSize && words[place - DitherSize] == glyph)));
      words.push_back(glyph);
    }
    return words;
  }

  const text::GlyphSet& glyphs_;
  const Parameters& parameters_;
  const GridSize samples_;
  double longest_ = 0;     ///< length of the longest feature vector, from add_perceptual_tables()
  double legibility_ = 0;  ///< Parameters::legibility, or its default
  GlyphTables made_;
  shared::MapParameters& p_ = made_.parameters;
  TableWriter tables_{made_.words};
};

}  // namespace

void set_grid(shared::MapParameters& p, GridSize grid) {
  p.columns = static_cast<std::uint32_t>(grid.columns);
  p.rows = static_cast<std::uint32_t>(grid.rows);
  // Clarity is for mono and fg, the only color modes with auto-levels. It is not for ramps, which promise the
  // glyph whose tone is nearest.
  const bool has_clarity = p.levels.automatic != 0 && p.mode != Mode::Ramp;
  p.regions.columns = has_clarity ? (p.columns + shared::RegionsX - 1) / shared::RegionsX : 0;
  p.regions.rows = has_clarity ? (p.rows + shared::RegionsY - 1) / shared::RegionsY : 0;
  if (!has_clarity) return;
  p.regions.step_x = (8 * 4096 + p.regions.columns / 2) / p.regions.columns;
  p.regions.step_y = (8 * 4096 + p.regions.rows / 2) / p.regions.rows;
}

bool needs_analysis(const shared::MapParameters& p) {
  return reads_surroundings(p) || p.levels.automatic != 0 || p.history.stability != 0;
}

bool reads_surroundings(const shared::MapParameters& p) {
  return p.edge_at != 0 || p.surround.contrast != 0 || p.legibility.contrast != 0;
}

Result<GlyphTables> make_glyph_tables(const text::GlyphSet& glyphs, const Parameters& parameters,
                                      GridSize samples) {
  CHECK(samples.cells() >= 1 && samples.cells() <= static_cast<int>(shared::MaxSamples),
        "samples per cell out of range");
  return TableBuilder(glyphs, parameters, samples).build();
}

}  // namespace glyphreel::mapping
