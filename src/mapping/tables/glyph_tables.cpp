#include "mapping/tables/glyph_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mapping/tables/dither.h"
#include "mapping/tables/edge_glyphs.h"
#include "mapping/tables/glyph_measures.h"
#include "mapping/tables/mono_dither.h"
#include "mapping/tables/palette.h"
#include "mapping/tables/ramp.h"

namespace glyphreel::mapping {
namespace {

// Full: length of the longest glyph vector. With 16-bit samples, inner products of 64 elements fill 31
// bits.
constexpr double FeatureNorm = 4096;
// Glyphs whose ink has less contrast than this count as even; a cell half full of ink has 1/4.
constexpr double MinContrast = 1e-3;
// Sigma of the low-pass inside a cell, in cell heights (mono and fg).
constexpr double PoolSigma = 0.7 / 16;
// Mono compares light to this power, between linear light and L*, its cube root.
constexpr double LightExponent = 0.7;
// Fg: the share of the brightest glyph's light that white asks for: hues need headroom.
constexpr double InkShare = 0.8;
// What relative light 1 is compressed to.
constexpr double LightOne = 2047;
// Mono and fg: MapParameters::local_contrast, 16 = contours doubled.
constexpr std::uint32_t LocalContrast = 40;
// A cell is flat if its variance, summed over channels, is below one squared code value.
constexpr std::uint32_t FlatGate = 16;

using Vector = std::vector<double>;

/// PooledCount rows of weights over the samples: two columns by four rows of cell regions, each a
/// Gaussian-weighted average.
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
          // Distances within the pooled region do not count: it is a box average, widened by the low-pass.
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

std::uint32_t pair_word(int low, int high) {
  return (static_cast<std::uint32_t>(low) & 0xFFFFu) | (static_cast<std::uint32_t>(high) << 16);
}

void append_features(std::vector<std::uint32_t>& words, const std::vector<int>& features) {
  for (std::size_t i = 0; i < features.size(); i += 2) {
    words.push_back(pair_word(features[i], i + 1 < features.size() ? features[i + 1] : 0));
  }
}

template <typename Curve>
MaskCurve curve_of(Curve curve) {
  MaskCurve values{};
  for (int coverage = 0; coverage < 256; ++coverage)
    values[static_cast<std::size_t>(coverage)] = curve(coverage);
  return values;
}

/// A table of words being filled, and the parameters that point into it.
class TableBuilder {
 public:
  TableBuilder(const text::GlyphSet& glyphs, const Parameters& parameters, GridSize samples)
      : glyphs_(glyphs), parameters_(parameters), samples_(samples) {}

  Result<GlyphTables> build() {
    TRY_ASSIGN(const Ramp ramp, make_ramp(glyphs_, parameters_));
    set_constants();
    p_.wide_ramp = ramp.wide ? 1 : 0;
    if (parameters_.color == Color::Full) {
      const PerceptualMasks seen = seen_masks(glyphs_, samples_);
      add_forms_of_full(seen);
      add_seen(seen);
      add_coverage();
    } else if (parameters_.color == Color::Fg) {
      add_forms_of_fg();
    } else {
      add_forms_of_mono();
    }
    add_ink();
    p_.linear_at = here();
    for (int code = 0; code < 256; ++code) words_.push_back(linear_from_code(code));
    p_.encode_at = add(encode_table());
    p_.ramp_at = add(ramp.entries);
    p_.tones_at = add(ramp.tones);
    if (parameters_.dither != Dither::None) {
      p_.dither_at = add(parameters_.dither == Dither::Bayer ? bayer_thresholds() : blue_noise_thresholds());
    }
    if (!parameters_.palette.empty()) {
      p_.palette_at = add(parameters_.palette);
      const bool themed =
          parameters_.palette == ansi256_palette();  // its first 16 differ from terminal to terminal
      p_.nearest_at = add(nearest_table(parameters_.palette, themed ? FirstFixedAnsiColor : 0));
      p_.dither_range = static_cast<std::uint32_t>(dither_range(parameters_.palette));
    }
    set_mode(ramp);
    return std::move(tables_);
  }

