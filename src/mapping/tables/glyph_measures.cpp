#include "mapping/tables/glyph_measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mapping/color/numbers.h"
#include "mapping/shared/shared_scalar.h"

namespace glyphreel::mapping {

namespace {

/// Returns a glyph's pixels, with `curve` applied to each.
std::vector<double> curved_mask(const text::GlyphSet& glyphs, int glyph, const MaskCurve& curve) {
  const std::size_t pixels = static_cast<std::size_t>(glyphs.cell().width) * glyphs.cell().height;
  const std::uint8_t* mask = glyphs.masks().data() + static_cast<std::size_t>(glyph) * pixels;
  std::vector<double> values(pixels);
  for (std::size_t i = 0; i < pixels; ++i) values[i] = curve[mask[i]];
  return values;
}

/// Returns the average of a cell's pixels over each of the cell's sample areas.
std::vector<double> sample_averages(const std::vector<double>& pixels, CellSize cell, GridSize samples) {
  std::vector<double> averages;
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
          sum += share * pixels[static_cast<std::size_t>(y * cell.width + x)];
        }
      }
      averages.push_back(sum / ((x1 - x0) * (y1 - y0)));
    }
  }
  return averages;
}

/// Blurs once with twice the variance, which equals two Gaussian blurs. Pixels beyond the cell count as 0.
std::vector<double> blurred_twice(const std::vector<double>& pixels, CellSize cell, double sigma) {
  const auto reach = static_cast<int>(std::ceil(6 * sigma));
  std::vector<double> kernel;
  for (int i = 0; i <= reach; ++i) kernel.push_back(std::exp(-i * i / (4 * sigma * sigma)));
  const auto blur_axis = [&](const std::vector<double>& from, int dx, int dy) {
    std::vector<double> to(from.size());
    for (int y = 0; y < cell.height; ++y) {
      for (int x = 0; x < cell.width; ++x) {
        double sum = 0;
        for (int i = -reach; i <= reach; ++i) {
          const int column = x + i * dx;
          const int row = y + i * dy;
          if (column < 0 || column >= cell.width || row < 0 || row >= cell.height) continue;
          sum += kernel[static_cast<std::size_t>(std::abs(i))] *
                 from[static_cast<std::size_t>(row * cell.width + column)];
        }
        to[static_cast<std::size_t>(y * cell.width + x)] = sum;
      }
    }
    return to;
  };
  return blur_axis(blur_axis(pixels, 1, 0), 0, 1);
}

}  // namespace

std::uint32_t linear_from_code(int code) {
  static const std::array<std::uint32_t, 256> Table = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
      table[i] = rounded_word(srgb_light(static_cast<double>(i) / 255) * 65535);
    return table;
  }();
  return Table.at(static_cast<std::size_t>(code));
}

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

