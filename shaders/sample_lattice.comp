#version 460
#extension GL_GOOGLE_include_directive : require
// Source pixels to the lattice of samples: one invocation per sample.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "shared/color.glsl"
#include "shared/sample.glsl"
#include "bindings.glsl"

// What is the same for all samples of a stream, so that the loops unroll and dead branches go.
layout(constant_id = 0) const uint Model = 0u;
layout(constant_id = 1) const uint BytesPerSample = 1u;
layout(constant_id = 2) const uint Transposed = 0u;
layout(constant_id = 3) const uint TapsX0 = 1u;
layout(constant_id = 4) const uint TapsY0 = 1u;
layout(constant_id = 5) const uint TapsX1 = 1u;
layout(constant_id = 6) const uint TapsY1 = 1u;
layout(constant_id = 7) const uint SamplesX = 1u;
layout(constant_id = 8) const uint SamplesY = 1u;

layout(local_size_x = SampleGroupWidth) in;
layout(std430, binding = FrameBinding) restrict readonly buffer FrameWords { uint frame_words[]; };
layout(std430, binding = AxisBinding) restrict readonly buffer AxisWords { uint axis_words[]; };
layout(std430, binding = LatticeBinding) restrict writeonly buffer LatticeWords { uint lattice_words[]; };
layout(std430, binding = SampleParametersBinding) restrict readonly buffer Parameters { SampleParameters parameters; };

// A sample's `bytes_per_sample` bytes, little-endian. Two-byte samples lie at even offsets, so none spans two words.
uint load_sample(uint offset) {
  uint word = frame_words[offset >> 2] >> ((offset & 3u) * 8u);
  return BytesPerSample == 1u ? word & 0xFFu : word & 0xFFFFu;
}

// The weighted sum of one component under lattice position (x, y), which count along the source's rows and columns.
uint sum_component(ComponentSource source, uint taps_x, uint taps_y, uint x, uint y, uint size_x, uint size_y) {
  uint first_x = axis_words[source.axis_x + x];
  uint first_y = axis_words[source.axis_y + y];
  uint weights_x = source.axis_x + size_x + x * taps_x;
  uint weights_y = source.axis_y + size_y + y * taps_y;
  uint row = source.base + first_y * source.stride + first_x * source.step;
  uint sum = 0u;
  for (uint ty = 0u; ty < taps_y; ++ty) {
    uint row_sum = 0u;
    for (uint tx = 0u; tx < taps_x; ++tx) {
      uint raw = load_sample(row + tx * source.step);
      row_sum += ((raw >> source.shift) & source.mask) * axis_words[weights_x + tx];
    }
    sum += row_sum * axis_words[weights_y + ty];
    row += source.stride;
  }
  return sum;
}

void main() {
  uint x = gl_GlobalInvocationID.x;
  uint y = gl_WorkGroupID.y;
  SampleParameters p = parameters;
  p.model = Model;
  if (x >= p.lattice_width || y >= p.lattice_height) return;

  uint along_x = Transposed != 0u ? y : x;
  uint along_y = Transposed != 0u ? x : y;
  uint size_x = Transposed != 0u ? p.lattice_height : p.lattice_width;
  uint size_y = Transposed != 0u ? p.lattice_width : p.lattice_height;

  uint word = 0u;
  if (axis_words[p.component_0.axis_x + along_x] != AxisOutside &&
      axis_words[p.component_0.axis_y + along_y] != AxisOutside) {
    int first = component_from_sum(
        sum_component(p.component_0, TapsX0, TapsY0, along_x, along_y, size_x, size_y), p.component_0.sum_shift);
    int second = 0;
    int third = 0;
    if (Model != ModelGray) {
      // The second and third component are always subsampled alike.
      second = component_from_sum(
          sum_component(p.component_1, TapsX1, TapsY1, along_x, along_y, size_x, size_y), p.component_1.sum_shift);
      third = component_from_sum(
          sum_component(p.component_2, TapsX1, TapsY1, along_x, along_y, size_x, size_y), p.component_2.sum_shift);
    }
    word = finish_sample(first, second, third, p);
  }
  uint column = x / SamplesX;
  uint row = y / SamplesY;
  uint cell = row * p.columns + column;
  lattice_words[(cell * SamplesY + (y - row * SamplesY)) * SamplesX + (x - column * SamplesX)] = word;
}
