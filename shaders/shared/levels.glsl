// Per-frame decisions: how bright the frame is, and whether it continues the scene of the previous frame. Requires
// structs.glsl.

CONSTANT(uint, BrightShare, 50u)       // the bright end is the light that 1 / BrightShare of a frame's cells exceed
CONSTANT(uint, MaxGain, 4871u)        // maximum gain, 4096 = 1: a quarter of a stop, so that dark scenes stay dark
CONSTANT(uint, CutDifference, 51u)     // a cut changes cells' luma by at least this on average: a fifth of 255

// Returns the frame's state. `before`: the previous frame's state, whose `frames` is 0 if there is no previous
// frame or that frame must be ignored. `moved`: the sum over all cells of the change in mean luma. `measured`:
// this frame's bright end, 16-bit linear light that one cell in BrightShare exceeds; 0 without auto-levels.
SHARED(FrameState) next_state(IN(MapParameters) p, IN(FrameState) before, uint moved, uint measured) {
  FrameState state;
  state.keep = before.frames > 0u && moved < p.columns * p.rows * CutDifference ? 1u : 0u;
  state.level = measured;
  if (state.keep != 0u) {
    // Moves toward the measured level by a share of the distance, but by at least one, so that the level is
    // reached.
    if (measured >= before.level) {
      uint step = ((measured - before.level) * (p.levels.rate >> 8)) >> 8;
      state.level = before.level + (step == 0u && measured > before.level ? 1u : step);
    } else {
      uint step = ((before.level - measured) * (p.levels.rate >> 8)) >> 8;
      state.level = before.level - (step == 0u ? 1u : step);
    }
  }
  state.frames = before.frames < 0xFFFFFFFFu ? before.frames + 1u : before.frames;
  state.gain = 4096u;
  if (p.levels.automatic != 0u) {
    state.gain = (65535u * 4096u) / (state.level > 0u ? state.level : 1u);
    state.gain = state.gain < 4096u ? 4096u : state.gain > MaxGain ? MaxGain : state.gain;
  }
  return state;
}
