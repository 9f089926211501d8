#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mapping/tables/glyph_tables.h"
#include "mapping/shared/parameters.h"
#include "test_frame.h"
#include "text/glyph_set.h"

namespace glyphreel::parity {

/// One comparison: a frame and how it is mapped.
struct Case {
  FrameOptions frame;
  GridSize grid;
  CellSize cell{8, 16};
  int glyphs = 95;    ///< number of characters, from all_characters()
  bool ties = false;  ///< include characters that look alike
  int wide = 0;  ///< number of additional two-cell characters; if there are no others, the blank is included
  Fit fit = Fit::Contain;
  mapping::Parameters mapping;
  mapping::Adjustments adjustments;
};

/// Returns everything that distinguishes one case from another, on one line.
[[nodiscard]] std::string describe(const Case& test_case);

/// Returns every layout with every pattern, in ramp and shape, on small grids.
[[nodiscard]] std::vector<Case> layout_cases();

/// Returns HDR and wide gamuts in 8 to 16 bits, limited and full range.
[[nodiscard]] std::vector<Case> wide_color_cases();

/// Returns brightness, contrast, gamma, saturation and inversion on all kinds of sources, some with black
/// borders.
[[nodiscard]] std::vector<Case> adjusted_cases();

/// Returns sizes, rotations, fits, cell sizes and glyph counts: first the explicit ones (1x1, 3x5, 17x9 and
/// 1919x1079 pixels, ties, negative strides), then `drawn` random ones with a fixed seed.
[[nodiscard]] std::vector<Case> geometry_cases(int drawn);

/// Returns every mode, color, reverse video and dither, over sequences of moving_frame(). The other options
/// vary from case to case.
[[nodiscard]] std::vector<Case> sequence_cases();

/// Returns sequences with characters two cells wide, alone and mixed with others, on odd and even numbers of
/// columns.
[[nodiscard]] std::vector<Case> wide_glyph_cases();

/// Returns the glyphs of a case, which are created once for each size and count.
[[nodiscard]] std::shared_ptr<const text::GlyphSet> glyphs_of(const Case& test_case);

/// Returns the tables of a case's glyphs, which each call creates. Creating them takes several times as long
/// as mapping a small frame, so a comparison of several mappers should create them once.
[[nodiscard]] std::shared_ptr<const mapping::GlyphTables> tables_of(const Case& test_case);

/// Whether GLYPHREEL_WHOLE_SWEEP is set, as before a release. Otherwise the GPU suites use a part of their
/// cases, since a software device compiles shaders for most of the cases.
[[nodiscard]] bool is_whole_sweep();

/// Returns every `nth` case, or all cases in a whole sweep. Cases vary in cycles of 2, 3, 4, 8, 11 and 13.
[[nodiscard]] std::vector<Case> slice(const std::vector<Case>& cases, std::size_t nth);

}  // namespace glyphreel::parity
