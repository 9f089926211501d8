// Maps small frames to cell grids and compares them with grids stored as text in expected/. After an
// intended change, run GLYPHREEL_UPDATE_GOLDEN=1 golden_tests, and review the diff before committing it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "frames.h"
#include "mapping/cell_mapper.h"
#include "render/overlay_builder.h"

namespace glyphreel::golden {
namespace {

using mapping::Color;
using mapping::shared::Cell;

constexpr GridSize Grid{16, 8};

struct Golden {
  const char* frame;
  const char* way;  ///< name of this set of parameters; the stored file is named FRAME-WAY.txt
  std::string characters;
  mapping::Parameters parameters;
  bool has_text = false;  ///< whether text is drawn over the picture
};

/// Prints the parameter in GoogleTest's messages.
void PrintTo(const Golden& golden, std::ostream* out) {
  *out << golden.frame << ' ' << golden.way;
}

std::string ascii() {
  std::string all;
  for (char c = ' '; c <= '~'; ++c) all += c;
  return all;
}

std::vector<Golden> goldens() {
  const mapping::Parameters classic{.mode = Mode::Ramp,
                                    .color = Color::Mono,
                                    .sampling = Sampling::Corner,
                                    .luma = Luma::Bt601,
                                    .ramp = " 1728",
                                    .thresholds = {52, 103, 154, 215}};
  std::vector<Golden> all;
  for (const char* frame : {"gradient", "disc", "strokes"}) {
    all.push_back({frame, "classic", " 1728", classic});
    all.push_back({frame, "ramp-mono", ascii(), {.mode = Mode::Ramp, .color = Color::Mono, .stability = 0}});
    all.push_back({frame, "shape-mono", ascii(), {.color = Color::Mono, .stability = 0}});
    all.push_back({frame,
                   "reverse-mono",
                   ascii(),
                   {.color = Color::Mono, .reverse = Reverse::PerCell, .stability = 0}});
    all.push_back({frame, "shape-fg", ascii(), {.color = Color::Fg, .stability = 0}});
    all.push_back({frame, "shape-full", ascii(), {.stability = 0}});
    all.push_back({frame, "edge-fg", ascii(), {.mode = Mode::Edge, .color = Color::Fg, .stability = 0}});
    all.push_back({frame, "blocks-full", " ▀▄▌▐▖▗▘▝▚▞█", {.stability = 0}});
  }
  all.push_back({"disc", "text-over-full", ascii(), {.stability = 0}, true});
  return all;
}

/// Returns the grid as text: the characters, then the foreground colors, then the background colors. Leaves
/// out the colors that the parameters fix to one value.
std::string as_text(const Golden& golden, const render::Characters& glyphs, const std::vector<Cell>& cells) {
  std::string text;
  const auto rows = [&](const char* title, auto&& of_cell) {
    text += title;
    text += '\n';
    for (int row = 0; row < Grid.rows; ++row) {
      for (int column = 0; column < Grid.columns; ++column) {
        text += of_cell(cells[static_cast<std::size_t>(row * Grid.columns + column)], column);
      }
      text += '\n';
    }
  };
  const auto hex = [](std::uint32_t color, int column) {
    return fmt::format("{}{:06x}", column == 0 ? "" : " ", color & 0xFFFFFF);
  };
  rows("characters", [&](const Cell& cell, int column) {
    const std::string& character = glyphs.utf8(cell.glyph);
    // Put bars around each row, so that no line ends with spaces.
    return (column == 0 ? "|" : "") + character + (column + 1 == Grid.columns ? "|" : "");
  });
  if (golden.parameters.color != Color::Mono || golden.parameters.reverse != Reverse::Never) {
    rows("foreground", [&](const Cell& cell, int column) { return hex(cell.foreground, column); });
  }
  if (golden.parameters.color == Color::Full) {
    rows("background", [&](const Cell& cell, int column) { return hex(cell.background, column); });
  }
  return text;
}

/// Returns an overlay with two lines on translucent panels, and a word without a panel. The first line has a
/// wide character.
std::shared_ptr<const render::Overlay> text_over() {
  render::TextLayer layer{.grid = Grid, .cells = {}};
  layer.cells.resize(static_cast<std::size_t>(Grid.cells()));
  const auto put = [&](int column, int row, std::u32string_view text, const render::TextCell& look) {
    for (const char32_t c : text) {
      render::TextCell& cell = layer.at(column++, row);
      cell = look;
      cell.character = c == U'_' ? render::TextCell::WideRight : c;
    }
  };
  put(2, 2, U" Größe 漢_ ", {.foreground = 0xF2F2F2, .background = 0x101418, .opacity = 210});
  put(2, 3, U" ━━●── 3:27", {.foreground = 0xFFD479, .background = 0x101418, .opacity = 128});
  put(5, 7, U"bare", {.opacity = 0});
  render::OverlayBuilder maker({.loading = render::OverlayBuilder::Loading::Wait, .on_loaded = {}});
  maker.set_font("DejaVu Sans Mono", {8, 16});
  return maker.make(Grid, {&layer, 1});
}

/// Returns `cells` with the overlay's text over them.
std::vector<Cell> under_text(const text::GlyphSet& glyphs, const std::vector<Cell>& cells,
                             const render::Overlay& overlay) {
  const render::OverlayParameters parameters = render::overlay_parameters(glyphs, Grid, &overlay, true);
  const std::vector<std::uint8_t> coverage = render::mean_coverage(glyphs);
  std::vector<Cell> composed(cells.size());
  for (int row = 0; row < Grid.rows; ++row) {
    render::compose_row(parameters, cells.data(), coverage.data(), &overlay, row, composed.data());
  }
  return composed;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns a readable comparison. Shows all rows of characters, expected and actual side by side. Of the rows
/// of colors, shows only those that differ: expected above actual, with the differences marked.
std::string differences(const std::string& expected, const std::string& actual) {
  const std::vector<std::string> a = lines_of(expected);
  const std::vector<std::string> b = lines_of(actual);
  std::string text = "\n  expected             actual\n";
  for (std::size_t i = 1; i <= static_cast<std::size_t>(Grid.rows); ++i) {
    const std::string left = i < a.size() ? a[i] : "";
    const std::string right = i < b.size() ? b[i] : "";
    text += fmt::format("  {}   {}{}\n", left, right, left == right ? "" : "   <--");
  }
  for (std::size_t i = static_cast<std::size_t>(Grid.rows) + 1; i < std::max(a.size(), b.size()); ++i) {
    const std::string left = i < a.size() ? a[i] : "";
    const std::string right = i < b.size() ? b[i] : "";
    if (left == right) continue;
    std::string marks;
    for (std::size_t k = 0; k < std::max(left.size(), right.size()); ++k) {
      marks += k < left.size() && k < right.size() && left[k] == right[k] ? ' ' : '^';
    }
    text += fmt::format("line {}\n  expected {}\n  actual   {}\n           {}\n", i + 1, left, right, marks);
  }
  return text;
}

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, CellsMatchExpectedGrid) {
  const Golden& golden = GetParam();
  const auto glyphs = text::GlyphSet::make({.characters = golden.characters});
  ASSERT_TRUE(glyphs) << glyphs.error().message;
  auto mapper = mapping::CellMapper::make(**glyphs, Grid, Fit::Stretch, golden.parameters);
  ASSERT_TRUE(mapper) << mapper.error().message;
  const Frame frame = make_frame(golden.frame);
  std::vector<Cell> cells(static_cast<std::size_t>(Grid.cells()));
  ThreadPool pool(1);
  mapper->map(frame.view, mapping::frame_time(frame), pool, cells.data());
  std::shared_ptr<const render::Overlay> overlay;
  if (golden.has_text) {
    overlay = text_over();
    cells = under_text(**glyphs, cells, *overlay);
  }
  const render::Characters characters(**glyphs, overlay ? overlay->glyphs.get() : nullptr);
  const std::string actual = as_text(golden, characters, cells);

  const std::string path = fmt::format("{}/{}-{}.txt", GLYPHREEL_GOLDEN_DIR, golden.frame, golden.way);
  const char* update = std::getenv("GLYPHREEL_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream file(path, std::ios::binary);
    file << actual;
    ASSERT_TRUE(file.flush()) << path << " cannot be written";
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; set GLYPHREEL_UPDATE_GOLDEN=1 to write it";
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(actual == expected) << path << differences(expected, actual);
}

std::string test_name(const testing::TestParamInfo<Golden>& tested) {
  std::string name = fmt::format("{}_{}", tested.param.frame, tested.param.way);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Pictures, GoldenTest, testing::ValuesIn(goldens()), test_name);

}  // namespace

}  // namespace glyphreel::golden
