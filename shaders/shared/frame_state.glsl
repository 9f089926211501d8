// What a frame's cells have in common: how bright the frame is, whether it continues the scene of the previous frame, and
// the mean luma of its regions. Requires structs.glsl.

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

// The grid is divided into at most RegionsX x RegionsY regions of p.regions.columns x p.regions.rows cells.

// Returns the mean luma of CellAnalysis::halves, 4 = one code value.
SHARED(UINT) luma_of_halves(UINT halves) { return ((halves & 0xFFFFu) + (halves >> 16)) >> 3; }

// Returns the index of a cell's region among the sums and means of regions.
SHARED(uint) region_at(IN(MapParameters) p, uint column, uint row) {
  return row / p.regions.rows * RegionsX + column / p.regions.columns;
}

// Returns the number of regions that `cells` columns or rows are divided into. `size`: columns or rows of a region.
SHARED(uint) region_count(uint cells, uint size) { return (cells + size - 1u) / size; }

// Returns the number of columns or rows of a region. `region`: the region's index along the same axis. The last region
// may be smaller than `size`.
SHARED(uint) region_extent(uint cells, uint size, uint region) {
  uint first = region * size;
  uint left = cells > first ? cells - first : 0u;
  return left < size ? left : size;
}

// Returns the mean of a region from the sum of luma_of_halves() over its cells. `index`: region_at().
SHARED(uint) region_mean(IN(MapParameters) p, uint index, uint sum) {
  uint cells = region_extent(p.columns, p.regions.columns, index % RegionsX) *
               region_extent(p.rows, p.regions.rows, index / RegionsX);
  return cells > 0u ? sum / cells : 0u;
}
