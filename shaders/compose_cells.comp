#version 460
#extension GL_GOOGLE_include_directive : require
// Applies an effect to the mapped cells and composes text over them: one invocation per cell.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "shared/color.glsl"
#include "shared/overlay.glsl"
#include "interface.glsl"
#include "cell_index.glsl"

layout(local_size_x = MatchGroupSize) in;

layout(std430, binding = CellBinding) restrict readonly buffer Cells { Cell cells[]; };
layout(std430, binding = MaskBinding) restrict readonly buffer MaskWords { uint mask_words[]; };
layout(std430, binding = TableBinding) restrict readonly buffer Tables { uint table_words[]; };
layout(std430, binding = OverlayBinding) restrict readonly buffer Overlay {
  OverlayParameters parameters;
  EffectParameters effect_parameters;
  OverlayCell overlay[];
};
layout(std430, binding = DrawnBinding) restrict writeonly buffer Drawn { Cell drawn[]; };

#include "shared/palette.glsl"
#include "shared/effect.glsl"

uint mean_coverage(uint glyph, uint coverage_at) {
  uint at = coverage_at + glyph;
  return (mask_words[at >> 2] >> ((at & 3u) * 8u)) & 0xFFu;
}

void main() {
  uint index = invocation_index();
  OverlayParameters p = parameters;
  if (index >= p.columns * p.rows) return;
  uint column = index % p.columns;
  bool left = column > 0u && overlay[index - 1u].glyph != OverlayNone;
  bool right = column + 1u < p.columns && overlay[index + 1u].glyph != OverlayNone;
  Cell picture = Cell(p.blank, 0xFF000000u, 0xFF000000u);
  uint coverage = 0u;
  if (p.has_picture != 0u) {
    picture = effect_cell(column, index / p.columns, effect_parameters);
    coverage = mean_coverage(picture.glyph, p.coverage_at);
  }
  drawn[index] = compose_cell(picture, coverage, overlay[index], left, right, p);
}
