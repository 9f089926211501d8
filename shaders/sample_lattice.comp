#version 460
#extension GL_GOOGLE_include_directive : require
#ifdef FROM_IMAGES
#extension GL_EXT_samplerless_texture_functions : require
#endif
// Resamples source pixels to the lattice of samples: one invocation per row of samples in a cell.
//
// Reads are the largest cost, especially on llvmpipe. In most frames, the source samples under one cell span only a few
// words of each source row. These words are read whole, and two samples are weighted at a time. In all other cases,
// samples are read and summed one by one. Both ways compute the same sums.
//
// FROM_IMAGES: the planes are images with the decoder's tiling, in the decoder's memory. Their samples are
// summed one by one.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "interface.glsl"

// Values that are the same for all samples of a stream. Because they are constants, the compiler unrolls loops
// and removes unused branches.
layout(constant_id = 0) const uint Model = 0u;
layout(constant_id = 1) const uint BytesPerSample = 1u;
layout(constant_id = 2) const uint Transposed = 0u;
// Numbers of taps of component 0, and of components 1 and 2. They depend on the grid. 0: the numbers are read from the
// parameters, so that one pipeline serves all grids, more slowly.
layout(constant_id = 3) const uint TapsX0 = 1u;
layout(constant_id = 4) const uint TapsY0 = 1u;
layout(constant_id = 5) const uint TapsX1 = 1u;
layout(constant_id = 6) const uint TapsY1 = 1u;
layout(constant_id = 7) const uint SamplesX = 1u;
layout(constant_id = 8) const uint SamplesY = 1u;
// How many bytes of a source row one invocation reads for component 0, and for each of components 1 and 2. 0: the
// component's samples are summed one by one. Otherwise, its axis_x points to a packed axis
// (src/gpu/passes/packed_axis.h).
layout(constant_id = 9) const uint Span0 = 0u;
layout(constant_id = 10) const uint Span1 = 0u;
layout(constant_id = 11) const uint Tone = 0u;
// For images: four times the index of a component's plane, plus the component's channel in the plane.
layout(constant_id = 12) const uint Place0 = 0u;
layout(constant_id = 13) const uint Place1 = 0u;
layout(constant_id = 14) const uint Place2 = 0u;
layout(constant_id = 15) const uint OnGpu = 0u;  // 1: tuned for a GPU; 0: for a software driver

layout(local_size_x = SampleGroupWidth) in;
#ifdef FROM_IMAGES
layout(binding = FirstPlaneBinding) uniform texture2D plane_0;
layout(binding = FirstPlaneBinding + 1) uniform texture2D plane_1;
layout(binding = FirstPlaneBinding + 2) uniform texture2D plane_2;
#else
layout(std430, binding = FrameBinding) restrict readonly buffer FrameWords { uint frame_words[]; };
#endif
layout(std430, binding = AxisBinding) restrict readonly buffer AxisWords { uint axis_words[]; };
layout(std430, binding = LatticeBinding) restrict writeonly buffer LatticeWords { uint lattice_words[]; };
layout(std430, binding = SampleParametersBinding) uniform Parameters { SampleParameters parameters; };

#include "shared/color.glsl"
#include "shared/sample.glsl"

// One component's weighted sum of source samples for each lattice sample of an invocation.
struct Sums {
  uint of[MaxSamplesX];
};

#ifdef FROM_IMAGES
// Returns one sample of the texel at (x, y). `place` selects its plane and channel (see Place0). UNORM texels are
// multiples of 1/255 or 1/65535 to within float precision, so rounding recovers the integer.
uint load_sample(uint place, uint x, uint y) {
  ivec2 at = ivec2(x, y);
  uint plane = place >> 2;
  vec4 texel = plane == 0u ? texelFetch(plane_0, at, 0) : plane == 1u ? texelFetch(plane_1, at, 0) : texelFetch(plane_2, at, 0);
  return uint(texel[place & 3u] * (BytesPerSample == 1u ? 255.0 : 65535.0) + 0.5);
}
#else
// Returns a sample of BytesPerSample bytes, little-endian. Two-byte samples are at even offsets, so none
// spans two words.
uint load_sample(uint offset) {
  uint word = frame_words[offset >> 2] >> ((offset & 3u) * 8u);
  return BytesPerSample == 1u ? word & 0xFFu : word & 0xFFFFu;
}
#endif

