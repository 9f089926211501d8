#pragma once

#include <optional>
#include <string>

#include "player/osd/text_canvas.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

/// Content of the split view's heading: the two renderers, and how many of their cells differ.
struct SplitFacts {
  struct Side {
    std::string title;             ///< "GPU"
    std::string engine;            ///< "llvmpipe (LLVM 15.0.6, 256 bits)"
    std::optional<double> map_ms;  ///< mapping time per frame; empty: unknown
  };
  Side left, right;
  render::SplitFindings findings;
};

/// Height of the heading at the top of the grid.
inline constexpr int SplitHeadingRows = 2;

/// Draws two rows. The first row shows, above each half, the half's renderer and mapping time. The second row
/// shows how many cells differ. `canvas`: the whole grid.
void draw_split_heading(TextCanvas canvas, const SplitFacts& facts);

}  // namespace glyphreel::player
