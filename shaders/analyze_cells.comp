#version 460
#extension GL_GOOGLE_include_directive : require
// Writes each cell's CellAnalysis, which the cell's neighbors and the next frame read, and adds the cell to the
// sums from which frame_state.comp computes the frame's state. One invocation per cell.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "interface.glsl"
#include "cell_index.glsl"

layout(constant_id = 0) const uint Mode = 0u;
layout(constant_id = 1) const uint SampleCount = 32u;
layout(constant_id = 2) const uint SamplesX = 4u;
layout(constant_id = 3) const uint AutoLevels = 0u;  // 1: the histogram of the cells' tones is computed
layout(constant_id = 4) const uint OnGpu = 0u;       // 1: tuned for a GPU; 0: for a software driver

layout(local_size_x = MatchGroupSize) in;
layout(std430, binding = LatticeBinding) restrict readonly buffer LatticeWords { uint lattice_words[]; };
layout(std430, binding = TableBinding) restrict readonly buffer TableWords { uint table_words[]; };
layout(std430, binding = MapParametersBinding) uniform Parameters { MapParameters parameters; };
layout(std430, binding = AnalysisBinding) restrict buffer AnalysisWords { uint analysis_words[]; };
layout(std430, binding = StateBinding) restrict buffer State {
  FrameState state;
  uint region_means[RegionCount];
  uint frame_sums[];
};

#include "shared/color.glsl"
#include "shared/cell_samples.glsl"
#include "shared/analysis.glsl"

// The work group's part of frame_sums. Most cells of a group fall into a few bins. The group therefore
// counts its cells here first and then adds each bin to frame_sums once, which takes few atomic additions.
shared uint group_sums[MovedSum + 1u];

int mean_luma(uint halves) { return int(((halves & 0xFFFFu) + (halves >> 16)) >> 5); }

void main() {
  for (uint i = gl_LocalInvocationIndex; i <= MovedSum; i += MatchGroupSize) group_sums[i] = 0u;
  barrier();
  uint index = invocation_index();
  MapParameters p = parameters;
  if (index < p.columns * p.rows) {
    p.mode = Mode;
    p.sample_count = SampleCount;
    p.samples_x = SamplesX;
    p.levels.automatic = AutoLevels;
    int column = int(index % p.columns);
    int row = int(index / p.columns);
    uint halves = cell_halves(index, SampleCount, column, row, p);
    // The buffer still has the previous frame's words here. No other invocation of this shader reads this cell's two
    // words, so they can be overwritten in place.
    int moved = abs(mean_luma(halves) - mean_luma(analysis_words[2u * index]));
    analysis_words[2u * index] = halves;
    int light = analyzes_light(p) ? mean_light(index, SampleCount, column, row, p) : 0;
    analysis_words[2u * index + 1u] = mode_word(index, SampleCount, column, row, p, light);
    if (AutoLevels != 0u) atomicAdd(group_sums[encoded(index, SampleCount, column, row, p, light)], 1u);
    atomicAdd(group_sums[MovedSum], uint(moved));
    if (p.regions.columns != 0u) {
      uint region = region_at(p, uint(column), uint(row));
      atomicAdd(frame_sums[RegionSums + region], luma_of_halves(halves));
    }
  }
  barrier();
  for (uint i = gl_LocalInvocationIndex; i <= MovedSum; i += MatchGroupSize) {
    if (group_sums[i] != 0u) atomicAdd(frame_sums[i], group_sums[i]);
  }
}
