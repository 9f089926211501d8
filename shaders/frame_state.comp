#version 460
#extension GL_GOOGLE_include_directive : require
// Computes the frame's state from the sums over its cells, in a single work group.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "interface.glsl"

layout(constant_id = 0) const uint AutoLevels = 0u;

layout(local_size_x = HistogramSize) in;
layout(std430, binding = TableBinding) restrict readonly buffer TableWords { uint table_words[]; };
layout(std430, binding = MapParametersBinding) uniform Parameters { MapParameters parameters; };
layout(std430, binding = StateBinding) restrict buffer State {
  FrameState state;
  uint region_means[RegionCount];
  uint frame_sums[];
};

// main() stores the histogram here: for each tone, the number of cells that have it. bright_end() then replaces
// each number with the number of cells that have this tone or a brighter one.
shared uint cells_from[HistogramSize];
shared uint bright_tone;

#include "shared/frame_state.glsl"

// Returns the light of the brightest tone that more than 1/BrightShare of all cells reach or exceed.
uint bright_end(uint tone) {
  if (tone == 0u) bright_tone = 0u;
  for (uint step = 1u; step < HistogramSize; step *= 2u) {
    barrier();
    uint later = tone + step < HistogramSize ? cells_from[tone + step] : 0u;
    barrier();
    cells_from[tone] += later;
  }
  barrier();
  uint above = parameters.columns * parameters.rows / BrightShare;
  uint next = tone + 1u < HistogramSize ? cells_from[tone + 1u] : 0u;
  if (cells_from[tone] > above && next <= above) bright_tone = tone;
  barrier();
  return table_words[parameters.light.linear_at + bright_tone];
}

void main() {
  uint tone = gl_LocalInvocationIndex;
  cells_from[tone] = frame_sums[tone];
  frame_sums[tone] = 0u;  // for the next frame
  uint measured = AutoLevels != 0u ? bright_end(tone) : 0u;
  if (tone < RegionCount && parameters.regions.columns != 0u) {
    region_means[tone] = region_mean(parameters, tone, frame_sums[RegionSums + tone]);
    frame_sums[RegionSums + tone] = 0u;
  }
  if (tone != 0u) return;
  state = next_state(parameters, state, frame_sums[MovedSum], measured);
  frame_sums[MovedSum] = 0u;
}
