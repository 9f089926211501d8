// Clarity raises the contrast of large features, such as clouds, in the color modes mono and fg, whose glyphs show few
// tones. Requires color.glsl.
//
// A cell's luma is moved away from the mean luma of the regions around it, interpolated linearly between their centers.
// Small differences are tripled. Large ones, such as between a tree and the sky, stay as they are, so that edges get no
// halos. In between, the gain falls so slowly that the order of tones is kept.

#include "frame_state.glsl"

CONSTANT(int, ClarityGain, 2)     // clarity increases small differences by this many times their size
// In quarters of a code value:
CONSTANT(int, ClarityReach, 120)  // differences of this size or more stay as they are
CONSTANT(int, ClarityDark, 512)   // where the surroundings' luma is below this, clarity is proportional to that luma

// Returns where a column or row lies among the centers of the regions: 16 times the index of a region at this region's
// center, and interpolated between centers. Positions beyond the outermost centers are clamped to these centers.
// `step`: RegionParameters::step_x or step_y. `count`: region_count().
SHARED(INT) region_position(INT cell, uint step, uint count) {
  INT place = (((cell * 2 + 1) * int(step)) >> 12) - 8;
  return smaller(larger(place, broadcast(0)), broadcast(int(count - 1u) * 16));
}

// Returns 16 times the weighted mean of two regions' REGION_MEAN(). `share`: weight of the second, 0 to 16.
SHARED(INT) between_regions(CELL_CONTEXT, INT first, INT second, INT share) {
  return to_int(REGION_MEAN(first)) * (16 - share) + to_int(REGION_MEAN(second)) * share;
}

// Returns what clarity adds to the code values of a cell's samples.
SHARED(INT) clarity(CELL_CONTEXT, IN(MapParameters) p, INT column, INT row) {
  if (p.regions.columns == 0u) return broadcast(0);
  INT x = region_position(column, p.regions.step_x, region_count(p.columns, p.regions.columns));
  INT y = region_position(row, p.regions.step_y, region_count(p.rows, p.regions.rows));
  INT left = x >> 4;
  INT right = (x + 15) >> 4;
  INT upper = (y >> 4) * int(RegionsX);
  INT lower = ((y + 15) >> 4) * int(RegionsX);
  INT above = between_regions(CELL_ARGUMENTS, upper + left, upper + right, x & 15);
  INT below = between_regions(CELL_ARGUMENTS, lower + left, lower + right, x & 15);
  INT around = (above * (16 - (y & 15)) + below * (y & 15) + 128) >> 8;
  INT difference = to_int(luma_of_halves(SURROUND(0, 0))) - around;
  INT size = absolute(difference);
  INT falling = larger((ClarityReach - size) >> 1, broadcast(0));
  INT added = smaller(size * ClarityGain, falling) * smaller(around, broadcast(ClarityDark));
  added = ((added >> 9) + 2) >> 2;
  return select(difference < 0, -added, added);
}
