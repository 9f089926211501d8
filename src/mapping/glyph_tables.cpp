#include "mapping/glyph_tables.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace glyphreel::mapping {
namespace {

constexpr int FeatureNorm = 1024;  // length of a glyph's unit vector: 11 bits beside 16-bit samples fill 32 bits
constexpr double PoolSigma = 2.0 / 16;  // of the low-pass inside a cell, in cell heights (mono)
constexpr std::uint32_t FlatGate = 48;  // a cell is flat below a summed channel variance of 3 code values squared

using Vector = std::vector<double>;

/// Mean coverage (0..1) of each glyph under each sample: area averages of its mask, `curve` applied to every pixel.
template <typename Curve>
std::vector<Vector> sample_masks(const text::GlyphSet& glyphs, GridSize samples, Curve curve) {
  const CellSize cell = glyphs.cell();
  std::vector<Vector> sampled(static_cast<std::size_t>(glyphs.size()), Vector(samples.cells()));
  for (int glyph = 0; glyph < glyphs.size(); ++glyph) {
    const std::uint8_t* mask = glyphs.masks().data() + static_cast<std::size_t>(glyph) * cell.width * cell.height;
    for (int sy = 0; sy < samples.rows; ++sy) {
      for (int sx = 0; sx < samples.columns; ++sx) {
        const double x0 = static_cast<double>(sx) * cell.width / samples.columns;
        const double x1 = static_cast<double>(sx + 1) * cell.width / samples.columns;
        const double y0 = static_cast<double>(sy) * cell.height / samples.rows;
        const double y1 = static_cast<double>(sy + 1) * cell.height / samples.rows;
        double sum = 0;
        for (int y = static_cast<int>(y0); y < std::min<double>(cell.height, std::ceil(y1)); ++y) {
          for (int x = static_cast<int>(x0); x < std::min<double>(cell.width, std::ceil(x1)); ++x) {
            const double share = (std::min(x1, x + 1.0) - std::max(x0, static_cast<double>(x))) *
                                 (std::min(y1, y + 1.0) - std::max(y0, static_cast<double>(y)));
            sum += share * curve(mask[y * cell.width + x]);
          }
        }
        sampled[static_cast<std::size_t>(glyph)][static_cast<std::size_t>(sy * samples.columns + sx)] =
            sum / ((x1 - x0) * (y1 - y0));
      }
    }
  }
  return sampled;
}

/// PooledCount rows over the samples: two columns by four rows of cell regions, each a Gaussian-weighted average.
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
          // Distances within the pooled region do not count: it is a box average that the low-pass widens.
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

/// `vector` scaled to FeatureNorm; all zeros where it has no length to speak of.
std::vector<int> normalised(const Vector& vector) {
  double square = 0;
  for (const double x : vector) square += x * x;
  std::vector<int> scaled(vector.size(), 0);
  if (square < 1e-4) return scaled;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    scaled[i] = static_cast<int>(std::lround(vector[i] * FeatureNorm / std::sqrt(square)));
  }
  return scaled;
}

double luma_of(std::uint32_t rgb) {
  return 0.2126 * ((rgb >> 16) & 255) + 0.7152 * ((rgb >> 8) & 255) + 0.0722 * (rgb & 255);
}