double luma_of(std::uint32_t rgb) {
  return 0.2126 * ((rgb >> 16) & 255) + 0.7152 * ((rgb >> 8) & 255) + 0.0722 * (rgb & 255);
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

std::vector<std::uint32_t> character_ink(const text::GlyphSet& glyphs) {
  std::vector<std::uint32_t> ink = measure_ink(glyphs);
  for (auto half = static_cast<std::size_t>(glyphs.narrow_count()); half < ink.size(); half += 2) {
    ink[half] = ink[half + 1] = (ink[half] + ink[half + 1] + 1) / 2;
  }
  return ink;
}

std::vector<std::uint32_t> glow_table(const text::GlyphSet& glyphs) {
  const auto [width, height] = glyphs.cell();
  constexpr auto Columns = static_cast<int>(shared::GlowColumns);
  constexpr auto Rows = static_cast<int>(shared::GlowRows);
  std::vector<std::uint32_t> words;
  const auto add_axis = [&words](int pixels, int tiles) {
    for (int pixel = 0; pixel < pixels; ++pixel) {
      int tile = tiles - 1;
      while (tile * pixels / tiles > pixel) --tile;
      const int begin = tile * pixels / tiles;
      const double place = (pixel - begin + 0.5) / ((tile + 1) * pixels / tiles - begin);
      const std::uint32_t before = rounded_word(128 * (1 - place) * (1 - place));
      const std::uint32_t after = rounded_word(128 * place * place);
      words.push_back(before | (256 - before - after) << 8 | after << 16 |
                      static_cast<std::uint32_t>(tile) << 24);
    }
  };
  add_axis(width, Columns);
  add_axis(height, Rows);
  constexpr double ScanLineHeight = 4;  // approximate height in pixels
  const double period = height / std::max(1.0, std::round(height / ScanLineHeight));
  for (int y = 0; y < height; ++y) {
    words.push_back(rounded_word(128 + 128 * std::cos(2 * std::numbers::pi * (y + 0.5) / period)));
  }
  const std::uint8_t* mask = glyphs.masks().data();
  for (int glyph = 0; glyph < glyphs.size(); ++glyph, mask += width * height) {
    for (int tile = 0; tile < Columns * Rows; ++tile) {
      if (tile % 4 == 0) words.push_back(0);
      const int left = std::min(tile % Columns * width / Columns, width - 1);
      const int right = std::max((tile % Columns + 1) * width / Columns, left + 1);
      const int top = std::min(tile / Columns * height / Rows, height - 1);
      const int bottom = std::max((tile / Columns + 1) * height / Rows, top + 1);
      std::uint32_t covered = 0;
      for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) covered += mask[y * width + x];
      }
      words.back() |= covered / static_cast<std::uint32_t>((right - left) * (bottom - top))
                      << (8 * (tile % 4));
    }
  }
  return words;
}

MaskCurve coverage_curve() {
  MaskCurve curve{};
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i] = static_cast<double>(i) / 255;
  return curve;
}

MaskCurve blended_luminance(std::uint32_t foreground, std::uint32_t background) {
  MaskCurve luminance{};
  for (std::uint32_t coverage = 0; coverage < 256; ++coverage) {
    const std::uint32_t color = shared::scalar::blend(foreground, background, coverage);
    luminance[coverage] = (0.2126 * linear_from_code(static_cast<int>((color >> 16) & 255)) +
                           0.7152 * linear_from_code(static_cast<int>((color >> 8) & 255)) +
                           0.0722 * linear_from_code(static_cast<int>(color & 255))) /
                          65535;
  }
  return luminance;
}

std::vector<std::vector<double>> sample_masks(const text::GlyphSet& glyphs, GridSize samples,
                                              const MaskCurve& curve) {
  std::vector<std::vector<double>> sampled;
  for (int glyph = 0; glyph < glyphs.size(); ++glyph) {
    sampled.push_back(sample_averages(curved_mask(glyphs, glyph, curve), glyphs.cell(), samples));
  }
  return sampled;
}

PerceptualMasks perceptual_masks(const text::GlyphSet& glyphs, GridSize samples) {
  const CellSize cell = glyphs.cell();
  const double sigma = 1.5 / 16 * cell.height;
  const std::vector<double> full(static_cast<std::size_t>(cell.width) * cell.height, 1.0);
  const std::vector<double> seen_full = blurred_twice(full, cell, sigma);
  const double all = std::accumulate(seen_full.begin(), seen_full.end(), 0.0);
  const auto shares = [&](const std::vector<double>& seen) {
    std::vector<double> sums = sample_averages(seen, cell, samples);
    const double area = static_cast<double>(full.size()) / samples.cells();
    for (double& sum : sums) sum *= area / all;
    return sums;
  };
  PerceptualMasks masks;
  masks.full = shares(seen_full);
  const MaskCurve coverage = coverage_curve();
  for (int glyph = 0; glyph < glyphs.size(); ++glyph) {
    const std::vector<double> mask = curved_mask(glyphs, glyph, coverage);
    const std::vector<double> seen = blurred_twice(mask, cell, sigma);
    masks.samples.push_back(shares(seen));
    masks.squares.push_back(std::inner_product(mask.begin(), mask.end(), seen.begin(), 0.0) / all);
  }
  return masks;
}

}  // namespace glyphreel::mapping
