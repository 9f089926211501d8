#pragma once

#include <cstddef>
#include <cstdint>

#include "base/frame.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::render {

/// Input and output of drawing a grid into a picture.
struct DrawJob {
  const mapping::shared::Cell* cells = nullptr;  ///< the whole grid
  const std::uint8_t* masks = nullptr;           ///< in the layout of text::GlyphSet::masks()
  GridSize grid;
  CellSize cell;
  const Picture* picture = nullptr;
  // For add_light_row() only:
  const std::uint32_t* tables = nullptr;                   ///< GlyphTables::words
  const mapping::shared::DrawParameters* light = nullptr;  ///< from light_parameters()
};

/// Returns the size of add_light_row()'s scratch memory, in 32-bit words.
[[nodiscard]] constexpr std::size_t light_scratch_words(GridSize grid, CellSize cell) {
  const auto columns = static_cast<std::size_t>(grid.columns);
  return columns * static_cast<std::size_t>(cell.width) * (mapping::shared::GlowRows + 2) +
         columns * mapping::shared::GlowColumns + 2;
}

/// The inner loops of drawing, compiled once per instruction set from the same source.
struct DrawKernels {
  void (*draw_bgra_row)(const DrawJob& job, int row);  ///< one row of cells, Bgra8
  void (*draw_luma_row)(const DrawJob& job, int row);  ///< one row of cells, luma plane of Yuv420p
  /// One row of cells, chroma planes of Yuv420p; only for cells of even width and height.
  void (*draw_chroma_row)(const DrawJob& job, int row);
  /// Adds glow and scan lines to one row of drawn cells, Bgra8.
  void (*add_light_row)(const DrawJob& job, int row, std::uint32_t* scratch);
  /// Converts pixel rows 2 * `row` and 2 * `row` + 1 from Bgra8 to Yuv420p. The pictures have equal sizes.
  void (*pack_yuv_row)(const Picture& bgra, const Picture& yuv, int row);
};

/// Returns the fastest kernels that this CPU supports, unless the environment variable GLYPHREEL_ISA selects
/// slower ones, as for mapping::best_kernels().
[[nodiscard]] const DrawKernels& best_draw_kernels();

/// Draws chroma rows [begin, end) pixel by pixel, for any cell size.
void draw_chroma_exactly(const DrawJob& job, int begin, int end);

/// Makes the luma black where a Yuv420p picture is larger than its grid: in the last pixel column, the last
/// pixel row, or both, if the picture's size was rounded up to even numbers.
void draw_yuv_padding(const DrawJob& job);

}  // namespace glyphreel::render