/// 8-bit code value of 16-bit light, by nearest light.
std::vector<std::uint32_t> encode_table() {
  std::vector<std::uint32_t> table(4096);
  int code = 0;
  for (int i = 0; i < 4096; ++i) {
    const int light = i * 16 + 8;
    const auto distance = [light](int c) { return std::abs(static_cast<int>(linear_from_code(c)) - light); };
    while (code < 255 && distance(code + 1) <= distance(code)) ++code;
    table[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(code);
  }
  return table;
}

Result<std::vector<std::uint32_t>> ramp_table(const text::GlyphSet& glyphs, const Parameters& parameters) {
  std::vector<std::uint32_t> ramp;
  if (parameters.ramp.empty()) {
    for (int glyph = 0; glyph < glyphs.size(); ++glyph) ramp.push_back(static_cast<std::uint32_t>(glyph));
  } else {
    TRY_ASSIGN(const std::vector<char32_t> characters, text::decode_utf8(parameters.ramp));
    for (const char32_t character : characters) {
      const auto& known = glyphs.code_points();
      const auto found = std::find(known.begin(), known.end(), character);
      if (found == known.end()) {
        return Error{ErrorCode::Usage,
                     fmt::format("The ramp's character \"{}\" is not in the glyph set.", text::encode_utf8(character)),
                     {}};
      }
      ramp.push_back(static_cast<std::uint32_t>(found - known.begin()));
    }
  }

  std::vector<std::uint32_t> table(256);
  if (!parameters.thresholds.empty()) {
    if (parameters.thresholds.size() + 1 != ramp.size()) {
      return Error{ErrorCode::Usage,
                   fmt::format("--thresholds needs one value less than the ramp has characters: {} for {}, not {}.",
                               ramp.size() - 1, ramp.size(), parameters.thresholds.size()),
                   {}};
    }
    for (int tone = 0; tone < 256; ++tone) {
      std::size_t step = 0;
      while (step < parameters.thresholds.size() && tone >= parameters.thresholds[step]) ++step;
      table[static_cast<std::size_t>(tone)] = ramp[step];
    }
    return table;
  }

  // By measured ink, not by rank: the steps of a ramp are far from even. Compared as code values, which is nearer to
  // what eyes see than light is; the brightest glyph stands for white (and for black, where ink is darker than paper).
  const std::vector<std::uint32_t> ink = measure_ink(glyphs);
  const std::vector<std::uint32_t> encode = encode_table();
  const bool dark_ink = luma_of(parameters.foreground) < luma_of(parameters.background);
  std::uint32_t most = 1;
  for (const std::uint32_t glyph : ramp) most = std::max(most, ink[glyph]);
  for (int tone = 0; tone < 256; ++tone) {
    const int wanted = dark_ink ? 255 - tone : tone;
    int least = 1 << 30;
    for (const std::uint32_t glyph : ramp) {
      const auto light = static_cast<std::uint64_t>(ink[glyph]) * 65535 / most;
      const int distance = std::abs(static_cast<int>(encode[light >> 4]) - wanted);
      if (distance < least) {
        least = distance;
        table[static_cast<std::size_t>(tone)] = glyph;
      }
    }
  }
  return table;
}

}  // namespace

std::uint32_t linear_from_code(int code) {
  const double c = code / 255.0;
  const double light = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  return static_cast<std::uint32_t>(std::lround(light * 65535));
}

std::vector<std::uint32_t> measure_ink(const text::GlyphSet& glyphs) {
  const std::size_t pixels = static_cast<std::size_t>(glyphs.cell().width) * glyphs.cell().height;
  std::vector<std::uint32_t> ink;
  for (int glyph = 0; glyph < glyphs.size(); ++glyph) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < pixels; ++i) sum += linear_from_code(glyphs.masks()[glyph * pixels + i]);
    ink.push_back(static_cast<std::uint32_t>((sum + pixels / 2) / pixels));
  }
  return ink;
}