 private:
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(words_.size()); }
  std::uint32_t add(const std::vector<std::uint32_t>& words) {
    const std::uint32_t at = here();
    words_.insert(words_.end(), words.begin(), words.end());
    return at;
  }

  void set_constants() {
    const bool full = parameters_.color == Color::Full;
    const bool exact = !parameters_.thresholds.empty() || parameters_.sampling == Sampling::Corner;
    words_.push_back(0);  // offset 0 means that there is no such table
    p_.sample_count = static_cast<std::uint32_t>(samples_.cells());
    p_.samples_x = static_cast<std::uint32_t>(samples_.columns);
    p_.glyph_count = static_cast<std::uint32_t>(glyphs_.narrow_count());
    p_.reversed_from = p_.glyph_count;
    p_.wide_from = p_.glyph_count;
    p_.wide_count = (static_cast<std::uint32_t>(glyphs_.size()) - p_.glyph_count) / 2;
    p_.wide_forms = p_.wide_count;
    p_.mode = parameters_.mode;
    p_.color = static_cast<std::uint32_t>(parameters_.color);
    p_.foreground = 0xFF000000u | parameters_.foreground;
    p_.background = 0xFF000000u | parameters_.background;
    p_.blank_glyph = static_cast<std::uint32_t>(std::max(0, glyphs_.blank()));
    p_.gate = FlatGate;
    p_.legibility =
        static_cast<std::uint32_t>(std::lround(std::clamp(parameters_.legibility, 0.0, 1.0) * 128));
    p_.stability =
        exact ? 0
              : static_cast<std::uint32_t>(std::lround(std::clamp(parameters_.stability, 0.0, 1.0) * 256));
    p_.auto_levels = full || exact || parameters_.auto_levels == AutoLevels::Off ? 0 : 1;
    p_.level_rate = 65535;
    p_.level_gain = 4096;
    p_.dither = parameters_.dither == Dither::None ? 0 : 1;
  }

  /// Sets what depends on the mode, once the forms are known.
  void set_mode(const Ramp& ramp) {
    const bool full = parameters_.color == Color::Full;
    const std::uint32_t local_contrast = full || samples_.cells() < 2 ? 0 : LocalContrast;
    switch (parameters_.mode) {
      case Mode::Ramp:
        if (!ramp.wide) p_.wide_forms = 0;
        break;
      case Mode::Shape:
        p_.local_contrast = local_contrast;
        // Samples too coarse for eyes to blur together cannot compensate for each other's errors.
        p_.two_pass = full && p_.wide_forms == 0 && samples_.rows >= 6 ? 1 : 0;
        break;
      case Mode::Edge:
        p_.local_contrast = local_contrast;
        p_.edge_at = add(edge_table(glyphs_, samples_));
        break;
    }
  }

  /// Adds the weights of local_contrast()'s blur (light.glsl).
  void add_surround() {
    const auto add_axis = [this](int count, int blocks_per_cell, int reach) {
      // Blocks weighted 1 2 1, linear in between: four blocks contribute to each place.
      for (int i = 0; i < count; ++i) {
        const double place =
            (i + 0.5) * blocks_per_cell / count - 0.5;  // in blocks, 0 = the middle of the cell's first
        std::vector<std::uint32_t> weights;
        std::uint32_t sum = 0;
        for (int block = -reach; block < reach + blocks_per_cell; ++block) {
          double weight = 0;
          for (int tap = -1; tap <= 1; ++tap) {
            weight += (tap == 0 ? 0.5 : 0.25) * std::max(0.0, 1 - std::abs(block + tap - place));
          }
          weights.push_back(static_cast<std::uint32_t>(std::lround(weight * 256)));
          sum += weights.back();
        }
        *std::max_element(weights.begin(), weights.end()) += 256 - sum;
        words_.insert(words_.end(), weights.begin(), weights.end());
      }
    };
    p_.surround_at = here();
    add_axis(samples_.columns, 1, 2);
    add_axis(samples_.rows, 2, 2);
  }

