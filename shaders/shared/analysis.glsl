// Computes CellAnalysis, which must be complete before any cell is matched. Requires color.glsl and
// cell_samples.glsl.

#include "fit.glsl"
#include "clarity.glsl"
#include "light.glsl"
#include "edge.glsl"

// Whether the analysis needs mean_light(), for the histogram of tones or for mode_word().
SHARED(bool) analyzes_light(IN(MapParameters) p) { return p.levels.automatic != 0u || p.mode == ModeRamp; }

// Returns CellAnalysis::mode_word. `light`: the cell's mean_light(); unused unless analyzes_light() is true.
SHARED(UINT) mode_word(CELL_CONTEXT, IN(MapParameters) p, INT light) {
  UINT word = to_uint(broadcast(0));
  switch (p.mode) {
    case ModeRamp:
      word = to_uint(light);
      break;
    case ModeShape:
      break;
    case ModeEdge:
      word = edge_word(CELL_ARGUMENTS, p);
      break;
  }
  return word;
}
