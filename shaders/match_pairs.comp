#version 460
#extension GL_GOOGLE_include_directive : require
// Maps the lattice to cells for glyph sets with characters two cells wide: one invocation per pair of cells,
// row by row.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "interface.glsl"

#include "match_setup.glsl"
#include "shared/wide.glsl"

CELL kept_cell(uint index) {
  Cell kept = history[index];
  return CELL(kept.glyph, kept.foreground, kept.background);
}

void keep(uint index, CELL mapped) {
  Cell cell = Cell(mapped.glyph, mapped.foreground, mapped.background);
  cells[index] = cell;
  if (Stable != 0u) history[index] = cell;
}

void main() {
  MapParameters p = specialized_parameters();
  uint across = (p.columns + 1u) / 2u;
  uint row = invocation_index() / across;
  uint column = 2u * (invocation_index() % across);
  if (row >= p.rows) return;
  if (Reversible == 0u) p.forms.wide = p.forms.wide_count;
  bool paired = column + 1u < p.columns;
  uint left = row * p.columns + column;
  uint right = paired ? left + 1u : left;

  CELLS previous = CELLS(CELL(0u, 0u, 0u), CELL(0u, 0u, 0u));
  if (p.history.keep != 0u) previous = CELLS(kept_cell(left), kept_cell(right));
  CELLS mapped = map_pair(left, SampleCount, int(column), int(row), int(right - left), p, previous, int(column),
                          int(row), paired);
  keep(left, mapped.left);
  if (paired) keep(right, mapped.right);
}
