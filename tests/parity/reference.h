#pragma once

#include <cstdint>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "mapping/parameters.h"
#include "mapping/shared_scalar.h"
#include "text/glyph_set.h"

namespace glyphreel::parity {

using mapping::shared::Cell;

/// The lattice of a frame, cell after cell, each cell's samples row by row: every sample a plain double sum
/// of weights and pixels.
[[nodiscard]] std::vector<std::uint32_t> reference_lattice(const FrameView& frame, GridSize grid,
                                                           CellSize cell, Fit fit,
                                                           const mapping::Parameters& parameters);

/// The cells of a frame by the plain build of the shared code, one cell at a time.
[[nodiscard]] Result<std::vector<Cell>> reference_cells(const FrameView& frame, const text::GlyphSet& glyphs,
                                                        GridSize grid, Fit fit,
                                                        const mapping::Parameters& parameters);

}  // namespace glyphreel::parity
