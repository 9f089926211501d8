#pragma once

#include <cstdint>
#include <optional>

#include "render/renderer.h"

namespace glyphreel::commands {

/// The first cell that two renderers disagree on.
struct CellMismatch {
  std::int64_t frame = 0;
  int column = 0, row = 0;
  render::Cell gpu, cpu;
};

/// Differences found so far between two renderers' frames.
struct Comparison {
  std::int64_t frames = 0;
  std::int64_t cells = 0;  ///< compared, over all frames
  std::int64_t mismatched_cells = 0;
  std::int64_t mismatched_pixels = 0;
  int max_pixel_difference = 0;  ///< of any byte of a pixel
  std::optional<CellMismatch> first_mismatch;

  /// Compares one frame: same grid, same size, Bgra8.
  void add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu);
};

}  // namespace glyphreel::commands
