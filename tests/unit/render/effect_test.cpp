#include "render/effect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gradient_frame.h"
#include "mapping/tables/glyph_tables.h"
#include "mapping/tables/palette.h"
#include "render/renderer.h"

namespace glyphreel::render::effect_test {
namespace {

constexpr Effect Effects[] = {Effect::Rain, Effect::Tube, Effect::Glitch, Effect::Ripple};
constexpr CellSize CellPixels{8, 16};
constexpr GridSize Sizes[] = {{1, 1}, {3, 2}, {2, 1}, {1, 7}, {9, 4}, {40, 12}, {160, 45}};
const std::string Ascii = " .:-=+*#%@abcdefg";

bool same(const Cell& a, const Cell& b) {
  return a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background;
}

bool same(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Cell& x, const Cell& y) { return same(x, y); });
}

/// A grid of random cells such as the mapping could produce with this glyph set and these parameters.
struct Mapped {
  std::shared_ptr<const text::GlyphSet> glyphs;
  mapping::Parameters parameters;
  mapping::GlyphTables tables;
  GridSize grid;
  std::vector<Cell> cells;

  Mapped(GridSize size, const std::string& characters, const mapping::Parameters& asked)
      : parameters(asked), grid(size) {
    auto set = text::GlyphSet::make({.cell = CellPixels, .characters = characters});
    CHECK(static_cast<bool>(set), set.error().message);
    glyphs = *std::move(set);
    auto made = mapping::make_glyph_tables(*glyphs, parameters, {4, 8});
    CHECK(static_cast<bool>(made), made.error().message);
    tables = *std::move(made);
    tables.parameters.columns = static_cast<std::uint32_t>(grid.columns);
    tables.parameters.rows = static_cast<std::uint32_t>(grid.rows);
    fill();
  }

  std::vector<Cell> play(Effect effect, std::uint32_t time) const {
    const EffectParameters p = effect_parameters(effect, time, CellPixels, tables.parameters);
    std::vector<Cell> played(cells.size());
    for (int row = 0; row < grid.rows; ++row)
      apply_effect_row(p, tables.words.data(), cells.data(), row, played.data());
    return played;
  }

  std::uint32_t color(std::mt19937& random) const {
    const auto& palette = parameters.palette;
    return 0xFF000000u | (palette.empty() ? random() & 0xFFFFFF : palette[random() % palette.size()]);
  }

 private:
  void fill() {
    std::mt19937 random(7);
    const auto narrow = static_cast<std::uint32_t>(glyphs->narrow_count());
    const auto wide = (static_cast<std::uint32_t>(glyphs->size()) - narrow) / 2;
    const mapping::shared::MapParameters& p = tables.parameters;
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        Cell cell{.glyph = static_cast<std::uint32_t>(random() % narrow),
                  .foreground = color(random),
                  .background = color(random)};
        if (p.color != mapping::shared::ColorFull) cell.background = p.background;
        if (p.color == mapping::shared::ColorMono) cell.foreground = p.foreground;
        if (wide > 0 && column % 2 == 0 && column + 1 < grid.columns && random() % 2 == 0) {
          cell.glyph = narrow + 2 * static_cast<std::uint32_t>(random() % wide);
          cells.push_back(cell);
          ++cell.glyph;
          ++column;
        }
        cells.push_back(cell);
      }
    }
  }
};

/// Returns mapping parameters for all color modes.
std::vector<mapping::Parameters> colorings() {
  using mapping::Color;
  std::vector<mapping::Parameters> all = {
      {.color = Color::Full}, {.color = Color::Fg}, {.color = Color::Mono}};
  all.push_back({.color = Color::Mono, .foreground = 0x202020, .background = 0xF0F0E0});
  all.push_back({.color = Color::Full, .palette = mapping::ansi16_palette()});
  all.push_back({.color = Color::Fg, .palette = {0x000000, 0xFFB000, 0x804000}});
  return all;
}

TEST(Effects, NoneLeavesPictureUnchanged) {
  for (const mapping::Parameters& parameters : colorings()) {
    const Mapped mapped({40, 12}, Ascii + "漢字", parameters);
    for (std::uint32_t time = 0; time < 4000; time += 130)
      EXPECT_TRUE(same(mapped.play(Effect::None, time), mapped.cells));
  }
}