Result<GlyphTables> make_glyph_tables(const text::GlyphSet& glyphs, const Parameters& parameters, GridSize samples) {
  GlyphTables tables;
  shared::MapParameters& p = tables.parameters;
  std::vector<std::uint32_t>& words = tables.words;
  const auto here = [&words] { return static_cast<std::uint32_t>(words.size()); };
  const int sample_count = samples.cells();
  CHECK(sample_count >= 1 && sample_count <= static_cast<int>(shared::MaxSamples), "samples per cell out of range");

  const bool shape = parameters.mode == Mode::Shape;
  const bool mono = parameters.color == Color::Mono;
  p.sample_count = static_cast<std::uint32_t>(sample_count);
  p.glyph_count = static_cast<std::uint32_t>(glyphs.size());
  p.mode = shape ? shared::ModeShape : shared::ModeRamp;
  p.color = mono ? shared::ColorMono : parameters.color == Color::Fg ? shared::ColorFg : shared::ColorFull;
  p.foreground = 0xFF000000u | parameters.foreground;
  p.background = 0xFF000000u | parameters.background;
  p.blank_glyph = static_cast<std::uint32_t>(std::max(0, glyphs.blank()));
  p.gate = FlatGate;
  p.invert_light = luma_of(parameters.foreground) < luma_of(parameters.background) ? 1 : 0;

  const std::vector<Vector> coverage = sample_masks(glyphs, samples, [](int mask) { return mask / 255.0; });

  p.coverage_at = here();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sums;
  for (const Vector& glyph : coverage) {
    std::uint32_t packed[shared::MaxSamples / 4] = {};
    std::uint32_t sum = 0;
    std::uint32_t squares = 0;
    for (std::size_t i = 0; i < glyph.size(); ++i) {
      const auto fixed = static_cast<std::uint32_t>(std::lround(glyph[i] * shared::CoverageOne));
      packed[i / 4] |= fixed << (8 * (i % 4));
      sum += fixed;
      squares += fixed * fixed;
    }
    words.insert(words.end(), std::begin(packed), std::end(packed));
    sums.emplace_back(sum, squares);
  }
  p.sums_at = here();
  for (const auto& [sum, squares] : sums) {
    words.push_back(sum);
    words.push_back(squares);
  }

  const std::vector<std::uint32_t> ink = measure_ink(glyphs);
  const std::uint32_t most_ink = *std::max_element(ink.begin(), ink.end());
  p.light_gain = (most_ink + 8) >> 4;

  p.features_at = here();
  std::vector<std::uint32_t> bias(coverage.size(), 0);
  if (mono) {
    const std::vector<Vector> light =
        sample_masks(glyphs, samples, [](int mask) { return linear_from_code(mask) / 65535.0; });
    const std::vector<Vector> pool = pooling_matrix(samples, glyphs.cell());
    p.feature_pairs = shared::PooledCount / 2 + 1;
    for (std::size_t glyph = 0; glyph < light.size(); ++glyph) {
      std::vector<int> features;
      double square = 0;
      const auto add = [&](double value) {
        features.push_back(static_cast<int>(std::lround(value)));
        square += static_cast<double>(features.back()) * features.back();
      };
      for (const Vector& row : pool) {
        double sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * light[glyph][i];
        add(sum * 4095);
      }
      add(static_cast<double>(shared::MeanFeatureGain) * ink[glyph] / 65535.0 * 4095);
      append_features(words, features);
      bias[glyph] = static_cast<std::uint32_t>(std::lround(square / 2));
    }
    p.pool_at = here();
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
      words.insert(words.end(), weights.begin(), weights.end());
    }
  } else {
    p.feature_pairs = static_cast<std::uint32_t>((sample_count + 1) / 2);
    for (const Vector& glyph : coverage) {
      Vector vector = glyph;
      if (parameters.color == Color::Full) {
        double mean = 0;
        for (const double a : vector) mean += a / static_cast<double>(vector.size());
        for (double& a : vector) a -= mean;
      }
      append_features(words, normalised(vector));
    }
  }
  p.bias_at = here();
  words.insert(words.end(), bias.begin(), bias.end());

  p.linear_at = here();
  for (int code = 0; code < 256; ++code) words.push_back(linear_from_code(code));
  p.encode_at = here();
  const std::vector<std::uint32_t> encode = encode_table();
  words.insert(words.end(), encode.begin(), encode.end());
  p.ramp_at = here();
  TRY_ASSIGN(const std::vector<std::uint32_t> ramp, ramp_table(glyphs, parameters));
  words.insert(words.end(), ramp.begin(), ramp.end());
  return tables;
}

}  // namespace glyphreel::mapping