  void add_pool(const std::vector<Vector>& pool) {
    p_.pool_at = here();
    for (const Vector& row : pool) {
      int sum = 0;
      std::size_t largest = 0;
      std::vector<std::uint32_t> weights;
      for (std::size_t i = 0; i < row.size(); ++i) {
        weights.push_back(static_cast<std::uint32_t>(std::lround(row[i] * 256)));
        sum += static_cast<int>(weights.back());
        if (row[i] > row[largest]) largest = i;
      }
      weights[largest] += static_cast<std::uint32_t>(256 - sum);
      add(weights);
    }
  }

  /// Adds features, and half their squares as biases.
  void add_forms(const std::vector<std::vector<int>>& forms) {
    std::vector<std::uint32_t> bias;
    p_.features_at = here();
    for (const std::vector<int>& features : forms) {
      append_features(words_, features);
      double square = 0;
      for (const int feature : features) square += static_cast<double>(feature) * feature;
      bias.push_back(static_cast<std::uint32_t>(std::lround(square / 2)));
    }
    p_.bias_at = add(bias);
    p_.feature_pairs = static_cast<std::uint32_t>((forms.front().size() + 1) / 2);
  }

  /// A character's perceived ink: [first, end) is a narrow glyph or both halves of a wide one.
  struct SeenCharacter {
    std::size_t first, end;
    double mean = 0;      ///< of its ink
    double contrast = 0;  ///< mean square of the perceived ink's difference from its mean
  };
  std::vector<SeenCharacter> seen_characters(const PerceptualMasks& seen) const {
    std::vector<SeenCharacter> characters;
    for (std::size_t glyph = 0; glyph < seen.samples.size();) {
      SeenCharacter character{glyph, glyph + (glyph < p_.wide_from ? 1 : 2)};
      const auto cells = static_cast<double>(character.end - character.first);
      double square = 0;
      for (; glyph < character.end; ++glyph) {
        const Vector& ink = seen.samples[glyph];
        character.mean += std::accumulate(ink.begin(), ink.end(), 0.0) / cells;
        square += seen.squares[glyph] / cells;
      }
      character.contrast = square - character.mean * character.mean;
      if (character.contrast < MinContrast) character.contrast = 0;
      characters.push_back(character);
    }
    return characters;
  }

  /// A cell's samples times such a form is the square root of what the glyph explains of them.
  void add_forms_of_full(const PerceptualMasks& seen) {
    std::vector<Vector> forms;
    double longest = 1e-9;
    for (const SeenCharacter& character : seen_characters(seen)) {
      double square = 0;
      for (std::size_t glyph = character.first; glyph < character.end; ++glyph) {
        Vector form = seen.samples[glyph];
        for (std::size_t i = 0; i < form.size(); ++i) {
          form[i] = character.contrast > 0
                        ? (form[i] - character.mean * seen.full[i]) / std::sqrt(character.contrast)
                        : 0;
          square += form[i] * form[i];
        }
        forms.push_back(std::move(form));
      }
      longest = std::max(longest, std::sqrt(square));
    }
    std::vector<std::vector<int>> features;
    for (const Vector& form : forms) {
      std::vector<int> numbers;
      for (const double x : form) numbers.push_back(static_cast<int>(std::lround(x * FeatureNorm / longest)));
      features.push_back(std::move(numbers));
    }
    add_forms(features);
  }

