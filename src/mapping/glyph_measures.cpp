#include "mapping/glyph_measures.h"

#include <algorithm>
#include <cmath>

#include "mapping/shared_scalar.h"

namespace glyphreel::mapping {

std::uint32_t linear_from_code(int code) {
  const double c = code / 255.0;
  const double light = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  return static_cast<std::uint32_t>(std::lround(light * 65535));
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

MaskCurve blended_luminance(std::uint32_t ink, std::uint32_t paper) {
  MaskCurve luminance{};
  for (std::uint32_t coverage = 0; coverage < 256; ++coverage) {
    const std::uint32_t color = shared::scalar::blend(ink, paper, coverage);
    luminance[coverage] = (0.2126 * linear_from_code(static_cast<int>((color >> 16) & 255)) +
                           0.7152 * linear_from_code(static_cast<int>((color >> 8) & 255)) +
                           0.0722 * linear_from_code(static_cast<int>(color & 255))) /
                          65535;
  }
  return luminance;
}

std::vector<std::vector<double>> sample_masks(const text::GlyphSet& glyphs, GridSize samples,
                                              const MaskCurve& curve) {
  const CellSize cell = glyphs.cell();
  std::vector<std::vector<double>> sampled(static_cast<std::size_t>(glyphs.size()),
                                           std::vector<double>(samples.cells()));
  for (int glyph = 0; glyph < glyphs.size(); ++glyph) {
    const std::uint8_t* mask =
        glyphs.masks().data() + static_cast<std::size_t>(glyph) * cell.width * cell.height;
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
            sum += share * curve[mask[y * cell.width + x]];
          }
        }
        sampled[static_cast<std::size_t>(glyph)][static_cast<std::size_t>(sy * samples.columns + sx)] =
            sum / ((x1 - x0) * (y1 - y0));
      }
    }
  }
  return sampled;
}

std::vector<double> smoothed(const std::vector<double>& vector, GridSize samples) {
  std::vector<double> across(vector.size());
  std::vector<double> both(vector.size());
  const auto at = [&](const std::vector<double>& from, int x, int y) {
    const int column = std::clamp(x, 0, samples.columns - 1);
    const int row = std::clamp(y, 0, samples.rows - 1);
    return from[static_cast<std::size_t>(row * samples.columns + column)];
  };
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<double>& from = pass == 0 ? vector : across;
    std::vector<double>& to = pass == 0 ? across : both;
    const int dx = pass == 0 ? 1 : 0;
    const int dy = 1 - dx;
    for (int y = 0; y < samples.rows; ++y) {
      for (int x = 0; x < samples.columns; ++x) {
        to[static_cast<std::size_t>(y * samples.columns + x)] =
            (at(from, x - dx, y - dy) + 2 * at(from, x, y) + at(from, x + dx, y + dy)) / 4;
      }
    }
  }
  return both;
}

}  // namespace glyphreel::mapping
