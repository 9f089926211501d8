#include "cases.h"

#include <map>
#include <random>
#include <tuple>

#include <fmt/format.h>

namespace glyphreel::parity {
namespace {

using mapping::Color;
using mapping::Mode;
using mapping::Sampling;

constexpr Mode Modes[] = {Mode::Ramp, Mode::Shape};
constexpr Color Colors[] = {Color::Mono, Color::Fg, Color::Full};

/// 100 characters; or, for ties, letters that DejaVu draws alike for three scripts, between others.
std::string characters(int count, bool ties) {
  static const std::vector<std::string> Alike = {" ", "A", "Α", "А", "#", "O", "Ο", "О", ".", "E", "Ε", "Е",
                                                 "B", "Β", "В", "-", "H", "Η", "Н", "o", "ο", "о", "P", "Ρ"};
  static const std::vector<std::string> More = {"█", "▀", "▌", "é", "ß"};
  std::string all;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (ties) {
      if (at < Alike.size()) all += Alike[at];
    } else if (i < 95) {
      all += static_cast<char>(' ' + (i * 37) % 95);  // each once, in no order of ink
    } else {
      all += More[at - 95];
    }
  }
  return all;
}

const char* rotation_name(Rotation rotation) {
  static constexpr const char* Names[] = {"upright", "90", "180", "270"};
  return Names[static_cast<int>(rotation)];
}

const char* fit_name(Fit fit) {
  static constexpr const char* Names[] = {"contain", "cover", "stretch"};
  return Names[static_cast<int>(fit)];
}

ColorTags tags(int i) {
  static constexpr YuvMatrix Matrices[] = {YuvMatrix::Bt601, YuvMatrix::Bt709, YuvMatrix::Bt2020};
  return {.matrix = Matrices[i % 3], .range = i / 3 % 2 == 0 ? ColorRange::Limited : ColorRange::Full};
}

/// Ink and paper, the usual ones in most cases.
void set_colors(mapping::Parameters& parameters, std::uint32_t draw) {
  if (draw % 3 == 1) {
    parameters.foreground = 0x102030;
    parameters.background = 0xF0E8D0;  // dark ink on light paper
  } else if (draw % 3 == 2) {
    parameters.foreground = draw & 0xFFFFFF;
    parameters.background = (draw * 2654435761u) >> 8;
  }
}

std::vector<Case> named_cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* layout, Extent size, GridSize grid, CellSize cell, int glyphs) {
    for (const Mode mode : Modes) {
      for (const Color color : Colors) {
        for (const Sampling sampling : {Sampling::Area, Sampling::Corner}) {
          Case test_case{.frame = {.layout = layout_named(layout), .size = size},
                         .grid = grid,
                         .cell = cell,
                         .glyphs = glyphs};
          test_case.mapping = {.mode = mode, .color = color, .sampling = sampling};
          test_case.frame.seed = static_cast<std::uint32_t>(cases.size() + 1);
          test_case.frame.bottom_up = cases.size() % 3 == 0;
          cases.push_back(test_case);
        }
      }
    }
  };
  add("yuv420p", {1, 1}, {1, 1}, {8, 16}, 95);
  add("yuv420p", {1, 1}, {33, 3}, {1, 1}, 3);
  add("rgb24", {3, 5}, {17, 4}, {3, 5}, 10);
  add("nv12", {17, 9}, {16, 5}, {16, 32}, 50);
  add("p010", {17, 9}, {15, 2}, {8, 16}, 1);
  for (const Color color : Colors) {
    Case large{.frame = {.layout = layout_named("yuv420p"), .size = {1919, 1079}, .pattern = Pattern::Smooth},
               .grid = {240, 67}};
    large.mapping.color = color;
    cases.push_back(large);
    for (const Mode mode : Modes) {
      for (const Pattern pattern : {Pattern::Random, Pattern::Stripes, Pattern::Halves, Pattern::White}) {
        Case ties{.frame = {.layout = layout_named("yuv444p"), .size = {64, 48}, .pattern = pattern},
                  .grid = {19, 6},
                  .glyphs = 24,
                  .ties = true};
        ties.mapping = {.mode = mode, .color = color};
        cases.push_back(ties);
      }
    }
  }
  return cases;
}

}  // namespace