  /// The light that each form, then each half of a wide form, emits at each sample, relative: 0 is the
  /// darkest form's mean, 1 the brightest's.
  std::vector<Vector> relative_light(bool swapped_too, double darkest, double brightest) {
    std::vector<Vector> forms;
    std::vector<Vector> halves;
    const auto add_all = [&](const MaskCurve& luminance) {
      const auto relative = [&](int coverage) {
        return (luminance[static_cast<std::size_t>(coverage)] - darkest) /
               std::max(1e-6, brightest - darkest);
      };
      const std::vector<Vector> light = sample_masks(glyphs_, samples_, curve_of(relative));
      forms.insert(forms.end(), light.begin(), light.begin() + glyphs_.narrow_count());
      halves.insert(halves.end(), light.begin() + glyphs_.narrow_count(), light.end());
    };
    add_all(blended_luminance(p_.foreground, p_.background));
    if (swapped_too) add_all(blended_luminance(p_.background, p_.foreground));
    forms.insert(forms.end(), halves.begin(), halves.end());
    return forms;
  }

  /// mono_dither() for the narrow forms, or for pairs of cells if the ramp consists of wide characters.
  std::vector<std::uint32_t> turns_of(const std::vector<std::vector<int>>& features,
                                      std::vector<double> means,
                                      const std::vector<std::uint32_t>& compress) const {
    std::vector<std::vector<int>> even;
    for (std::size_t form = 0; form < p_.glyph_count; ++form) even.push_back(features[form]);
    if (p_.wide_ramp == 0) {
      means.resize(even.size());
      return mono_dither(even, means, compress);
    }
    const auto append = [](std::vector<int>& pair, const std::vector<int>& half) {
      pair.insert(pair.end(), half.begin(), half.end());
    };
    for (std::vector<int>& form : even) append(form, std::vector<int>(form));
    for (std::size_t half = p_.glyph_count; half < features.size(); half += 2) {
      even.push_back(features[half]);
      append(even.back(), features[half + 1]);
    }
    return mono_dither(even, means, compress);
  }

  void add_forms_of_mono() {
    const bool swapped_too = parameters_.reverse == Reverse::PerCell;
    if (swapped_too) {
      p_.glyph_count *= 2;
      p_.wide_forms *= 2;
    }
    const auto mean_of = [](const Vector& form) {
      double sum = 0;
      for (const double light : form) sum += light;
      return sum / static_cast<double>(form.size());
    };
    const auto means_of = [&](const std::vector<Vector>& light) {
      std::vector<double> means;
      for (std::size_t form = 0; form < p_.glyph_count; ++form) means.push_back(mean_of(light[form]));
      for (std::size_t half = p_.glyph_count; half < light.size(); half += 2) {
        means.push_back((mean_of(light[half]) + mean_of(light[half + 1])) / 2);
      }
      return means;
    };
    const std::vector<double> unscaled = means_of(relative_light(swapped_too, 0, 1));
    const double darkest = std::min(1.0, *std::min_element(unscaled.begin(), unscaled.end()));
    const double brightest = std::max(0.0, *std::max_element(unscaled.begin(), unscaled.end()));
    const std::vector<Vector> forms = relative_light(swapped_too, darkest, brightest);
    const std::vector<Vector> pool = pooling_matrix(samples_, glyphs_.cell());
    const auto compressed = [](double light) {
      return LightOne * std::pow(std::max(0.0, light), LightExponent);
    };
    std::vector<std::vector<int>> features;
    for (const Vector& form : forms) {
      std::vector<int> numbers;
      for (const Vector& row : pool) {
        double sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * form[i];
        numbers.push_back(static_cast<int>(std::lround(compressed(sum))));
      }
      numbers.push_back(static_cast<int>(std::lround(compressed(mean_of(form)) * shared::MeanFeatureGain)));
      features.push_back(std::move(numbers));
    }
    add_forms(features);
    add_pool(pool);
    add_surround();
    std::vector<std::uint32_t> compress;
    for (int light = 0; light < 8192; ++light) {
      compress.push_back(static_cast<std::uint32_t>(std::lround(compressed(light / 4095.0))));
    }
    p_.compress_at = add(compress);
    p_.mono_dither_at = add(turns_of(features, means_of(forms), compress));
  }

  /// What counts as relative light 1 in fg, 65535 = a cell full of ink.
  double brightest_ink(const std::vector<std::uint32_t>& ink) const {
    return InkShare * std::max<double>(1, *std::max_element(ink.begin(), ink.end()));
  }