// Returns the weighted sum of one component for entry x of the axis along the source's rows and entry y of the axis
// along its columns.
uint sum_one(ComponentSource source, uint place, uint taps_x, uint taps_y, uint x, uint y, uint size_x, uint size_y) {
  uint weights_x = source.axis_x + size_x + x * taps_x;
  uint weights_y = source.axis_y + size_y + y * taps_y;
  uint first_x = axis_words[source.axis_x + x];
  uint first_y = axis_words[source.axis_y + y];
  uint sum = 0u;
  for (uint ty = 0u; ty < taps_y; ++ty) {
    uint row_sum = 0u;
    for (uint tx = 0u; tx < taps_x; ++tx) {
#ifdef FROM_IMAGES
      uint raw = load_sample(place, first_x + tx, first_y + ty);
#else
      uint raw = load_sample(source.base + (first_y + ty) * source.stride + (first_x + tx) * source.step);
#endif
      row_sum += ((raw >> source.shift) & source.mask) * axis_words[weights_x + tx];
    }
    sum += row_sum * axis_words[weights_y + ty];
  }
  return sum;
}

Sums sum_one_by_one(ComponentSource source, uint place, uint taps_x, uint taps_y, uint x, uint y) {
  Sums sums;
  for (uint i = 0u; i < SamplesX; ++i) {
    if (Transposed != 0u) {
      sums.of[i] = sum_one(source, place, taps_x, taps_y, y, x + i, parameters.lattice_height, parameters.lattice_width);
    } else {
      sums.of[i] = sum_one(source, place, taps_x, taps_y, x + i, y, parameters.lattice_width, parameters.lattice_height);
    }
  }
  return sums;
}

#ifndef FROM_IMAGES
// Adds a word's samples to the sums of their columns. Weights along y sum to 256, so a column of 8-bit samples sums to
// less than 2^16, and two sums share a word. With two-byte samples, each sum has its own word.
void add_word(inout uint even, inout uint odd, uint word, uint weight, ComponentSource source) {
  if (BytesPerSample == 1u) {
    even += (word & 0x00FF00FFu) * weight;
    odd += ((word >> 8) & 0x00FF00FFu) * weight;
  } else {
    even += (((word & 0xFFFFu) >> source.shift) & source.mask) * weight;
    odd += ((word >> (16u + source.shift)) & source.mask) * weight;
  }
}

// Sums samples one word at a time.
Sums sum_in_words(ComponentSource source, uint taps_x, uint taps_y, uint span, uint x, uint y) {
  const uint word_count = (span + 3u) / 4u;
  const uint load_count = (span + 6u) / 4u;  // the most words that the span can touch
  const uint entry_words = taps_x <= 2u ? 1u : 1u + taps_x / 2u;
  uint entry = source.axis_x + x * entry_words;
  uint first = axis_words[entry] & 0xFFFFu;
  uint row = source.base + axis_words[source.axis_y + y] * source.stride + first * source.step;
  uint weights_y = source.axis_y + parameters.lattice_height + y * taps_y;
  uint last_word = uint(frame_words.length()) - 1u;

  uint even[MaxSpanWords];
  uint odd[MaxSpanWords];
  for (uint i = 0u; i < word_count; ++i) {
    even[i] = 0u;
    odd[i] = 0u;
  }
  for (uint ty = 0u; ty < taps_y; ++ty) {
    uint weight = axis_words[weights_y + ty];
    if (OnGpu != 0u && weight == 0u) {  // uniform across the work group
      row += source.stride;
      continue;
    }
    uint shift = (row & 3u) * 8u;
    uint loaded[MaxSpanWords + 1u];
    for (uint i = 0u; i < load_count; ++i) loaded[i] = frame_words[min((row >> 2) + i, last_word)];
    for (uint i = 0u; i < word_count; ++i) {
      uint next = i + 1u < load_count ? loaded[i + 1u] : 0u;
      uint word = (loaded[i] >> shift) | ((next << 1) << (31u - shift));
      add_word(even[i], odd[i], word, weight, source);
    }
    row += source.stride;
  }

  Sums sums;
  for (uint i = 0u; i < SamplesX; ++i) {
    uint head = axis_words[entry + i * entry_words];
    uint sum = 0u;
    for (uint tx = 0u; tx < taps_x; ++tx) {
      uint weight = head >> 16;
      if (tx == 1u && taps_x == 2u) weight = AxisWeightSum - weight;
      if (tx >= 1u && taps_x > 2u) {
        uint pair = axis_words[entry + i * entry_words + 1u + (tx - 1u) / 2u];
        weight = (pair >> (((tx - 1u) & 1u) * 16u)) & 0xFFFFu;
      }
      uint at = ((head & 0xFFFFu) - first + tx) * source.step;
      bool is_odd = (at & BytesPerSample) != 0u;
      uint column_sum = is_odd ? odd[0] : even[0];
      for (uint k = 1u; k < word_count; ++k) {
        uint candidate = is_odd ? odd[k] : even[k];
        column_sum = (at >> 2) == k ? candidate : column_sum;
      }
      if (BytesPerSample == 1u) column_sum = (column_sum >> ((at & 2u) * 8u)) & 0xFFFFu;
      sum += column_sum * weight;
    }
    sums.of[i] = sum;
  }
  return sums;
}