std::string describe(const Case& test_case) {
  const FrameOptions& f = test_case.frame;
  const mapping::Parameters& m = test_case.mapping;
  static constexpr const char* ModeNames[] = {"ramp", "shape"};
  static constexpr const char* ColorNames[] = {"mono", "fg", "full"};
  static constexpr const char* MatrixNames[] = {"601", "709", "2020"};
  static constexpr const char* LumaNames[] = {"auto", "601", "709"};
  return fmt::format(
      "{} {}x{} {} seed {} matrix {} {} {} sar {}:{}{} | {}x{} cells of {}x{} {} | {} {} {} luma {} ink "
      "{:06X} paper {:06X} {}{} glyphs",
      f.layout.name, f.size.width, f.size.height, pattern_name(f.pattern), f.seed,
      MatrixNames[static_cast<int>(f.color.matrix)], f.color.range == ColorRange::Full ? "full" : "limited",
      rotation_name(f.rotation), f.sample_aspect_ratio.numerator, f.sample_aspect_ratio.denominator,
      f.bottom_up ? " bottom-up" : "", test_case.grid.columns, test_case.grid.rows, test_case.cell.width,
      test_case.cell.height, fit_name(test_case.fit), ModeNames[static_cast<int>(m.mode)],
      ColorNames[static_cast<int>(m.color)], m.sampling == Sampling::Area ? "area" : "corner",
      LumaNames[static_cast<int>(m.luma)], m.foreground, m.background, test_case.glyphs,
      test_case.ties ? " tied" : "");
}

std::vector<Case> layout_cases() {
  std::vector<Case> cases;
  int drawn = 0;
  for (const NamedLayout& layout : all_layouts()) {
    for (int pattern = 0; pattern < PatternCount; ++pattern) {
      for (const Mode mode : Modes) {
        for (const Color color : Colors) {
          Case test_case{.frame = {.layout = layout,
                                   .size = {53, 37},
                                   .color = tags(drawn),
                                   .pattern = static_cast<Pattern>(pattern),
                                   .seed = static_cast<std::uint32_t>(drawn + 1)},
                         .grid = {18, 5},
                         .fit = Fit::Stretch};
          test_case.mapping = {.mode = mode, .color = color};
          test_case.mapping.sampling = drawn % 4 == 3 ? Sampling::Corner : Sampling::Area;
          test_case.mapping.luma = static_cast<mapping::Luma>(drawn % 3);
          set_colors(test_case.mapping, static_cast<std::uint32_t>(drawn) * 77777u);
          cases.push_back(test_case);
          ++drawn;
        }
      }
    }
  }
  return cases;
}

std::vector<Case> geometry_cases(int drawn) {
  std::vector<Case> cases = named_cases();
  std::mt19937 random(20);
  const auto draw = [&random] { return static_cast<std::uint32_t>(random()); };
  const auto below = [&draw](std::size_t n) { return static_cast<int>(draw() % n); };
  static constexpr CellSize Cells[] = {{1, 1}, {3, 5},  {8, 16}, {16, 32}, {5, 7},
                                       {2, 3}, {8, 16}, {8, 8},  {24, 8}};
  static constexpr Rational Aspects[] = {{1, 1}, {1, 1}, {4, 3}, {8, 9}, {1, 3}, {0, 1}};
  for (int i = 0; i < drawn; ++i) {
    Case test_case;
    test_case.frame = {.layout = all_layouts()[static_cast<std::size_t>(below(all_layouts().size()))],
                       .size = {1 + below(i % 2 == 0 ? 150 : 12), 1 + below(i % 2 == 0 ? 100 : 12)},
                       .color = tags(below(6)),
                       .pattern = static_cast<Pattern>(below(PatternCount)),
                       .seed = draw() % 100000,
                       .rotation = static_cast<Rotation>(below(4)),
                       .sample_aspect_ratio = Aspects[below(std::size(Aspects))],
                       .bottom_up = below(3) == 0};
    test_case.grid = {1 + below(50), 1 + below(9)};
    test_case.cell = Cells[below(std::size(Cells))];
    test_case.glyphs = i % 3 == 0 ? 1 + below(100) : 95;
    test_case.fit = static_cast<Fit>(below(3));
    test_case.mapping = {.mode = Modes[below(2)],
                         .color = Colors[below(3)],
                         .sampling = below(4) == 0 ? Sampling::Corner : Sampling::Area,
                         .luma = static_cast<mapping::Luma>(below(3))};
    set_colors(test_case.mapping, draw());
    cases.push_back(test_case);
  }
  return cases;
}

std::shared_ptr<const text::GlyphSet> glyphs_of(const Case& test_case) {
  static std::map<std::tuple<CellSize, int, bool>, std::shared_ptr<const text::GlyphSet>> made;
  auto& glyphs = made[{test_case.cell, test_case.glyphs, test_case.ties}];
  if (!glyphs) {
    auto result = text::GlyphSet::make(
        {.cell = test_case.cell, .characters = characters(test_case.glyphs, test_case.ties)});
    CHECK(static_cast<bool>(result), result.error().message);
    glyphs = *std::move(result);
    CHECK(glyphs->size() == test_case.glyphs, "characters were dropped from the set");
  }
  return glyphs;
}

}  // namespace glyphreel::parity
