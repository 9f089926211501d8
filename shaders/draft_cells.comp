#version 460
#extension GL_GOOGLE_include_directive : require
// First pass over cells in full color: computes each cell's candidate glyphs for match_cells.comp and the
// residuals that the cell passes to its neighbors (shared/draft.glsl). One invocation per cell.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "interface.glsl"

#define WRITES_DRAFTS
#include "match_setup.glsl"

void main() {
  uint index = invocation_index();
  MapParameters p = specialized_parameters();
  if (index >= p.columns * p.rows) return;
  CELL previous = CELL(0u, 0u, 0u);
  if (p.history.keep != 0u) {
    Cell kept = history[index];
    previous = CELL(kept.glyph, kept.foreground, kept.background);
  }
  int column = int(index % p.columns);
  int row = int(index / p.columns);
  draft_cell(index, SampleCount, column, row, p, previous, column, row);
}
