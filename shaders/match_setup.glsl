// Shared by draft_cells.comp, match_cells.comp and match_pairs.comp: constants, buffers, and the parameters
// with the constants applied. Requires prelude.glsl, structs.glsl and interface.glsl.

// Specialization constants: each pipeline contains only the code that its mode needs, with unrolled loops.
layout(constant_id = 0) const uint Mode = 0u;
layout(constant_id = 1) const uint Color = 0u;
layout(constant_id = 2) const uint SampleCount = 32u;
layout(constant_id = 3) const uint FeaturePairs = 16u;
layout(constant_id = 4) const uint SamplesX = 4u;
layout(constant_id = 5) const uint LocalContrast = 0u;
layout(constant_id = 6) const uint DitherKind = 0u;
// Each constant below is 1 if the feature that it names is in use. OnGpu is 0 on a software driver.
layout(constant_id = 7) const uint Analyzed = 0u;
layout(constant_id = 8) const uint Stable = 0u;
layout(constant_id = 9) const uint Reversible = 0u;
layout(constant_id = 10) const uint Legible = 0u;
layout(constant_id = 11) const uint Paletted = 0u;
layout(constant_id = 12) const uint TwoPass = 0u;
layout(constant_id = 13) const uint OnGpu = 0u;

#include "cell_index.glsl"

layout(local_size_x = MatchGroupSize) in;
layout(std430, binding = LatticeBinding) restrict readonly buffer LatticeWords { uint lattice_words[]; };
layout(std430, binding = TableBinding) restrict readonly buffer TableWords { uint table_words[]; };
layout(std430, binding = MapParametersBinding) uniform Parameters { MapParameters parameters; };
layout(std430, binding = AnalysisBinding) restrict readonly buffer AnalysisWords { uint analysis_words[]; };
layout(std430, binding = StateBinding) restrict readonly buffer State {
  FrameState state;
  uint region_means[RegionCount];
};
// draft_cells.comp, which defines WRITES_DRAFTS, writes the drafts and only reads the history. The other shaders only
// read the drafts and write the history. The code that they share stores drafts too, so their STORE_DRAFT is empty.
#ifdef WRITES_DRAFTS
#define DRAFT_ACCESS
#define HISTORY_ACCESS readonly
#else
#define DRAFT_ACCESS readonly
#define HISTORY_ACCESS
#undef STORE_DRAFT
#define STORE_DRAFT(i, word)
#endif
layout(std430, binding = HistoryBinding) restrict HISTORY_ACCESS buffer History { Cell history[]; };
layout(std430, binding = DraftBinding) restrict DRAFT_ACCESS buffer Drafts { uint draft_words[]; };
layout(std430, binding = CellBinding) restrict writeonly buffer Cells { Cell cells[]; };

#include "shared/color.glsl"
#include "shared/cell_samples.glsl"
#include "shared/draft.glsl"
#include "shared/analysis.glsl"
#include "shared/palette.glsl"
#include "shared/ink.glsl"
#include "shared/match.glsl"

MapParameters specialized_parameters() {
  MapParameters p = parameters;
  p.mode = Mode;
  p.color = Color;
  p.sample_count = SampleCount;
  p.forms.feature_pairs = FeaturePairs;
  p.samples_x = SamplesX;
  p.surround.contrast = LocalContrast;
  p.dither.kind = DitherKind;
  p.levels.gain = Analyzed != 0u ? state.gain : 4096u;
  p.history.keep = Stable != 0u ? state.keep : 0u;
  if (Stable == 0u) p.history.stability = 0u;
  if (Reversible == 0u) p.forms.reversed_from = 0x7FFFFFFFu;
  if (Legible == 0u) p.legibility.contrast = p.legibility.flat_glyphs_at = 0u;
  if (Paletted == 0u) p.palette.colors_at = p.mix.mixes_at = 0u;
  p.two_pass = TwoPass;
  return p;
}
