#pragma once

#include <cstddef>
#include <cstdint>

#include "base/mode.h"

// The structures and constants of shaders/shared as C++; its functions are in shared_scalar.h.

#include "../../../shaders/shared/prelude.glsl"

namespace glyphreel::mapping::shared {

using uint = std::uint32_t;

#include "../../../shaders/shared/structs.glsl"

/// Where a cell finds its own CellAnalysis and its neighbors', as far as CellAnalysis says.
struct AnalysisView {
  const std::uint32_t* halves = nullptr;  ///< of the cell (with lanes: of the first lane's cell)
  const std::uint32_t* mode_words = nullptr;
  std::ptrdiff_t pitch = 0;  ///< words from row to row
  std::ptrdiff_t step = 1;   ///< lanes: words from column to column
  /// The cell's draft, or the first word of the drafts of a block of lanes, which are interleaved. The grid
  /// is surrounded by drafts of zeros.
  std::uint32_t* drafts = nullptr;
  std::ptrdiff_t draft_pitch = 0;  ///< words from row to row
};

}  // namespace glyphreel::mapping::shared

#include "../../../shaders/shared/postlude.glsl"
