#version 460
#extension GL_GOOGLE_include_directive : require
// Computes the frame's state from its sums, in a single work group.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "bindings.glsl"

layout(local_size_x = HistogramSize) in;
layout(std430, binding = TableBinding) restrict readonly buffer TableWords { uint table_words[]; };
layout(std430, binding = MapParametersBinding) restrict readonly buffer Parameters { MapParameters parameters; };
layout(std430, binding = StateBinding) restrict buffer State {
  FrameState state;
  uint frame_sums[];
};

// The histogram. One invocation reads it from start to end, which is much faster in shared memory than in a
// buffer.
shared uint sum_words[HistogramSize];

#include "shared/levels.glsl"

void main() {
  uint tone = gl_LocalInvocationIndex;
  sum_words[tone] = frame_sums[tone];
  frame_sums[tone] = 0u;  // for the next frame
  barrier();
  if (tone != 0u) return;
  state = next_state(HistogramSize, parameters, state, frame_sums[HistogramSize]);
  frame_sums[HistogramSize] = 0u;
}
