#include "cases.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include "mapping/tables/sample_plan.h"

namespace glyphreel::parity {
namespace {

using mapping::Color;

/// The modes of the layout and geometry cases. sequence_cases() uses every mode.
constexpr Mode Modes[] = {Mode::Ramp, Mode::Shape};
constexpr Color Colors[] = {Color::Mono, Color::Fg, Color::Full};

/// Returns the first `count` of 100 characters. With `ties`, returns up to 24 other characters instead, among
/// them Latin, Greek and Cyrillic letters that DejaVu draws identically.
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
      all += static_cast<char>(' ' + (i * 37) % 95);  // each character once, not sorted by coverage
    } else {
      all += More[at - 95];
    }
  }
  return all;
}

/// Returns characters of DejaVu Sans Mono that are two cells wide.
std::string wide_characters(int count) {
  static const std::vector<std::string> Wide = {"◾", "♈", "♉", "♊", "♋", "♌", "♍", "♎", "♏", "♐",
                                                "♑", "♒", "♓", "⚡", "⚓", "♿", "☕", "☔", "◽"};
  std::string all;
  for (int i = 0; i < count; ++i) all += Wide.at(static_cast<std::size_t>(i));
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
  return {.matrix = Matrices[i % 3],
          .range = i / 3 % 2 == 0 ? ColorRange::Limited : ColorRange::Full,
          .siting = static_cast<ChromaSiting>(i % 6)};
}

/// Sets the foreground and background to colors that depend on `draw`. Keeps the default colors for every
/// third value of `draw`, such as 0.
void set_colors(mapping::Parameters& parameters, std::uint32_t draw) {
  if (draw % 3 == 1) {
    parameters.foreground = 0x102030;
    parameters.background = 0xF0E8D0;  // dark text on a light background
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
  // In these cases, each of a cell's samples covers exactly two pixel columns and one to five pixel rows of
  // the frame. The CPU has a separate loop for such frames.
  for (const int height : {48, 96, 97, 150, 240}) {
    for (const char* layout : {"yuv420p", "gray"}) {
      for (const Mode mode : Modes) {
        for (const Color color : {Color::Mono, Color::Full}) {
          Case paired{.frame = {.layout = layout_named(layout), .size = {256, height}, .color = tags(height)},
                      .grid = {32, 6},
                      .fit = Fit::Stretch};
          paired.mapping = {.mode = mode, .color = color};
          paired.frame.seed = static_cast<std::uint32_t>(height);
          paired.frame.bottom_up = height == 97;
          cases.push_back(paired);
        }
      }
    }
  }
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
  const mapping::Adjustments& a = test_case.adjustments;
  static constexpr const char* ColorNames[] = {"mono", "fg", "full"};
  static constexpr const char* MatrixNames[] = {"601", "709", "2020"};
  static constexpr const char* LumaNames[] = {"auto", "601", "709"};
  static constexpr const char* DitherNames[] = {"no dither", "bayer", "blue noise"};
  return fmt::format(
      "{} {}x{} {} seed {} matrix {} {} siting {} primaries {} transfer {} peak {} {} sar {}:{}{} | {}x{} "
      "cells of {}x{} {} | {} {} {} luma {} foreground "
      "{:06X} background {:06X} adjusted {} {} {} {}{} {}{} glyphs and {} wide, {}stability {} legibility {} "
      "levels {} {}, {} "
      "palette colors",
      f.layout.name, f.size.width, f.size.height, pattern_name(f.pattern), f.seed,
      MatrixNames[static_cast<int>(f.color.matrix)], f.color.range == ColorRange::Full ? "full" : "limited",
      static_cast<int>(f.color.siting), f.color.primaries, f.color.transfer, f.color.peak_nits,
      rotation_name(f.rotation), f.sample_aspect_ratio.numerator, f.sample_aspect_ratio.denominator,
      f.bottom_up ? " bottom-up" : "", test_case.grid.columns, test_case.grid.rows, test_case.cell.width,
      test_case.cell.height, fit_name(test_case.fit), mode_name(m.mode),
      ColorNames[static_cast<int>(m.color)], m.sampling == Sampling::Area ? "area" : "corner",
      LumaNames[static_cast<int>(m.luma)], m.foreground, m.background, a.brightness, a.contrast, a.gamma,
      a.saturation, a.inverted ? " inverted" : "", test_case.glyphs, test_case.ties ? " tied" : "",
      test_case.wide, m.reverse == Reverse::PerCell ? "reversible, " : "", m.stability,
      m.legibility.value_or(-1), m.auto_levels == mapping::AutoLevels::On ? "auto" : "as they are",
      DitherNames[static_cast<int>(m.dither)], m.palette.size());
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
          test_case.mapping.luma = static_cast<Luma>(drawn % 3);
          set_colors(test_case.mapping, static_cast<std::uint32_t>(drawn) * 77777u);
          cases.push_back(test_case);
          ++drawn;
        }
      }
    }
  }
  return cases;
}