  void add_forms_of_fg() {
    const std::vector<std::uint32_t> ink = character_ink(glyphs_);
    const double most = brightest_ink(ink);
    const std::vector<Vector> pool = pooling_matrix(samples_, glyphs_.cell());
    const std::vector<Vector> light = sample_masks(
        glyphs_, samples_, curve_of([&](int coverage) { return linear_from_code(coverage) / most; }));
    std::vector<std::vector<int>> features;
    for (std::size_t glyph = 0; glyph < light.size(); ++glyph) {
      std::vector<int> numbers;
      for (const Vector& row : pool) {
        double sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * light[glyph][i];
        numbers.push_back(static_cast<int>(std::lround(std::min(sum, 3.0) * 4096)));
      }
      numbers.push_back(static_cast<int>(std::lround(ink[glyph] / most * 4096 * shared::InkMeanGain)));
      features.push_back(std::move(numbers));
    }
    add_forms(features);
    add_pool(pool);
    add_surround();
  }

  /// Both halves of a wide character are fitted by averages, and half a unit lost from `a` would be visible
  /// in the colors of a faint one: the byte with the largest rounding error is rounded the other way.
  void make_sum_even(std::vector<int>& bytes, const Vector& wanted, const std::vector<int>& most,
                     int other_half) const {
    const int sum = std::accumulate(bytes.begin(), bytes.end(), 0) << p_.seen_shift;
    if ((sum + other_half) % 2 == 0) return;
    std::size_t farthest = 0;
    const auto off = [&](std::size_t i) { return std::abs(wanted[i] - bytes[i]); };
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      if (off(i) > off(farthest)) farthest = i;
    }
    const int other_way = bytes[farthest] + (wanted[farthest] > bytes[farthest] ? 1 : -1);
    bytes[farthest] = std::clamp(other_way, 0, most[farthest]);
  }

  /// Adds what the colors of a chosen glyph are fitted with (fit.glsl).
  void add_seen(const PerceptualMasks& seen) {
    // Bytes of at most 127: CPUs multiply signed ones.
    const double largest = *std::max_element(seen.full.begin(), seen.full.end());
    while (largest * (1 << (shared::PerceptualLog2 - p_.seen_shift)) > 126) ++p_.seen_shift;
    std::vector<int> full;
    double place = 0;
    // Rounded so that they sum to the exact total.
    for (const double share : seen.full) {
      const double next = place + share * (1 << (shared::PerceptualLog2 - p_.seen_shift));
      full.push_back(static_cast<int>(std::lround(next) - std::lround(place)));
      place = next;
    }
    std::vector<int> sums;
    const auto add_bytes = [&](const auto& weight_of) {
      std::uint32_t packed[shared::MaxSamples / 4] = {};
      int sum = 0;
      for (std::size_t i = 0; i < full.size(); ++i) {
        const int weight = weight_of(i);
        packed[i / 4] |= static_cast<std::uint32_t>(weight) << (8 * (i % 4));
        sum += weight;
      }
      words_.insert(words_.end(), std::begin(packed), std::end(packed));
      sums.push_back(sum << p_.seen_shift);
    };
    p_.seen_full_at = here();
    add_bytes([&](std::size_t i) { return full[i]; });
    sums.clear();
    p_.seen_at = here();
    for (std::size_t glyph = 0; glyph < seen.samples.size(); ++glyph) {
      Vector wanted;
      for (std::size_t i = 0; i < full.size(); ++i) {
        wanted.push_back(full[i] * seen.samples[glyph][i] / seen.full[i]);
      }
      std::vector<int> bytes;
      for (const double byte : wanted) bytes.push_back(static_cast<int>(std::lround(byte)));
      const bool right_half = glyph >= p_.wide_from && (glyph - p_.wide_from) % 2 == 1;
      if (right_half) make_sum_even(bytes, wanted, full, sums.back());
      add_bytes([&](std::size_t i) { return bytes[i]; });
    }
    add_sums(seen, sums);
  }

