#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "../map_subjects.h"
#include "mapping/shared/shared_scalar.h"

namespace glyphreel::mapping::draft_test {
namespace {

namespace scalar = shared::scalar;

/// The drafts of 3 x 3 cells. The draft of the tested cell is in the middle.
class Drafts {
 public:
  Drafts() : words_(std::size_t{9} * shared::DraftWords, 0) {}
  std::uint32_t* of(int column, int row) {
    return words_.data() + static_cast<std::size_t>((row + 1) * 3 + column + 1) * shared::DraftWords;
  }
  shared::AnalysisView view() {
    return {.drafts = of(0, 0), .draft_pitch = std::ptrdiff_t{3} * shared::DraftWords};
  }

 private:
  std::vector<std::uint32_t> words_;
};

shared::MapParameters four_by_eight() {
  return {.sample_count = 32, .samples_x = 4};
}

std::vector<std::uint32_t> gray_samples(std::uint32_t code) {
  return std::vector<std::uint32_t>(32, code << 24 | code << 16 | code << 8 | code);
}

scalar::CellSamples wanted(Drafts& drafts, const std::vector<std::uint32_t>& samples) {
  const shared::MapParameters p = four_by_eight();
  const auto cell = scalar::load_samples(samples.data(), nullptr, {}, p);
  return scalar::with_residuals(samples.data(), nullptr, drafts.view(), p, cell);
}

TEST(Draft, RemainderIsHalfTheError) {
  EXPECT_EQ(scalar::residual(100, 0, 255, 60), 20);    // shows the background: (100 - 60) / 2
  EXPECT_EQ(scalar::residual(100, 32, 160, 60), -30);  // shows the foreground: (100 - 160) / 2
  EXPECT_EQ(scalar::residual(100, 16, 140, 60), 0);    // shows half of each: (100 - 100) / 2
  EXPECT_EQ(scalar::residual(255, 0, 0, 0), 127);
  EXPECT_EQ(scalar::residual(0, 32, 255, 0), -128);
}

TEST(Draft, ZeroRemainderChangesNothing) {
  Drafts drafts;
  std::mt19937 random(3);
  std::vector<std::uint32_t> samples(32);
  for (std::uint32_t& sample : samples) sample = static_cast<std::uint32_t>(random());
  const scalar::CellSamples same = wanted(drafts, samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(same.word[i] & 0xFFFFFFu, samples[i] & 0xFFFFFFu) << i;
  }
}

/// A neighbor's residuals along the common border must be added to the cell's samples along that border, and
/// must not change other samples.
TEST(Draft, BorderSamplesReceiveNeighborError) {
  struct Way {
    int column, row;
  };
  for (const Way way : {Way{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
    Drafts drafts;
    for (std::uint32_t i = 0; i < 32; ++i) drafts.of(way.column, way.row)[i] = i + 1;  // errors only in blue
    const scalar::CellSamples changed = wanted(drafts, gray_samples(100));
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 4; ++x) {
        // Whether this sample is at the border to that neighbor.
        const bool across = (way.column == -1 && x == 0) || (way.column == 1 && x == 3) ||
                            (way.row == -1 && y == 0) || (way.row == 1 && y == 7);
        const int from_x = way.column == 0 ? x : 3 - x;
        const int from_y = way.row == 0 ? y : 7 - y;
        const std::uint32_t blue = across ? 100u + static_cast<std::uint32_t>(from_y * 4 + from_x + 1) : 100u;
        EXPECT_EQ(changed.word[y * 4 + x] & 0xFFFFFFu, 100u << 16 | 100u << 8 | blue)
            << "from " << way.column << ' ' << way.row << " to " << x << ' ' << y;
      }
    }
  }
}

TEST(Draft, SumsAreClampedToCodeRange) {
  Drafts drafts;
  for (std::uint32_t i = 0; i < 32; ++i) {
    drafts.of(-1, 0)[i] = 0x7F7F7Fu;  // 127 in each channel
    drafts.of(0, -1)[i] = 0x7F7F7Fu;
    drafts.of(1, 0)[i] = 0x808080u;  // -128 in each channel
  }
  const scalar::CellSamples changed = wanted(drafts, gray_samples(100));
  EXPECT_EQ(changed.word[0] & 0xFFFFFFu, 0xFFFFFFu);  // 100 + 127 + 127
  EXPECT_EQ(changed.word[3] & 0xFFu, 99u);            // 100 + 127 - 128
  EXPECT_EQ(changed.word[7] & 0xFFFFFFu, 0u);         // 100 - 128
}

TEST(Draft, SumsMeanErrorsOfFourNeighbors) {
  Drafts drafts;
  drafts.of(-1, 0)[shared::DraftMeanError] = 0x010203;
  drafts.of(1, 0)[shared::DraftMeanError] = 0xFF0000;  // -1 in red
  drafts.of(0, -1)[shared::DraftMeanError] = 0x7F8000;
  drafts.of(0, 1)[shared::DraftMeanError] = 0x7F8001;
  // The cell's own error and those of diagonal neighbors must not count.
  drafts.of(0, 0)[shared::DraftMeanError] = 0x333333;
  drafts.of(1, -1)[shared::DraftMeanError] = 0x444444;
  const scalar::Residuals sum = scalar::neighbor_errors(nullptr, nullptr, drafts.view());
  EXPECT_EQ(sum.r, 1 - 1 + 127 + 127);
  EXPECT_EQ(sum.g, 2 - 128 - 128);
  EXPECT_EQ(sum.b, 3 + 1);
}

/// A cell's draft selects a glyph. If that glyph is drawn in its fitted colors, the result differs from the
/// samples. The draft must store half of each sample's difference.
TEST(Draft, LeavesHalfTheGlyphError) {
  const auto set = glyphs(ascii());
  const GlyphTables made = tables(*set, {.mode = Mode::Shape, .color = Color::Full, .stability = 0});
  const shared::MapParameters& p = made.parameters;
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint32_t> samples(32);
    for (std::uint32_t& sample : samples) sample = static_cast<std::uint32_t>(random()) & 0xFFFFFFu;
    Drafts drafts;
    scalar::draft_cell(samples.data(), made.words.data(), drafts.view(), p, {}, 0, 0);
    const auto glyph = static_cast<std::int32_t>(drafts.of(0, 0)[shared::MaxSamples] & 0xFFFFu);
    const auto cell = scalar::load_samples(samples.data(), made.words.data(), {}, p);
    const scalar::Moments m = scalar::measure(samples.data(), made.words.data(), {}, p, cell);
    const scalar::ColorFit fit = scalar::fit_colors(samples.data(), made.words.data(), {}, p, cell, m, glyph);
    for (std::uint32_t i = 0; i < 32; ++i) {
      const double coverage =
          ((made.words[p.fit.coverage_at + static_cast<std::uint32_t>(glyph) * 8 + i / 4] >> (i % 4 * 8)) &
           255u) /
          32.0;
      const double drawn = fit.bg_g + (fit.fg_g - fit.bg_g) * coverage;
      const double lacking = static_cast<double>((samples[i] >> 8) & 255u) - drawn;
      const auto left = static_cast<std::int8_t>((drafts.of(0, 0)[i] >> 8) & 255u);
      // The drawn code and the stored half of the difference are both rounded.
      EXPECT_NEAR(left, lacking / 2, 0.76) << round << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace glyphreel::mapping::draft_test
