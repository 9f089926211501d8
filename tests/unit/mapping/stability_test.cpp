// Maps sequences of frames and tests what must stay stable, and what must change immediately.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "map_subjects.h"
#include "mapping/tables/glyph_measures.h"
#include "mapping/tables/palette.h"

namespace glyphreel::mapping::stability_test {
namespace {

constexpr Extent Size{256, 192};
constexpr GridSize Grid{32, 12};

struct Way {
  Mode mode;
  Color color;
  Reverse reverse = Reverse::Never;
};
constexpr Way Ways[] = {
    {Mode::Ramp, Color::Mono}, {Mode::Shape, Color::Mono}, {Mode::Shape, Color::Mono, Reverse::PerCell},
    {Mode::Shape, Color::Fg},  {Mode::Shape, Color::Full}, {Mode::Edge, Color::Full},
    {Mode::Ramp, Color::Full}};

Parameters parameters(const Way& way, double stability = 0.5) {
  return {.mode = way.mode, .color = way.color, .reverse = way.reverse, .stability = stability};
}

/// Returns 0xRRGGBB of a picture with shades, an edge and texture.
std::uint32_t scene(int x, int y) {
  const int shade = x * 200 / Size.width + 20;
  const int texture = ((x * 7 + y * 13) % 31) * 2;
  const int red = (x - 128) * (x - 128) + (y - 96) * (y - 96) < 60 * 60 ? 230 - texture : shade;
  const int green = std::clamp(shade + texture - 20, 0, 255);
  const int blue = y > 128 ? 150 : 40 + texture;
  return static_cast<std::uint32_t>(red << 16 | green << 8 | blue);
}

/// Returns 0xRRGGBB of a different scene, which is dark where scene() is bright.
std::uint32_t other_scene(int x, int y) {
  return (x / 24 + y / 40) % 2 == 0 ? 0xF0F8FFu : scene(Size.width - 1 - x, y) ^ 0xE0E0E0u;
}

/// Returns a frame of the picture `of` with noise of up to two code values. Each `seed` makes different
/// noise.
Frame noisy(std::uint32_t (*of)(int, int), unsigned seed, std::uint32_t epoch = 0) {
  std::mt19937 random(seed);
  return painted(
      Size,
      [&](int x, int y) {
        const std::uint32_t rgb = of(x, y);
        std::uint32_t grained = 0;
        for (const int shift : {0, 8, 16}) {
          const int value = static_cast<int>((rgb >> shift) & 255) + static_cast<int>(random() % 5) - 2;
          grained |= static_cast<std::uint32_t>(std::clamp(value, 0, 255)) << shift;
        }
        return grained;
      },
      epoch);
}

/// Counts the glyph changes from frame to frame of a still picture with noise.
int changes_of(const text::GlyphSet& set, const Parameters& asked) {
  Mapped mapped(set, Grid, asked);
  std::vector<shared::Cell> before = mapped.map(noisy(scene, 0));
  int changed = 0;
  for (unsigned frame = 1; frame <= 12; ++frame) {
    mapped.map(noisy(scene, frame));
    for (std::size_t i = 0; i < before.size(); ++i)
      changed += mapped.cells[i].glyph != before[i].glyph ? 1 : 0;
    before = mapped.cells;
  }
  return changed;
}

TEST(Stability, StillPicturesFlickerLess) {
  const auto set = glyphs(ascii());
  for (const Way& way : Ways) {
    Parameters steady = parameters(way);
    Parameters alone = parameters(way, 0);
    // In ramp mode, stability depends on the size of the ramp's steps. Common ramps have ten steps.
    if (way.mode == Mode::Ramp) steady.ramp = alone.ramp = " .:-=+*#%@";
    const int changes = changes_of(*set, steady);
    const int changes_alone = changes_of(*set, alone);
    EXPECT_GT(changes_alone, 0);
    EXPECT_LE(changes * 4, changes_alone)
        << changes << " of " << changes_alone << ", mode " << static_cast<int>(way.mode) << " color "
        << static_cast<int>(way.color);
  }
  // If the ramp uses all of ASCII, its steps are smaller than the amplitude of the noise, so stability
  // prevents fewer changes.
  const Way ramp{Mode::Ramp, Color::Mono};
  EXPECT_LT(changes_of(*set, parameters(ramp)), 0.6 * changes_of(*set, parameters(ramp, 0)));
}

/// A frame must not depend on frames of another scene or epoch, or on frames before reset_history().
TEST(Stability, CutsAndSeeksResetHistory) {
  const auto set = glyphs(ascii());
  for (const Way& way : Ways) {
    const auto expect_fresh = [&](const char* what, Mapped& mapped, const Frame& frame) {
      Mapped fresh(*set, Grid, parameters(way));
      mapped.map(frame);
      fresh.map(frame);
      for (std::size_t i = 0; i < fresh.cells.size(); ++i) {
        ASSERT_TRUE(same(mapped.cells[i], fresh.cells[i]))
            << what << ": cell " << i << " mode " << static_cast<int>(way.mode) << " color "
            << static_cast<int>(way.color);
      }
    };
    Mapped mapped(*set, Grid, parameters(way));
    for (unsigned frame = 0; frame < 4; ++frame) mapped.map(noisy(scene, frame));
    expect_fresh("cut", mapped, noisy(other_scene, 9));
    for (unsigned frame = 0; frame < 4; ++frame) mapped.map(noisy(other_scene, frame));
    expect_fresh("seek", mapped, noisy(other_scene, 10, 1));
    mapped.map(noisy(other_scene, 11, 1));
    mapped.mapper().reset_history();
    expect_fresh("reset", mapped, noisy(other_scene, 12, 1));
  }
}

/// Within a scene, a frame must depend on earlier frames: otherwise CutsAndSeeksResetHistory would pass for a
/// mapper without history.
TEST(Stability, PreviousFrameMattersWithinScene) {
  const auto set = glyphs(ascii());
  for (const Way& way : Ways) {
    Mapped mapped(*set, Grid, parameters(way));
    for (unsigned frame = 0; frame < 4; ++frame) mapped.map(noisy(scene, frame));
    Mapped fresh(*set, Grid, parameters(way));
    fresh.map(noisy(scene, 3));
    int differing = 0;
    for (std::size_t i = 0; i < fresh.cells.size(); ++i)
      differing += same(mapped.cells[i], fresh.cells[i]) ? 0 : 1;
    EXPECT_GT(differing, 0) << "mode " << static_cast<int>(way.mode) << " color "
                            << static_cast<int>(way.color);
  }
}

/// Returns the code value of the mean light of a cell's drawn pixels.
double drawn_luma(const text::GlyphSet& set, const shared::Cell& cell) {
  const std::size_t pixels = static_cast<std::size_t>(set.cell().width) * set.cell().height;
  double light = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint32_t coverage = set.masks()[cell.glyph * pixels + i];
    const auto channel = [&](int shift) {
      const std::uint32_t foreground = (cell.foreground >> shift) & 255;
      const std::uint32_t background = (cell.background >> shift) & 255;
      return linear_from_code(
          static_cast<int>((foreground * coverage + background * (255 - coverage)) / 255));
    };
    light += 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
  }
  return 255 * std::pow(light / static_cast<double>(pixels) / 65535, 1 / 2.2);
}

/// A bright bar moves across a dark picture. In the cells that it enters and leaves, stability must not
/// change the brightness, except for the difference between glyphs that fit equally well.
TEST(Stability, MovingEdgesDoNotSmear) {
  const auto set = glyphs(ascii());
  for (const Way& way : Ways) {
    Mapped steady(*set, Grid, parameters(way));
    Mapped alone(*set, Grid, parameters(way, 0));
    std::vector<double> luma_before(static_cast<std::size_t>(Grid.cells()), 0);
    int moved = 0;
    double worst = 0;
    double sum = 0;
    for (int frame = 0; frame < 20; ++frame) {
      const int left = frame * 11;
      const auto paint = [left](int x, int y) {
        return x >= left && x < left + 40 ? 0xE0D0C0u : scene(x, y) >> 2 & 0x3F3F3Fu;
      };
      const Frame shown = painted(Size, paint);
      steady.map(shown);
      alone.map(shown);
      for (int cell = 0; cell < Grid.cells(); ++cell) {
        double luma = 0;
        for (int i = 0; i < 128; ++i) {
          const std::uint32_t rgb = paint(cell % Grid.columns * 8 + i % 8, cell / Grid.columns * 16 + i / 8);
          luma += (0.2126 * ((rgb >> 16) & 255) + 0.7152 * ((rgb >> 8) & 255) + 0.0722 * (rgb & 255)) / 128;
        }
        const auto at = static_cast<std::size_t>(cell);
        const double change = std::abs(luma - luma_before[at]);
        luma_before[at] = luma;
        if (frame == 0 || change < 60) continue;
        ++moved;
        const double away = std::abs(drawn_luma(*set, steady.cells[at]) - drawn_luma(*set, alone.cells[at]));
        worst = std::max(worst, away);
        sum += away;
      }
    }
    EXPECT_GT(moved, 300);
    EXPECT_LT(worst, 12) << "mode " << static_cast<int>(way.mode) << " color " << static_cast<int>(way.color);
    EXPECT_LT(sum / moved, 1);
  }
}

/// Returns the foregrounds of a cell in frames that are one code value brighter each, as grays.
std::vector<int> shown_in_fade(double stability) {
  const auto set = glyphs(ascii());
  Mapped mapped(*set, Grid, {.mode = Mode::Shape, .color = Color::Full, .stability = stability});
  std::vector<int> shown;
  for (std::uint32_t gray = 100; gray < 130; ++gray) {
    mapped.map(painted(Size, [gray](int, int) { return gray * 0x010101u; }));
    shown.push_back(static_cast<int>(mapped.cells.front().foreground & 255));
  }
  return shown;
}

TEST(Stability, ColorsIgnoreChangesOfOneCodeValue) {
  const std::vector<int> exact = shown_in_fade(0);
  const std::vector<int> steady = shown_in_fade(0.5);
  int kept = 0;
  for (std::size_t frame = 1; frame < steady.size(); ++frame) {
    EXPECT_EQ(exact[frame], exact[frame - 1] + 1);
    EXPECT_LE(std::abs(steady[frame] - exact[frame]), 1) << "fades lag by at most one code value";
    kept += steady[frame] == steady[frame - 1] ? 1 : 0;
  }
  EXPECT_EQ(kept, 15) << "every second frame";
}

/// Dither shows a flat picture with two glyphs. The share of cells that show the brighter of the two must
/// equal the share that the ramp table specifies for the picture's tone.
TEST(Dither, RampsMixGlyphsInProportion) {
  const auto set = glyphs(ascii());
  const std::vector<std::uint32_t> ink = measure_ink(*set);
  const GridSize grid{static_cast<int>(shared::DitherSize), static_cast<int>(shared::DitherSize)};
  for (const Dither dither : {Dither::Bayer, Dither::BlueNoise}) {
    const Parameters asked{.mode = Mode::Ramp,
                           .color = Color::Mono,
                           .auto_levels = AutoLevels::Off,
                           .stability = 0,
                           .dither = dither};
    const GlyphTables made = tables(*set, asked);
    Mapped mapped(*set, grid, asked);
    int mixed = 0;
    for (std::uint32_t tone = 0; tone < 256; tone += 7) {
      mapped.map(painted({64, 64}, [tone](int, int) { return tone * 0x010101u; }));
      const std::uint32_t entry = made.words[made.parameters.ramp.entries_at + tone];
      const std::uint32_t below = entry & 4095;
      const std::uint32_t above = (entry >> 12) & 4095;
      std::uint32_t brighter = 0;
      for (const shared::Cell& cell : mapped.cells) {
        ASSERT_TRUE(cell.glyph == below || cell.glyph == above) << tone;
        brighter += cell.glyph == above && above != below ? 1 : 0;
      }
      if (above == below) continue;
      ++mixed;
      ASSERT_EQ(brighter, (entry >> 24) * 16) << "each of 256 thresholds applies to 16 of 4096 cells";
    }
    EXPECT_GT(mixed, 20);
  }
}

TEST(Palette, OnlyPaletteColorsAreShown) {
  const auto set = glyphs(ascii());
  for (const auto& palette :
       {ansi16_palette(), ansi256_palette(), std::vector<std::uint32_t>{0x102030, 0xE0D0B0, 0x00FF00}}) {
    std::set<std::uint32_t> allowed;
    for (const std::uint32_t color : palette) allowed.insert(0xFF000000u | color);
    for (const Way& way : Ways) {
      for (const Dither dither : {Dither::None, Dither::Bayer, Dither::BlueNoise}) {
        for (const double legibility : {0.0, 0.5}) {
          Parameters asked = parameters(way);
          asked.palette = palette;
          asked.dither = dither;
          asked.legibility = legibility;
          asked.foreground = 0xC0FFEE;
          Mapped mapped(*set, Grid, asked);
          std::set<std::uint32_t> shown;
          for (unsigned frame = 0; frame < 3; ++frame) {
            for (const shared::Cell& cell : mapped.map(noisy(frame < 2 ? scene : other_scene, frame))) {
              shown.insert(cell.foreground);
              shown.insert(cell.background);
            }
          }
          ASSERT_TRUE(std::includes(allowed.begin(), allowed.end(), shown.begin(), shown.end()));
          ASSERT_GE(shown.size(), 2u);
        }
      }
    }
  }
}

/// Adjustments may differ from frame to frame. A frame's adjustments must not affect later frames.
TEST(Adjusting, ResetRestoresOriginalCells) {
  const auto set = glyphs(ascii());
  for (const Way& way : Ways) {
    Mapped adjusted(*set, Grid, parameters(way, 0));
    const Frame frame = noisy(scene, 1);
    const std::vector<shared::Cell> plain = adjusted.map(frame);
    const std::vector<shared::Cell> changed = adjusted.map(frame, {.brightness = 30, .inverted = true});
    EXPECT_FALSE(std::equal(plain.begin(), plain.end(), changed.begin(), same));
    adjusted.mapper().reset_history();
    adjusted.map(frame);
    for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_TRUE(same(adjusted.cells[i], plain[i])) << i;
  }
}

}  // namespace
}  // namespace glyphreel::mapping::stability_test