  void add_coverage() {
    p_.coverage_at = here();
    for (const Vector& samples :
         sample_masks(glyphs_, samples_, curve_of([](int mask) { return mask / 255.0; }))) {
      std::uint32_t packed[shared::MaxSamples / 4] = {};
      for (std::size_t i = 0; i < samples.size(); ++i) {
        packed[i / 4] |= static_cast<std::uint32_t>(std::lround(samples[i] * shared::CoverageOne))
                         << (8 * (i % 4));
      }
      words_.insert(words_.end(), std::begin(packed), std::end(packed));
    }
  }

  /// `inked`: per glyph, the sum of its bytes, 2^PerceptualLog2 = all.
  void add_sums(const PerceptualMasks& seen, const std::vector<int>& inked) {
    constexpr double All = 1 << shared::PerceptualLog2;
    const std::vector<Vector> coverage =
        sample_masks(glyphs_, samples_, curve_of([](int mask) { return mask / 255.0; }));
    const std::vector<Vector> squares =
        sample_masks(glyphs_, samples_, curve_of([](int mask) { return mask / 255.0 * mask / 255.0; }));
    std::vector<std::uint32_t> sums;
    for (const SeenCharacter& character : seen_characters(seen)) {
      // Both halves of a wide one are fitted together, by averages.
      const int a = (inked[character.first] + inked[character.end - 1]) >> 1;
      double square = 0;
      for (std::size_t glyph = character.first; glyph < character.end; ++glyph) {
        square += seen.squares[glyph] * All / static_cast<double>(character.end - character.first);
      }
      const double contrast = character.contrast > 0 ? std::max(1.0, 8 * (square - a * (a / All))) : 0;
      for (std::size_t glyph = character.first; glyph < character.end; ++glyph) {
        const double pixels = std::accumulate(coverage[glyph].begin(), coverage[glyph].end(), 0.0);
        const double pixel_squares = std::accumulate(squares[glyph].begin(), squares[glyph].end(), 0.0);
        const auto pixel_sum = static_cast<int>(std::lround(pixels * shared::CoverageOne));
        const auto rounded =
            static_cast<int>(std::lround(pixel_squares * shared::CoverageOne * shared::CoverageOne));
        // Rounded separately, they could give the uncovered part a negative square.
        const int least = 64 * pixel_sum - 1024 * samples_.cells();
        sums.insert(
            sums.end(),
            {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(std::lround(contrast)),
             static_cast<std::uint32_t>(pixel_sum), static_cast<std::uint32_t>(std::max(rounded, least))});
      }
    }
    p_.sums_at = add(sums);
  }

  void add_ink() {
    constexpr double Faintest = 1.0 / 128;  // 4096 / 2^19
    const std::vector<std::uint32_t> ink = character_ink(glyphs_);
    const double most = brightest_ink(ink);
    p_.ink_at = here();
    for (const std::uint32_t light : ink) {
      const double relative = light / most;
      words_.push_back(
          light == 0 ? 0 : static_cast<std::uint32_t>(std::lround(4096 / std::max(relative, Faintest))));
    }
  }

  const text::GlyphSet& glyphs_;
  const Parameters& parameters_;
  const GridSize samples_;
  GlyphTables tables_;
  shared::MapParameters& p_ = tables_.parameters;
  std::vector<std::uint32_t>& words_ = tables_.words;
};

}  // namespace

bool needs_analysis(const shared::MapParameters& p) {
  return p.edge_at != 0 || p.local_contrast != 0 || p.auto_levels != 0 || p.stability != 0;
}

Result<GlyphTables> make_glyph_tables(const text::GlyphSet& glyphs, const Parameters& parameters,
                                      GridSize samples) {
  CHECK(samples.cells() >= 1 && samples.cells() <= static_cast<int>(shared::MaxSamples),
        "samples per cell out of range");
  return TableBuilder(glyphs, parameters, samples).build();
}

}  // namespace glyphreel::mapping
