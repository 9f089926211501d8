// Tests the decisions for each frame: the bright end of its levels, the gain, and whether to use the history.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "map_subjects.h"
#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/glyph_measures.h"

namespace glyphreel::mapping::levels_test {
namespace {

namespace scalar = shared::scalar;
using Histogram = std::array<std::uint32_t, 256>;

/// Uses a grid of 100 cells. The bright end of a frame's levels is the 98th percentile: the lowest level that
/// at most two of the 100 cells exceed.
class Levels : public testing::Test {
 protected:
  Levels() : made_(tables(*glyphs(" .:@"), {.color = Color::Mono})) {
    made_.parameters.columns = 20;
    made_.parameters.rows = 5;
    made_.parameters.levels.rate = level_rate({.duration_seconds = 0.04});
  }

  [[nodiscard]] shared::FrameState next(const Histogram& histogram, const shared::FrameState& before = {},
                                        std::uint32_t moved = 0) const {
    return scalar::next_state(made_.parameters, before, moved, bright_end(histogram, made_));
  }
  /// Returns the histogram of cells that all have one tone.
  static Histogram flat(std::size_t tone) {
    Histogram histogram{};
    histogram[tone] = 100;
    return histogram;
  }

  GlyphTables made_;
};

TEST_F(Levels, BrightEndIs98thPercentile) {
  Histogram three{};
  three[50] = 97;
  three[200] = three[240] = three[250] = 1;
  EXPECT_EQ(next(three).level, linear_from_code(200));
  Histogram two{};
  two[50] = 98;
  two[250] = 2;
  EXPECT_EQ(next(two).level, linear_from_code(50));
  EXPECT_EQ(next(flat(255)).level, 65535u);
  EXPECT_EQ(next(flat(1)).level, linear_from_code(1));
  EXPECT_EQ(next(flat(0)).level, 0u);
}

TEST_F(Levels, GainMapsBrightEndToWhiteWithinLimits) {
  EXPECT_EQ(next(flat(255)).gain, 4096u);
  for (std::size_t tone = 0; tone < 256; ++tone) {
    const shared::FrameState state = next(flat(tone));
    ASSERT_GE(state.gain, 4096u);
    ASSERT_LE(state.gain, 6144u);
    const double wanted = state.level == 0 ? 4871.0 / 4096 : std::min(4871.0 / 4096, 65535.0 / state.level);
    ASSERT_NEAR(state.gain / 4096.0, wanted, 1.0 / 4096) << tone;
  }
  made_.parameters.levels.automatic = 0;
  EXPECT_EQ(next(flat(60)).gain, 4096u);
}

TEST_F(Levels, HistoryIsKeptExceptAcrossCuts) {
  constexpr std::uint32_t Cut = 51 * 100;
  const shared::FrameState first = next(flat(100), {}, 0);
  EXPECT_EQ(first.keep, 0u) << "the first frame has no history";
  EXPECT_EQ(first.frames, 1u);
  const shared::FrameState second = next(flat(110), first, Cut - 1);
  EXPECT_EQ(second.keep, 1u);
  EXPECT_EQ(second.frames, 2u);
  EXPECT_GT(second.level, linear_from_code(100));
  EXPECT_LT(second.level, linear_from_code(110));
  const shared::FrameState cut = next(flat(200), first, Cut);
  EXPECT_EQ(cut.keep, 0u);
  EXPECT_EQ(cut.level, linear_from_code(200)) << "a new scene gets its own level immediately";
  shared::FrameState old = first;
  old.frames = 0xFFFFFFFF;
  EXPECT_EQ(next(flat(100), old).frames, 0xFFFFFFFFu) << "a count that wraps to 0 would reset the history";
  EXPECT_EQ(next(flat(100), old).keep, 1u);
}

TEST_F(Levels, SmoothingConvergesFromBothSides) {
  for (const auto& [from, to] : {std::pair{20, 230}, {230, 20}, {0, 255}, {255, 0}, {100, 101}, {101, 100}}) {
    shared::FrameState state = next(flat(static_cast<std::size_t>(from)));
    const double start = state.level;
    const std::uint32_t goal = linear_from_code(to);
    int frames = 0;
    double half_a_second_left = 1;
    while (state.level != goal) {
      const std::uint32_t before = state.level;
      state = next(flat(static_cast<std::size_t>(to)), state);
      if (to > from) {
        ASSERT_TRUE(state.level > before && state.level <= goal);
      } else {
        ASSERT_TRUE(state.level < before && state.level >= goal);
      }
      if (++frames == 12) half_a_second_left = (state.level - static_cast<double>(goal)) / (start - goal);
      ASSERT_LT(frames, 500) << "20 s at 25 frames a second";
    }
    if (std::abs(to - from) < 100) continue;
    // After 12 frames (0.48 s), exp(-0.48 / 0.5) of the level's distance from the goal is left. The tolerance
    // is needed because next_state() truncates the rate to 8 bits.
    EXPECT_NEAR(half_a_second_left, 0.383, 0.03) << from << " to " << to;
  }
}

TEST(LevelRate, IsIndependentOfFrameRate) {
  // 65536 (1 - exp(-0.04 s / 0.5 s)) is 5039.
  EXPECT_EQ(level_rate({.duration_seconds = 0.04}), 5039u);
  EXPECT_EQ(level_rate({.duration_seconds = 0}), 5039u) << "unknown: treated as 25 frames per second";
  EXPECT_EQ(level_rate({.duration_seconds = 1}), 56667u);
  EXPECT_EQ(level_rate({.duration_seconds = 3600}), 56667u) << "limited for still images";
  const double kept = std::exp(-2.0);
  for (const int rate : {1, 10, 24, 30, 60, 144}) {
    const double per_frame = 1 - level_rate({.duration_seconds = 1.0 / rate}) / 65536.0;
    EXPECT_NEAR(std::pow(per_frame, rate), kept, 0.001) << rate;
  }
}

/// Runs the mapper: a dim picture gets brighter glyphs with auto-levels than without, and black stays black.
TEST(AutoLevels, BrightenDimPicturesAndKeepBlack) {
  const auto set = glyphs(ascii());
  const std::vector<std::uint32_t> ink = measure_ink(*set);
  const Frame dim = painted({128, 128}, [](int x, int) {
    const auto gray = static_cast<std::uint32_t>(x < 32 ? 0 : 236);
    return gray * 0x010101u;
  });
  const Frame white = painted({128, 128}, [](int x, int) { return x < 32 ? 0u : 0xFFFFFFu; });
  for (const Mode mode : {Mode::Ramp, Mode::Shape}) {
    const Parameters parameters{.mode = mode, .color = Color::Mono};
    Parameters off = parameters;
    off.auto_levels = AutoLevels::Off;
    // Returns the ink of the picture's bright part. Checks that the dark part is blank. Ignores the columns
    // near the border between the two parts.
    const auto ink_of = [&](const Parameters& asked, const Frame& frame) {
      Mapped mapped(*set, {16, 8}, asked);
      double sum = 0;
      for (std::size_t i = 0; i < mapped.map(frame).size(); ++i) {
        const double light = ink[mapped.cells[i].glyph];
        if (i % 16 < 3) {
          EXPECT_EQ(light, 0) << i;
        }
        if (i % 16 >= 6) sum += light;
      }
      return sum;
    };
    const double brightest = ink_of(off, white);
    EXPECT_EQ(ink_of(parameters, white), brightest) << "bright pictures are unchanged";
    EXPECT_NEAR(ink_of(parameters, dim) / brightest, 1, 0.03) << "the bright end is shown like white";
    // The code value 236 has 0.84 times the light of white.
    EXPECT_NEAR(ink_of(off, dim) / brightest, 0.84, 0.05);
  }
}

}  // namespace
}  // namespace glyphreel::mapping::levels_test