std::vector<Case> wide_color_cases() {
  struct Meaning {
    int primaries, transfer, peak_nits;
  };
  // Primaries and transfers are code points of H.273: transfer 16 is PQ, 18 is HLG, and 14 and 13 are SDR.
  // Primaries 9 are those of BT.2020, 1 of BT.709, 12 of Display P3, and 2 means unspecified.
  static constexpr Meaning Meanings[] = {{9, 16, 0},   {9, 18, 0},     {9, 16, 4000}, {1, 16, 203},
                                         {2, 18, 400}, {9, 16, 10000}, {9, 14, 0},    {12, 13, 0}};
  static constexpr const char* Names[] = {"p010",      "yuv420p10", "yuv420p", "yuv422p10",
                                          "yuv444p12", "yuv420p16", "uyvy422", "gray10",
                                          "rgb48",     "gbrp10",    "rgba"};
  std::vector<Case> cases;
  int drawn = 0;
  for (const char* name : Names) {
    for (const Meaning& meaning : Meanings) {
      for (const ColorRange range : {ColorRange::Limited, ColorRange::Full}) {
        for (const Pattern pattern : {Pattern::Random, Pattern::Smooth, Pattern::Halves, Pattern::White}) {
          Case test_case{.frame = {.layout = layout_named(name),
                                   .size = {61, 43},
                                   .color = {.matrix = YuvMatrix::Bt2020,
                                             .range = range,
                                             .primaries = meaning.primaries,
                                             .transfer = meaning.transfer,
                                             .peak_nits = meaning.peak_nits},
                                   .pattern = pattern,
                                   .seed = static_cast<std::uint32_t>(drawn + 1),
                                   .rotation = static_cast<Rotation>(drawn % 11 == 0 ? drawn / 11 % 4 : 0)},
                         .grid = {18, 5}};
          test_case.mapping = {.mode = Modes[drawn % 5 == 0 ? 0 : 1], .color = Colors[drawn % 3]};
          test_case.mapping.sampling = drawn % 7 == 3 ? Sampling::Corner : Sampling::Area;
          test_case.mapping.luma = static_cast<Luma>(drawn % 13 % 3);
          cases.push_back(test_case);
          ++drawn;
        }
      }
    }
  }
  return cases;
}

