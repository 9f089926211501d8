#version 460
#extension GL_GOOGLE_include_directive : require
// Maps the lattice of samples to cells: one invocation per cell.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "interface.glsl"

#include "match_setup.glsl"

void main() {
  uint index = invocation_index();
  MapParameters p = specialized_parameters();
  if (index >= p.columns * p.rows) return;
  p.forms.wide = 0u;  // glyph sets with wide forms are mapped by match_pairs.comp
  p.forms.wide_ramp = 0u;

  CELL previous = CELL(0u, 0u, 0u);
  if (p.history.keep != 0u) {
    Cell kept = history[index];
    previous = CELL(kept.glyph, kept.foreground, kept.background);
  }
  int column = int(index % p.columns);
  int row = int(index / p.columns);
  CELL mapped = map_cell(index, SampleCount, column, row, p, previous, column, row);
  Cell cell = Cell(mapped.glyph, mapped.foreground, mapped.background);
  cells[index] = cell;
  if (Stable != 0u) history[index] = cell;
}