#endif

Sums sum_component(ComponentSource source, uint place, uint taps_x, uint taps_y, uint span, uint x, uint y) {
#ifndef FROM_IMAGES
  if (span != 0u) return sum_in_words(source, taps_x, taps_y, span, x, y);
#endif
  return sum_one_by_one(source, place, taps_x, taps_y, x, y);
}

bool is_outside(ComponentSource source, uint x, uint y) {
  uint along_x = Transposed != 0u ? y : x;
  uint along_y = Transposed != 0u ? x : y;
  if (axis_words[source.axis_y + along_y] == AxisOutside) return true;
  if (Span0 == 0u) return axis_words[source.axis_x + along_x] == AxisOutside;
  const uint entry_words = TapsX0 <= 2u ? 1u : 1u + TapsX0 / 2u;
  return axis_words[source.axis_x + along_x * entry_words] == AxisOutside;
}

#define STORE_SAMPLE(i, word) lattice_words[WORD_OF_CELL(cell, first_sample + (i), SamplesX * SamplesY, cells)] = (word)

void main() {
  uint column = gl_GlobalInvocationID.x;
  uint y = gl_WorkGroupID.y;
  SampleParameters p = parameters;
  p.model = Model;
  p.tone = Tone;
  if (column >= p.columns) return;
  uint x = column * SamplesX;
  uint row = y / SamplesY;
  uint cell = row * p.columns + column;
  uint cells = p.columns * (p.lattice_height / SamplesY);
  uint first_sample = (y - row * SamplesY) * SamplesX;
  // Pictures cover whole cells, so an invocation's samples are either all inside the picture or all outside it.
  if (is_outside(p.component_0, x, y)) {
    for (uint i = 0u; i < SamplesX; ++i) STORE_SAMPLE(i, 0u);
    return;
  }
  uint taps_x_0 = TapsX0 != 0u ? TapsX0 : p.component_0.taps_x;
  uint taps_y_0 = TapsY0 != 0u ? TapsY0 : p.component_0.taps_y;
  Sums first = sum_component(p.component_0, Place0, taps_x_0, taps_y_0, Span0, x, y);
  Sums second = first;
  Sums third = first;
  if (Model != ModelGray) {
    // The second and third component are always subsampled equally, so both use the second component's axes.
    ComponentSource source = p.component_2;
    source.axis_x = p.component_1.axis_x;
    source.axis_y = p.component_1.axis_y;
    uint taps_x_1 = TapsX1 != 0u ? TapsX1 : p.component_1.taps_x;
    uint taps_y_1 = TapsY1 != 0u ? TapsY1 : p.component_1.taps_y;
    second = sum_component(p.component_1, Place1, taps_x_1, taps_y_1, Span1, x, y);
    third = sum_component(source, Place2, taps_x_1, taps_y_1, Span1, x, y);
  }
  for (uint i = 0u; i < SamplesX; ++i) {
    int code_0 = component_from_sum(first.of[i], p.component_0.sum_shift);
    int code_1 = component_from_sum(second.of[i], p.component_1.sum_shift);
    int code_2 = component_from_sum(third.of[i], p.component_2.sum_shift);
    uint finished;
    if (Tone == ToneNone) {
      finished = finish_sample(code_0, code_1, code_2, p);
    } else {
      finished = finish_wide_sample(code_0, code_1, code_2, p);
    }
    if (p.adjust_at != 0) finished = adjust_sample(finished, p);
    STORE_SAMPLE(i, finished);
  }
}