std::vector<Case> adjusted_cases() {
  struct Source {
    const char* layout;
    ColorTags color;
  };
  const Source sources[] = {
      {"yuv420p", {.range = ColorRange::Limited}},
      {"nv12", {.range = ColorRange::Full}},
      {"rgb24", {}},
      {"rgba", {}},
      {"gray", {}},
      {"yuv422p10", {.range = ColorRange::Limited}},
      {"p010", {.matrix = YuvMatrix::Bt2020, .range = ColorRange::Limited, .primaries = 9, .transfer = 16}},
      {"yuv420p",
       {.matrix = YuvMatrix::Bt2020, .range = ColorRange::Limited, .primaries = 9, .transfer = 14}}};
  static constexpr mapping::Adjustments Changes[] = {{.brightness = 30},
                                                     {.brightness = -25},
                                                     {.contrast = 60},
                                                     {.contrast = -100},
                                                     {.gamma = 40},
                                                     {.gamma = -70},
                                                     {.saturation = 100},
                                                     {.saturation = -100},
                                                     {.inverted = true},
                                                     {.brightness = 100, .contrast = -100, .inverted = true},
                                                     {-10, 20, 15, 35, true},
                                                     {5, -30, -20, -60, false},
                                                     {}};
  std::vector<Case> cases;
  int drawn = 0;
  for (const Source& source : sources) {
    for (const mapping::Adjustments& adjustments : Changes) {
      for (const Pattern pattern : {Pattern::Random, Pattern::Smooth, Pattern::Halves}) {
        Case test_case{.frame = {.layout = layout_named(source.layout),
                                 .size = {61, 43},
                                 .color = source.color,
                                 .pattern = pattern,
                                 .seed = static_cast<std::uint32_t>(drawn + 1),
                                 .rotation = static_cast<Rotation>(drawn % 7 == 0 ? drawn / 7 % 4 : 0)},
                       .grid = {18, 5}};
        test_case.mapping = {.mode = Modes[drawn % 2], .color = Colors[drawn % 3]};
        test_case.mapping.sampling = drawn % 5 == 3 ? Sampling::Corner : Sampling::Area;
        test_case.mapping.luma = static_cast<Luma>(drawn % 11 % 3);
        test_case.adjustments = adjustments;
        cases.push_back(test_case);
        ++drawn;
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
                         .luma = static_cast<Luma>(below(3))};
    set_colors(test_case.mapping, draw());
    cases.push_back(test_case);
  }
  return cases;
}

namespace {

const std::vector<std::uint32_t>& sixteen_colors() {
  static const std::vector<std::uint32_t> Palette = {
      0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA,
      0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF};
  return Palette;
}

}  // namespace

std::vector<Case> sequence_cases() {
  static constexpr CellSize Cells[] = {{8, 16}, {8, 16}, {5, 11}, {8, 8}};
  static constexpr double Stabilities[] = {0.5, 0.5, 1.0, 0.0, 0.25};
  std::vector<Case> cases;
  for (const Mode mode : AllModes) {
    for (const Color color : Colors) {
      for (const Reverse reverse : {Reverse::Never, Reverse::PerCell}) {
        for (const Dither dither : {Dither::None, Dither::Bayer, Dither::BlueNoise}) {
          const std::size_t n = cases.size();
          Case test_case{.frame = {.layout = layout_named("yuv420p"),
                                   .size = {200, 120},
                                   .seed = static_cast<std::uint32_t>(n + 1)},
                         .grid = {29, 9},
                         .cell = Cells[n % std::size(Cells)]};
          test_case.mapping = {.mode = mode,
                               .color = color,
                               .reverse = reverse,
                               .auto_levels = n % 3 == 1 ? mapping::AutoLevels::Off : mapping::AutoLevels::On,
                               .legibility = n % 7 == 2 ? 0.4 : 0.0,
                               .stability = Stabilities[n % std::size(Stabilities)],
                               .dither = dither};
          if (n % 2 == 1) test_case.mapping.palette = sixteen_colors();
          if (n % 11 == 5) test_case.mapping.sampling = Sampling::Corner;
          set_colors(test_case.mapping, n % 8 == 3 ? 1 : 0);
          cases.push_back(test_case);
        }
      }
    }
  }
  return cases;
}

std::vector<Case> wide_glyph_cases() {
  static constexpr CellSize Cells[] = {{8, 16}, {8, 16}, {5, 11}, {1, 2}};
  static constexpr double Stabilities[] = {0.5, 0.0, 1.0};
  static constexpr Dither Dithers[] = {Dither::None, Dither::Bayer, Dither::BlueNoise};
  static constexpr int Columns[] = {28, 29, 33, 1, 47};
  std::vector<Case> cases;
  for (const Mode mode : AllModes) {
    for (const Color color : Colors) {
      for (const Reverse reverse : {Reverse::Never, Reverse::PerCell}) {
        for (const int narrow : {0, 4, 30}) {
          if (mode == Mode::Ramp && narrow != 0) continue;  // a ramp with narrow characters has no wide ones
          const std::size_t n = cases.size();
          Case test_case{.frame = {.layout = layout_named("yuv420p"),
                                   .size = {200, 120},
                                   .pattern = static_cast<Pattern>(n % PatternCount),
                                   .seed = static_cast<std::uint32_t>(n + 1)},
                         .grid = {Columns[n % std::size(Columns)], 7},
                         .cell = Cells[n % std::size(Cells)],
                         .glyphs = narrow,
                         .wide = n % 6 == 5 ? 2 : 19};
          test_case.mapping = {.mode = mode,
                               .color = color,
                               .reverse = reverse,
                               .auto_levels = n % 4 == 1 ? mapping::AutoLevels::Off : mapping::AutoLevels::On,
                               .legibility = n % 5 == 2 ? 0.4 : 0.0,
                               .stability = Stabilities[n / 2 % std::size(Stabilities)],
                               .dither = Dithers[n % std::size(Dithers)]};
          if (n % 4 == 3) test_case.mapping.palette = sixteen_colors();
          if (n % 13 == 5) test_case.mapping.sampling = Sampling::Corner;
          set_colors(test_case.mapping, n % 7 == 3 ? 1 : n % 7 == 5 ? 77777 : 0);
          cases.push_back(test_case);
        }
      }
    }
  }
  return cases;
}

std::shared_ptr<const text::GlyphSet> glyphs_of(const Case& test_case) {
  static std::map<std::tuple<CellSize, int, bool, int>, std::shared_ptr<const text::GlyphSet>> made;
  auto& glyphs = made[{test_case.cell, test_case.glyphs, test_case.ties, test_case.wide}];
  if (!glyphs) {
    auto result = text::GlyphSet::make(
        {.cell = test_case.cell,
         .characters = characters(test_case.glyphs, test_case.ties) + wide_characters(test_case.wide)});
    CHECK(static_cast<bool>(result), result.error().message);
    glyphs = *std::move(result);
    CHECK(glyphs->size() == std::max(1, test_case.glyphs) + 2 * test_case.wide,
          "characters were dropped from the set");
  }
  return glyphs;
}

std::shared_ptr<const mapping::GlyphTables> tables_of(const Case& test_case) {
  auto made =
      mapping::make_glyph_tables(*glyphs_of(test_case), test_case.mapping,
                                 mapping::samples_per_cell(test_case.cell, test_case.mapping.sampling));
  CHECK(static_cast<bool>(made), made.error().message);
  return std::make_shared<const mapping::GlyphTables>(*std::move(made));
}

bool is_whole_sweep() {
  return std::getenv("GLYPHREEL_WHOLE_SWEEP") != nullptr;
}

std::vector<Case> slice(const std::vector<Case>& cases, std::size_t nth) {
  if (is_whole_sweep()) return cases;
  std::vector<Case> part;
  for (std::size_t i = 0; i < cases.size(); i += nth) part.push_back(cases[i]);
  return part;
}

}  // namespace glyphreel::parity
