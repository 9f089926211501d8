#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mapping/shared/parameters.h"
#include "mapping/tables/glyph_tables.h"
#include "test_frame.h"
#include "text/glyph_set.h"

namespace glyphreel::parity {

/// One comparison: a frame and how it is mapped.
struct Case {
  FrameOptions frame;
  GridSize grid;
  CellSize cell{8, 16};
  int glyphs = 95;    ///< number of characters, at most 100; with `ties` at most 24
  bool ties = false;  ///< use a set in which some characters look alike
  int wide = 0;  ///< number of additional two-cell characters; with glyphs = 0, the set also gets a blank
  Fit fit = Fit::Contain;
  mapping::Parameters mapping;
  mapping::Adjustments adjustments;
};

/// Returns everything that distinguishes one case from another, on one line.
[[nodiscard]] std::string describe(const Case& test_case);

/// Returns cases with every layout and every pattern, in ramp and shape mode, on small grids.
[[nodiscard]] std::vector<Case> layout_cases();

/// Returns cases with HDR and wide-gamut sources of 8 to 16 bits, in limited and full range.
[[nodiscard]] std::vector<Case> wide_color_cases();

/// Returns cases that adjust the brightness, contrast, gamma and saturation of all kinds of sources, or
/// invert their colors. All pictures have black borders.
[[nodiscard]] std::vector<Case> adjusted_cases();

/// Returns cases with various sizes, rotations, fits, cell sizes and glyph counts: first fixed cases (1x1,
/// 3x5, 17x9 and 1919x1079 pixels, ties, negative strides), then `drawn` random cases from a fixed seed.
[[nodiscard]] std::vector<Case> geometry_cases(int drawn);

/// Returns cases for sequences of frames from moving_frame(), with every combination of mode, color, reverse
/// video and dither. The other options vary from case to case.
[[nodiscard]] std::vector<Case> sequence_cases();

/// Returns cases for sequences of frames from moving_frame(), with characters two cells wide, alone and mixed
/// with narrow characters, in grids with odd and even numbers of columns.
[[nodiscard]] std::vector<Case> wide_glyph_cases();

/// Returns the glyphs of a case. Cases with the same cell size and the same characters share one glyph set.
[[nodiscard]] std::shared_ptr<const text::GlyphSet> glyphs_of(const Case& test_case);

/// Creates and returns the tables of a case's glyphs. Creating tables takes several times as long as mapping
/// a small frame, so a comparison of several mappers should call this only once.
[[nodiscard]] std::shared_ptr<const mapping::GlyphTables> tables_of(const Case& test_case);

/// Whether the environment variable GLYPHREEL_WHOLE_SWEEP is set. Set it for the tests before a release.
/// Without it, the GPU suites run only some cases, since a software device must compile new shaders for most
/// cases.
[[nodiscard]] bool is_whole_sweep();

/// Returns every `nth` case, or all cases in a whole sweep. The values of an option repeat after a fixed
/// number of cases, such as 2, 3, 4, 8, 11 or 13. If `nth` shares a factor with that number, some values of
/// the option are omitted.
[[nodiscard]] std::vector<Case> slice(const std::vector<Case>& cases, std::size_t nth);

}  // namespace glyphreel::parity
