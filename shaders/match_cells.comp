#version 460
#extension GL_GOOGLE_include_directive : require
// The lattice of samples to cells: one invocation per cell.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "bindings.glsl"

// Constants of the setup, so that each mode's pipeline holds its own code alone and its loops unroll.
layout(constant_id = 0) const uint Mode = 0u;
layout(constant_id = 1) const uint Color = 0u;
layout(constant_id = 2) const uint SampleCount = 32u;
layout(constant_id = 3) const uint FeaturePairs = 16u;

layout(local_size_x = MatchGroupSize) in;
layout(std430, binding = LatticeBinding) restrict readonly buffer LatticeWords { uint lattice_words[]; };
layout(std430, binding = TableBinding) restrict readonly buffer TableWords { uint table_words[]; };
layout(std430, binding = MapParametersBinding) restrict readonly buffer Parameters { MapParameters parameters; };
layout(std430, binding = CellBinding) restrict writeonly buffer Cells { Cell cells[]; };

#include "shared/color.glsl"
#include "shared/match.glsl"

void main() {
  uint index = gl_GlobalInvocationID.x;
  MapParameters p = parameters;
  if (index >= p.columns * p.rows) return;
  p.mode = Mode;
  p.color = Color;
  p.sample_count = SampleCount;
  p.feature_pairs = FeaturePairs;
  CELL cell = map_cell(index, SampleCount, p);
  cells[index] = Cell(cell.glyph, cell.foreground, cell.background);
}
