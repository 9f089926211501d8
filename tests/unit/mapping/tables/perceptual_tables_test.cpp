// Compares the perceptual glyph tables with sums over every pair of pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../map_subjects.h"
#include "mapping/tables/glyph_measures.h"
#include "mapping/tables/perceptual_tables.h"
#include "perceived_cells.h"

namespace glyphreel::mapping::perceptual_tables_test {
namespace {

/// The bytes of one glyph in the glyph tables: one per sample, from left to right and top to bottom.
struct SeenRow {
  std::vector<int> bytes;
  int sum = 0;  ///< sum of the scaled bytes; 1 << PerceptualLog2 for a fully covered cell
};
SeenRow seen_row(const GlyphTables& made, std::uint32_t at) {
  SeenRow row;
  for (std::uint32_t i = 0; i < shared::MaxSamples; ++i) {
    const auto byte = static_cast<int>((made.words[at + i / 4] >> (i % 4 * 8)) & 255);
    if (i < made.parameters.sample_count) {
      row.bytes.push_back(byte);
    } else {
      EXPECT_EQ(byte, 0) << "bytes after the last sample must be 0";
    }
    row.sum += byte << made.parameters.fit.weight_shift;
  }
  return row;
}
SeenRow seen_row_of(const GlyphTables& made, int glyph) {
  return seen_row(
      made, made.parameters.fit.weights_at + static_cast<std::uint32_t>(glyph) * shared::MaxSamples / 4);
}

/// The members of PerceivedGlyph in fit.glsl.
struct SeenNumbers {
  int a, contrast;
};
SeenNumbers seen_numbers(const GlyphTables& made, int glyph) {
  const GlyphNumbers numbers = glyph_numbers(made, static_cast<std::uint32_t>(glyph));
  return {static_cast<int>(numbers.a), static_cast<int>(numbers.contrast)};
}

/// Returns every sample grid that area sampling uses, and others that fit in the tables.
std::vector<GridSize> sample_grids() {
  std::vector<GridSize> grids{{32, 1}, {1, 32}, {5, 6}, {7, 4}, {31, 1}, {2, 16}, {3, 10}, {8, 4}};
  for (int columns = 1; columns <= 4; ++columns) {
    for (int rows = 1; rows <= 8; ++rows) grids.push_back({columns, rows});
  }
  return grids;
}

TEST(GlyphTables, PerceptualBytesSumToWhole) {
  const auto contains = [](const std::vector<int>& all, const std::vector<int>& part) {
    return std::equal(part.begin(), part.end(), all.begin(), [](int p, int a) { return 0 <= p && p <= a; });
  };
  for (const CellSize cell : {CellSize{8, 16}, {5, 7}}) {
    const auto set = glyphs(ascii() + "█▌", cell);
    const int block = 95;
    ASSERT_EQ(set->utf8(block), "█");
    for (const GridSize samples : sample_grids()) {
      const auto made = make_glyph_tables(*set, {}, samples);
      ASSERT_TRUE(made);
      const SeenRow full = seen_row(*made, made->parameters.fit.full_weights_at);
      ASSERT_EQ(full.sum, 1 << shared::PerceptualLog2) << samples.columns << 'x' << samples.rows;
      // The CPU kernels multiply these bytes as signed numbers.
      ASSERT_LE(*std::max_element(full.bytes.begin(), full.bytes.end()), 127);
      for (int g = 0; g < set->size(); ++g) {
        const SeenRow row = seen_row_of(*made, g);
        ASSERT_TRUE(contains(full.bytes, row.bytes)) << set->utf8(g);
        ASSERT_EQ(seen_numbers(*made, g).a, row.sum) << set->utf8(g);
      }
      ASSERT_EQ(seen_row_of(*made, block).bytes, full.bytes);
      ASSERT_EQ(seen_row_of(*made, set->blank()).sum, 0);
      ASSERT_EQ(seen_numbers(*made, block).contrast, 0) << "a full block is even";
      ASSERT_EQ(seen_numbers(*made, set->blank()).contrast, 0) << "a blank is even";
    }
  }
}

/// The largest error from truncating the kernel, relative to a fully covered cell. The tables truncate the
/// kernel at 6 sigma, which removes 1 - erf(3) = 2.2e-5 of its sum along each of the two axes. At a corner of
/// the cell, only a quarter of the kernel is inside the cell, so the relative error may be four times as
/// large: 4 * 2 * 2.2e-5.
constexpr double KernelEnd = 2e-4;

TEST(PerceptualMasks, AreSumsOverAllPixelPairs) {
  for (const auto& [cell, samples] : {std::pair<CellSize, GridSize>{{3, 5}, {3, 5}},
                                      {{5, 7}, {4, 7}},
                                      {{4, 6}, {2, 3}},
                                      {{2, 3}, {1, 1}},
                                      {{8, 16}, {4, 8}}}) {
    const auto set = glyphs("#i.█ ", cell);
    const PerceptualMasks seen = perceptual_masks(*set, samples);
    const PerceivedByEyes eyes(cell, samples);
    const std::vector<double> full = eyes.by_samples(std::vector<double>(eyes.pixels(), 1.0));
    ASSERT_EQ(seen.full.size(), full.size());
    for (std::size_t i = 0; i < full.size(); ++i) ASSERT_NEAR(seen.full[i], full[i], full[i] * KernelEnd);
    for (int g = 0; g < set->size(); ++g) {
      const std::vector<double> mask = mask_of(*set, g);
      const std::vector<double> by_samples = eyes.by_samples(mask);
      const auto glyph = static_cast<std::size_t>(g);
      ASSERT_EQ(seen.samples[glyph].size(), by_samples.size());
      for (std::size_t i = 0; i < full.size(); ++i) {
        ASSERT_NEAR(seen.samples[glyph][i], by_samples[i], full[i] * KernelEnd)
            << set->utf8(g) << " sample " << i << " of " << cell.width << 'x' << cell.height;
      }
      ASSERT_NEAR(seen.squares[glyph], eyes.product(mask, mask), KernelEnd) << set->utf8(g);
    }
  }
}

/// The expected table values of all glyphs. Each half of a wide character is a glyph.
struct SeenGlyphs {
  /// For each glyph, each sample's part of the sum of K g (fit.glsl). These parts sum to the glyph's `a`.
  std::vector<std::vector<double>> samples;
  /// For each glyph, the sums of K g and of g K g (fit.glsl), scaled to 1 for a fully covered cell.
  std::vector<double> a, squares;
  std::vector<double> full;
};
SeenGlyphs seen_glyphs(const text::GlyphSet& set, GridSize samples) {
  const PerceivedByEyes eyes(set.cell(), samples);
  const std::vector<double> ones(eyes.pixels(), 1.0);
  SeenGlyphs seen;
  seen.full = eyes.by_samples(ones);
  for (int g = 0; g < set.size(); ++g) {
    const std::vector<double> mask = mask_of(set, g);
    seen.samples.push_back(eyes.by_samples(mask));
    seen.a.push_back(eyes.product(mask, ones));
    seen.squares.push_back(eyes.product(mask, mask));
  }
  return seen;
}

TEST(GlyphTables, PerceptualValuesMatchPixels) {
  constexpr double All = 1 << shared::PerceptualLog2;
  for (const CellSize cell : {CellSize{8, 16}, {1, 1}, {3, 5}, {5, 7}, {2, 3}}) {
    const auto set = glyphs(ascii(), cell);
    const GridSize samples = samples_per_cell(cell, Sampling::Area);
    const GlyphTables made = tables(*set, {});
    const SeenGlyphs seen = seen_glyphs(*set, samples);
    const double unit = 1 << made.parameters.fit.weight_shift;
    // A fully covered cell's bytes are differences of rounded running sums. The sum of the first n bytes is
    // therefore off by at most half a unit, for every n.
    const SeenRow full = seen_row(made, made.parameters.fit.full_weights_at);
    double real = 0;
    double rounded = 0;
    for (std::size_t i = 0; i < full.bytes.size(); ++i) {
      real += seen.full[i] * All;
      rounded += full.bytes[i] * unit;
      ASSERT_NEAR(rounded, real, unit * 0.5 + All * KernelEnd) << "sample " << i;
    }
    for (int g = 0; g < set->size(); ++g) {
      const auto glyph = static_cast<std::size_t>(g);
      const SeenRow row = seen_row_of(made, g);
      for (std::size_t i = 0; i < row.bytes.size(); ++i) {
        // Rounding happens twice: in the byte of a fully covered cell, and in the product of that byte and
        // `share`, which is the glyph's byte.
        const double share = seen.samples[glyph][i] / seen.full[i];
        ASSERT_NEAR(row.bytes[i] * unit, seen.samples[glyph][i] * All,
                    unit * (share + 0.5) + seen.full[i] * All * KernelEnd)
            << set->utf8(g) << " sample " << i << " of " << cell.width << 'x' << cell.height;
      }
      const auto [a, contrast] = seen_numbers(made, g);
      const double variance = seen.squares[glyph] - seen.a[glyph] * seen.a[glyph];
      if (contrast == 0) {
        ASSERT_LT(variance, 1e-3 + KernelEnd) << set->utf8(g);
        continue;
      }
      ASSERT_GE(variance, 1e-3 - KernelEnd) << set->utf8(g) << " is practically even";
      // The tables compute the contrast from the rounded `a`, so this test does the same.
      ASSERT_NEAR(contrast, std::max(1.0, 8 * (seen.squares[glyph] * All - a * (a / All))),
                  0.5 + 8 * All * KernelEnd)
          << set->utf8(g) << " of " << cell.width << 'x' << cell.height;
    }
  }
}

/// The squared dot product of a cell's samples with a glyph's feature vector must be the variance that the
/// glyph explains, times a factor that is the same for all glyphs.
TEST(GlyphTables, FullColorFeaturesMatchExplainedVariance) {
  // Has the same meaning as KernelEnd, but is smaller: this cell is so narrow that the kernel is truncated
  // only vertically. The truncation removes at most (2 * exp(-(10 / (2 * 1.5))^2) / (4 * 1.5)) of the
  // kernel's sum.
  constexpr double End = 1e-5;
  const auto set = glyphs(ascii() + "\u2648\u2649\u264A");
  const GlyphTables made = tables(*set, {});
  const shared::MapParameters& p = made.parameters;
  ASSERT_EQ(p.forms.wide_from, 95u);
  ASSERT_EQ(p.forms.wide_count, 3u);
  const SeenGlyphs seen = seen_glyphs(*set, {4, 8});
  std::vector<std::vector<double>> forms;
  std::vector<double> variances;  // for each form, the variance of its character
  double longest = 0;
  for (std::size_t first = 0; first < 95 + 6; first = forms.size()) {
    const std::size_t last = first < 95 ? first : first + 1;
    const double a = (seen.a[first] + seen.a[last]) / 2;
    const double variance = (seen.squares[first] + seen.squares[last]) / 2 - a * a;
    double length = 0;
    for (std::size_t glyph = first; glyph <= last; ++glyph) {
      std::vector<double> form(32, 0.0);
      for (std::size_t i = 0; i < 32 && variance >= 1e-3; ++i) {
        form[i] = (seen.samples[glyph][i] - a * seen.full[i]) / std::sqrt(variance);
        length += form[i] * form[i];
      }
      forms.push_back(form);
      variances.push_back(variance);
    }
    longest = std::max(longest, std::sqrt(length));
  }
  for (std::size_t glyph = 0; glyph < forms.size(); ++glyph) {
    for (std::size_t i = 0; i < 32; ++i) {
      const std::uint32_t word = made.words[p.forms.features_at + glyph * p.forms.feature_pairs + i / 2];
      const int feature = static_cast<std::int16_t>(i % 2 == 0 ? word & 0xFFFF : word >> 16);
      const double wanted = forms[glyph][i] * 4096 / longest;
      // Truncating the kernel changes the square root of the variance (first term) and the sample's part of
      // the coverage (second term).
      const double off =
          std::abs(wanted) * 3 * End / std::max(variances[glyph], 1e-3) +
          2 * End * seen.full[i] / std::sqrt(std::max(variances[glyph], 1e-3)) * 4096 / longest;
      ASSERT_NEAR(feature, wanted, 0.5 + off) << set->utf8(static_cast<int>(glyph)) << ' ' << i;
    }
  }
}

int signed_byte(const GlyphTables& made, std::uint32_t row, std::uint32_t i) {
  return static_cast<std::int8_t>(made.words[row + i / 4] >> (8 * (i % 4)) & 0xFF);
}

int signed_half(const GlyphTables& made, std::uint32_t row, std::uint32_t i) {
  return static_cast<std::int16_t>(made.words[row + i / 2] >> (16 * (i % 2)) & 0xFFFF);
}

/// The bytes of the forms are their features at another scale, and the offsets make the cell's features
/// signed.
TEST(GlyphTables, FullColorBytesMatchFeatures) {
  const auto set = glyphs(ascii() + "\u2648\u2649\u264A");
  const GlyphTables made = tables(*set, {});
  const shared::FormParameters& forms = made.parameters.forms;
  const std::uint32_t count = forms.narrow + 2 * forms.wide_count;
  int largest = 0;
  for (std::uint32_t form = 0; form < count; ++form) {
    for (std::uint32_t i = 0; i < 32; ++i) {
      largest =
          std::max(largest, std::abs(signed_half(made, forms.features_at + form * forms.feature_pairs, i)));
    }
  }
  ASSERT_GT(largest, 0);
  int largest_byte = 0;
  for (std::uint32_t form = 0; form < count; ++form) {
    const std::uint32_t bytes_at = forms.bytes_at + form * (shared::MaxSamples / 4);
    int sum = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      const int byte = signed_byte(made, bytes_at, i);
      const double wanted =
          signed_half(made, forms.features_at + form * forms.feature_pairs, i) * 127.0 / largest;
      ASSERT_NEAR(byte, wanted, 0.5 + 127.0 / largest) << "form " << form << " sample " << i;
      largest_byte = std::max(largest_byte, std::abs(byte));
      sum += byte;
    }
    const auto offset = static_cast<std::int32_t>(made.words[forms.byte_offsets_at + form]);
    EXPECT_NEAR(offset, -(shared::ByteFeatureZero - 0.5) * sum, 0.5) << "form " << form;
  }
  EXPECT_EQ(largest_byte, 127);
  EXPECT_EQ(forms.index_mask, 4095u);
}

/// The halves of a wide character are fitted as one glyph, so both must have the same `a` and `contrast`.
TEST(GlyphTables, WideGlyphHalvesSharePerceptualWeight) {
  constexpr double All = 1 << shared::PerceptualLog2;
  const auto set = glyphs("x ♈♉♊⚒⚡");
  const GlyphTables made = tables(*set, {});
  const SeenGlyphs seen = seen_glyphs(*set, {4, 8});
  int wide = 0;
  for (int left = set->narrow_count(); left < set->size(); left += 2) {
    const auto [a, contrast] = seen_numbers(made, left);
    const auto right = seen_numbers(made, left + 1);
    ASSERT_EQ(a, right.a) << set->utf8(left);
    ASSERT_EQ(contrast, right.contrast) << set->utf8(left);
    // `a` must be exactly the average of the sums of the two halves' bytes.
    ASSERT_EQ(2 * a, seen_row_of(made, left).sum + seen_row_of(made, left + 1).sum) << set->utf8(left);
    const auto at = static_cast<std::size_t>(left);
    const double square = (seen.squares[at] + seen.squares[at + 1]) / 2;
    ASSERT_NEAR(contrast, 8 * (square * All - a * (a / All)), 0.5 + 8 * All * KernelEnd) << set->utf8(left);
    ++wide;
  }
  EXPECT_GE(wide, 4);
}

}  // namespace
}  // namespace glyphreel::mapping::perceptual_tables_test
