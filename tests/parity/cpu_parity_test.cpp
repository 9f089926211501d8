// Compares the kernels of every instruction set with a plain C++ build of the same shared code. Every cell
// must be identical, bit for bit.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "base/threads/thread_pool.h"
#include "cases.h"
#include "mapping/cell_mapper.h"
#include "mapping/kernels/kernels.h"
#include "moving_frame.h"
#include "reference.h"

namespace glyphreel::parity {
namespace {

constexpr Cell Poison{0xDEADBEEF, 0xDEADBEEF, 0xDEADBEEF};

bool same(const Cell& a, const Cell& b) {
  return a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background;
}

std::string text_of(const Cell& cell) {
  return fmt::format("glyph {} foreground {:08X} background {:08X}", cell.glyph, cell.foreground,
                     cell.background);
}

/// Maps a frame on three threads into poisoned memory. The mapper may have mapped other frames before.
void expect_parity(mapping::CellMapper& mapper, const Case& test_case, const Frame& frame,
                   const std::vector<Cell>& expected) {
  static ThreadPool pool(3);
  const auto columns = static_cast<std::size_t>(test_case.grid.columns);
  std::vector<Cell> cells(expected.size() + 16, Poison);
  mapper.map(frame.view, mapping::frame_time(frame), pool, cells.data(), test_case.adjustments);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(same(cells[i], expected[i]))
        << mapper.kernels_name() << " differs first at column " << i % columns << ", row " << i / columns
        << ": " << text_of(cells[i]) << ", but the reference has " << text_of(expected[i]) << "\n  pts "
        << frame.pts << ' ' << describe(test_case);
  }
  for (std::size_t beyond = expected.size(); beyond < cells.size(); ++beyond) {
    ASSERT_TRUE(same(cells[beyond], Poison))
        << mapper.kernels_name() << " wrote beyond the grid\n  " << describe(test_case);
  }
}

void run(const std::vector<Case>& cases) {
  for (const Case& test_case : cases) {
    const Frame frame = make_frame(test_case.frame);
    const auto glyphs = glyphs_of(test_case);
    const auto tables = tables_of(test_case);
    const auto expected = reference_cells(frame.view, *glyphs, test_case.grid, test_case.fit,
                                          test_case.mapping, tables.get(), test_case.adjustments);
    ASSERT_TRUE(expected) << expected.error().message;
    for (const mapping::Kernels* kernels : mapping::available_kernels()) {
      auto mapper = mapping::CellMapper::make(*glyphs, test_case.grid, test_case.fit, test_case.mapping,
                                              *kernels, tables.get());
      ASSERT_TRUE(mapper) << mapper.error().message;
      expect_parity(*mapper, test_case, frame, *expected);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(CpuParity, EveryLayoutPatternAndMode) {
  run(layout_cases());
}

TEST(CpuParity, HdrAndWideGamuts) {
  run(wide_color_cases());
}

TEST(CpuParity, Adjustments) {
  run(adjusted_cases());
}

TEST(CpuParity, SizesRotationsFitsCellsAndGlyphCounts) {
  run(geometry_cases(400));
}

TEST(CpuParity, WideCharacters) {
  std::vector<Case> cases;
  for (Case test_case : wide_glyph_cases()) {
    for (int pattern = 0; pattern < PatternCount; ++pattern) {
      test_case.frame.pattern = static_cast<Pattern>(pattern);
      cases.push_back(test_case);
    }
  }
  run(cases);
}

/// A stream may change its format during playback, so one mapper must handle frames of all kinds.
TEST(CpuParity, OneMapperHandlesAllFrameKinds) {
  std::vector<Case> cases = geometry_cases(60);
  const GridSize grid{37, 4};
  for (const mapping::Color color : {mapping::Color::Mono, mapping::Color::Fg, mapping::Color::Full}) {
    const mapping::Parameters parameters{.color = color};
    const auto glyphs = glyphs_of(Case{});
    for (const mapping::Kernels* kernels : mapping::available_kernels()) {
      auto mapper = mapping::CellMapper::make(*glyphs, grid, Fit::Contain, parameters, *kernels);
      ASSERT_TRUE(mapper);
      auto reference = Reference::make(*glyphs, grid, Fit::Contain, parameters);
      ASSERT_TRUE(reference);
      for (Case& test_case : cases) {
        if (test_case.frame.size.width > 1000) continue;
        test_case = {.frame = test_case.frame, .grid = grid, .mapping = parameters};
        const Frame frame = make_frame(test_case.frame);
        expect_parity(*mapper, test_case, frame, reference->map(frame));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Compares the mappers with the reference on sequences of frames that have a fade, a cut and a seek. The
/// adjustments change for the last frames. The cells of a frame depend on earlier frames.
void run_sequences(std::vector<Case> cases, bool partly_still) {
  for (Case& test_case : cases) {
    const auto glyphs = glyphs_of(test_case);
    const MovingOptions options{
        .size = test_case.frame.size, .seed = test_case.frame.seed, .partly_still = partly_still};
    const auto tables = tables_of(test_case);
    auto reference = Reference::make(*glyphs, test_case.grid, test_case.fit, test_case.mapping, tables.get());
    ASSERT_TRUE(reference) << reference.error().message << describe(test_case);
    std::vector<mapping::CellMapper> mappers;
    for (const mapping::Kernels* kernels : mapping::available_kernels()) {
      auto mapper = mapping::CellMapper::make(*glyphs, test_case.grid, test_case.fit, test_case.mapping,
                                              *kernels, tables.get());
      ASSERT_TRUE(mapper) << mapper.error().message;
      mappers.push_back(*std::move(mapper));
    }
    for (int index = 0; index < SequenceFrames + 4; ++index) {
      const Frame frame = moving_frame(options, index);
      if (index == SequenceFrames) test_case.adjustments = {.brightness = -20, .contrast = 30};
      const std::vector<Cell> expected = reference->map(frame, test_case.adjustments);
      for (mapping::CellMapper& mapper : mappers) {
        expect_parity(mapper, test_case, frame, expected);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(CpuParity, Sequences) {
  std::vector<Case> cases = sequence_cases();
  const std::vector<Case> wide = wide_glyph_cases();
  cases.insert(cases.end(), wide.begin(), wide.end());
  run_sequences(std::move(cases), false);
}

/// Most of the picture is still, so the kernels reuse the previous frame's results for most blocks of cells.
/// The reference never does.
TEST(CpuParity, PartlyStillSequences) {
  std::vector<Case> cases = sequence_cases();
  std::erase_if(cases, [](const Case& test_case) { return test_case.mapping.mode == Mode::Ramp; });
  for (std::size_t n = 0; n < cases.size(); ++n) {
    cases[n].grid = {static_cast<int>(57 + n % 3 * 7), 7};
    cases[n].frame.size = {320, 90};
    if (n % 3 == 0) cases[n].mapping.legibility = 0.163;
  }
  run_sequences(std::move(cases), true);
}

/// The tie-breaking rule: among glyphs with the same mask, every implementation must choose the first one.
TEST(CpuParity, TiesChooseLowestGlyph) {
  Case test_case{.frame = {.layout = layout_named("rgb24"), .size = {190, 100}},
                 .grid = {24, 8},
                 .glyphs = 24,
                 .ties = true};
  const auto glyphs = glyphs_of(test_case);
  const std::size_t mask_bytes = 8 * 16;
  std::vector<int> first_alike(24);
  int alike = 0;
  for (int g = 0; g < 24; ++g) {
    int first = 0;
    const auto mask = [&](int i) {
      return glyphs->masks().data() + static_cast<std::size_t>(i) * mask_bytes;
    };
    while (std::memcmp(mask(first), mask(g), mask_bytes) != 0) ++first;
    first_alike[static_cast<std::size_t>(g)] = first;
    alike += first != g ? 1 : 0;
  }
  ASSERT_GE(alike, 8) << "the font no longer draws these scripts alike: choose other characters";
  for (const Mode mode : {Mode::Ramp, Mode::Shape}) {
    for (const mapping::Color color : {mapping::Color::Mono, mapping::Color::Fg, mapping::Color::Full}) {
      for (int pattern = 0; pattern < PatternCount; ++pattern) {
        test_case.frame.pattern = static_cast<Pattern>(pattern);
        test_case.mapping = {.mode = mode, .color = color};
        const Frame frame = make_frame(test_case.frame);
        const auto cells =
            reference_cells(frame.view, *glyphs, test_case.grid, Fit::Stretch, test_case.mapping);
        ASSERT_TRUE(cells);
        for (const Cell& cell : *cells) {
          ASSERT_EQ(first_alike[cell.glyph], static_cast<int>(cell.glyph)) << describe(test_case);
        }
      }
    }
  }
}

/// Checks that the sweep covers enough glyphs and colors to detect differences.
TEST(CpuParity, SweepCoversEveryGlyphAndManyColors) {
  std::vector<int> uses(95, 0);
  std::vector<std::uint32_t> foregrounds;
  for (const Case& test_case : layout_cases()) {
    if (test_case.mapping.color != mapping::Color::Full) continue;
    const Frame frame = make_frame(test_case.frame);
    const auto cells =
        reference_cells(frame.view, *glyphs_of(test_case), test_case.grid, test_case.fit, test_case.mapping);
    ASSERT_TRUE(cells);
    for (const Cell& cell : *cells) {
      ++uses[cell.glyph];
      foregrounds.push_back(cell.foreground);
    }
  }
  EXPECT_LE(std::count(uses.begin(), uses.end(), 0), 30) << "the sweep must reach most glyphs";
  std::sort(foregrounds.begin(), foregrounds.end());
  EXPECT_GE(std::distance(foregrounds.begin(), std::unique(foregrounds.begin(), foregrounds.end())), 1000);
}

}  // namespace
}  // namespace glyphreel::parity