TEST(Effects, EachChangesCellsOverTime) {
  for (const mapping::Parameters& parameters : colorings()) {
    const Mapped mapped({40, 12}, Ascii, parameters);
    for (const Effect effect : Effects) {
      int changed = 0;
      int moved = 0;
      for (std::uint32_t time = 0; time < 6000; time += 130) {
        const std::vector<Cell> played = mapped.play(effect, time);
        changed += same(played, mapped.cells) ? 0 : 1;
        moved += same(played, mapped.play(effect, time + 600)) ? 0 : 1;
      }
      EXPECT_GT(changed, 10) << static_cast<int>(effect);
      EXPECT_GT(moved, 10) << static_cast<int>(effect);
    }
  }
}

TEST(Effects, AreDeterministicInTime) {
  const Mapped mapped({40, 12}, Ascii + "漢字", {});
  for (const Effect effect : Effects) {
    for (const std::uint32_t time : {0u, 1234u, 3'600'000u, 0xFFFFFFFFu}) {
      EXPECT_TRUE(same(mapped.play(effect, time), mapped.play(effect, time)));
    }
  }
}

TEST(Effects, GlitchPausesBetweenBursts) {
  const Mapped mapped({40, 12}, Ascii, {});
  int standing = 0;
  for (std::uint32_t time = 0; time < 18000; time += 100)
    standing += same(mapped.play(Effect::Glitch, time), mapped.cells);
  EXPECT_GT(standing, 90);  // more than half of the 180 frames are unchanged
  EXPECT_LT(standing, 160);
}

TEST(Effects, StayWithinGlyphsAndColors) {
  for (const mapping::Parameters& parameters : colorings()) {
    std::set<std::uint32_t> palette;
    for (const std::uint32_t color : parameters.palette) palette.insert(0xFF000000u | color);
    for (const GridSize size : Sizes) {
      for (const std::string& characters : {Ascii, Ascii + "漢字かな", std::string("漢字かな國")}) {
        const Mapped mapped(size, characters, parameters);
        const mapping::shared::MapParameters& p = mapped.tables.parameters;
        for (const Effect effect : Effects) {
          for (std::uint32_t time = 50; time < 5000; time += 390) {
            for (const Cell& cell : mapped.play(effect, time)) {
              ASSERT_LT(cell.glyph, static_cast<std::uint32_t>(mapped.glyphs->size()));
              if (p.color == mapping::shared::ColorMono) {
                ASSERT_TRUE(cell.foreground == p.foreground || cell.foreground == p.background);
                ASSERT_EQ(cell.foreground ^ cell.background, p.foreground ^ p.background);
                continue;
              }
              ASSERT_TRUE(palette.empty() || palette.contains(cell.foreground))
                  << std::hex << cell.foreground;
              if (p.color == mapping::shared::ColorFg) {
                ASSERT_EQ(cell.background, p.background);
              } else {
                ASSERT_TRUE(palette.empty() || palette.contains(cell.background))
                    << std::hex << cell.background;
              }
            }
          }
        }
      }
    }
  }
}

TEST(Effects, KeepWideCharacterHalvesTogether) {
  for (const mapping::Parameters& parameters : colorings()) {
    for (const GridSize size : {GridSize{3, 2}, GridSize{2, 1}, GridSize{40, 12}, GridSize{41, 13}}) {
      for (const std::string& characters : {Ascii + "漢字かな", std::string("漢字かな國")}) {
        const Mapped mapped(size, characters, parameters);
        const auto columns_of = [&](const Cell& cell) {
          return mapped.glyphs->columns(static_cast<int>(cell.glyph));
        };
        for (const Effect effect : Effects) {
          for (std::uint32_t time = 50; time < 5000; time += 190) {
            const std::vector<Cell> played = mapped.play(effect, time);
            for (std::size_t i = 0; i < played.size(); ++i) {
              const auto column = i % static_cast<std::size_t>(size.columns);
              if (columns_of(played[i]) == text::GlyphColumns::WideLeft) {
                ASSERT_LT(column + 1, static_cast<std::size_t>(size.columns));
                const Cell right{played[i].glyph + 1, played[i].foreground, played[i].background};
                ASSERT_TRUE(same(played[i + 1], right))
                    << "effect " << static_cast<int>(effect) << " time " << time;
              } else if (columns_of(played[i]) == text::GlyphColumns::WideRight) {
                ASSERT_GT(column, 0u);
                ASSERT_EQ(played[i - 1].glyph, played[i].glyph - 1);
              }
            }
          }
        }
      }
    }
  }
}

