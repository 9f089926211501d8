#version 460
#extension GL_GOOGLE_include_directive : require
// The first of two looks at cells in full colour: what match_cells.comp chooses from, and what cells leave to their
// neighbours. One invocation per cell.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "bindings.glsl"

#include "match_setup.glsl"

void main() {
  uint index = gl_GlobalInvocationID.x;
  MapParameters p = specialised_parameters();
  if (index >= p.columns * p.rows) return;
  CELL previous = CELL(0u, 0u, 0u);
  if (p.keep_previous != 0u) {
    Cell kept = history[index];
    previous = CELL(kept.glyph, kept.foreground, kept.background);
  }
  draft_cell(index, SampleCount, int(index % p.columns), int(index / p.columns), p, previous);
}
