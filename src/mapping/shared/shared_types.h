#pragma once

#include <cstddef>
#include <cstdint>

#include "base/mode.h"

// The structures and constants of shaders/shared as C++. shared_scalar.h has the functions.

#include "../../../shaders/shared/prelude.glsl"

namespace glyphreel::mapping::shared {

using uint = std::uint32_t;

#include "../../../shaders/shared/structs.glsl"

/// Pointers from which a cell reads its own CellAnalysis and those of its neighbors, within the range that
/// CellAnalysis documents.
struct AnalysisView {
  const std::uint32_t* halves = nullptr;  ///< points to the cell; in SIMD code, to the first lane's cell
  const std::uint32_t* mode_words = nullptr;
  const std::uint32_t* region_means = nullptr;  ///< RegionCount words; read only by clarity()
  std::ptrdiff_t pitch = 0;                     ///< words from row to row
  /// Words from column to column: LaneCount if SIMD code maps cells in pairs (wide characters), otherwise 1.
  std::ptrdiff_t step = 1;
  /// The cell's draft; in SIMD code, the first word of the drafts of a block of lanes, which are interleaved.
  /// Drafts of zeros surround the grid.
  std::uint32_t* drafts = nullptr;
  std::ptrdiff_t draft_pitch = 0;  ///< words from row to row
};

}  // namespace glyphreel::mapping::shared

#include "../../../shaders/shared/postlude.glsl"