/// Returns the mean tone of the glyphs in a row, as a code value.
double mean_tone(const Mapped& mapped, const std::vector<Cell>& cells, int row) {
  double sum = 0;
  for (int column = 0; column < mapped.grid.columns; ++column) {
    const Cell& cell = cells[static_cast<std::size_t>(row * mapped.grid.columns + column)];
    sum += mapped.tables.words[mapped.tables.parameters.ramp.tones_at + cell.glyph];
  }
  return sum / mapped.grid.columns;
}

TEST(Effects, DimGlyphsUnderFixedColors) {
  for (const mapping::Parameters& parameters :
       {mapping::Parameters{.color = mapping::Color::Mono},
        mapping::Parameters{.color = mapping::Color::Mono, .foreground = 0, .background = 0xFFFFFF}}) {
    const Mapped mapped({160, 45}, Ascii, parameters);
    const std::vector<Cell> played = mapped.play(Effect::Tube, 0);
    for (int row = 21; row < 26; row += 2) {  // the effect's dark lines in the middle of the grid
      EXPECT_LT(mean_tone(mapped, played, row), mean_tone(mapped, mapped.cells, row) * 0.85) << row;
    }
  }
}

TEST(EffectTime, IsMediaTimeInMilliseconds) {
  Frame frame;
  frame.pts = 90;
  frame.time_base = {1, 24};
  EXPECT_EQ(effect_time(frame), 3750u);
  frame.pts = 90'000LL * 3600 * 100 + 45;  // after one hundred hours
  frame.time_base = {1, 90'000};
  EXPECT_EQ(effect_time(frame), 360'000'000u);
  frame.time_base = {0, 1};
  EXPECT_EQ(effect_time(frame), 0u);
}

class RendererEffect : public testing::Test {
 protected:
  RendererEffect() {
    auto set = text::GlyphSet::make({.cell = CellPixels, .characters = Ascii});
    CHECK(static_cast<bool>(set), set.error().message);
    glyphs_ = *std::move(set);
  }

  static Frame frame_at(std::int64_t milliseconds) {
    Frame frame = gradient_frame(64);
    frame.pts = milliseconds;
    frame.time_base = {1, 1000};
    return frame;
  }

  std::vector<Cell> render(std::int64_t milliseconds, Effect effect = Effect::None) {
    return cells_of(*renderer_->render(frame_at(milliseconds), {.effect = effect}));
  }
  std::vector<Cell> redraw(Effect effect) { return cells_of(*renderer_->redraw({.effect = effect})); }
  static std::vector<Cell> cells_of(const RenderedFrame& frame) {
    return {frame.cells.begin(), frame.cells.end()};
  }

  StageTimes times_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::unique_ptr<Renderer> renderer_ = make_cpu_renderer(2, times_);
};

TEST_F(RendererEffect, AppliesToFramesAndRedraws) {
  const RenderSetup setup{.grid = {20, 8}, .glyphs = glyphs_};
  ASSERT_TRUE(renderer_->configure(setup));
  const std::vector<Cell> mapped = render(500);
  ASSERT_TRUE(renderer_->configure(setup));
  const std::vector<Cell> played = render(500, Effect::Rain);
  EXPECT_FALSE(same(played, mapped));
  EXPECT_TRUE(same(redraw(Effect::None), mapped));
  EXPECT_TRUE(same(redraw(Effect::Rain), played)) << "redraw() must use the time of the last frame";
  EXPECT_FALSE(same(render(700, Effect::Rain), played));
}

TEST_F(RendererEffect, DoesNotAffectMapping) {
  const RenderSetup setup{.grid = {20, 8}, .glyphs = glyphs_, .mapping = {.stability = 1}};
  ASSERT_TRUE(renderer_->configure(setup));
  render(0);
  const std::vector<Cell> mapped = render(500);
  ASSERT_TRUE(renderer_->configure(setup));
  render(0, Effect::Ripple);
  render(500, Effect::Ripple);
  EXPECT_TRUE(same(redraw(Effect::None), mapped));
}

}  // namespace
}  // namespace glyphreel::render::effect_test
