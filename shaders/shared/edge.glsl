// Strokes along the picture's contours. Requires structs.glsl and color.glsl.
//
// A cell's contour is found from its own samples with the structure tensor J: the sum of (gx gx, gx gy, gy gy)
// over all squares of 2 x 2 samples, where (gx, gy) is a square's gradient. J's eigenvalues l1 >= l2 show how much
// of the contrast has one direction. The eigenvector of l1 is the contour's normal. The centroid of the gradients'
// energy is the contour's position.
//
// The table at MapParameters::edge_at (made by mapping/tables/edge_glyphs.h) begins with EdgeHeader words:
//   EdgeWeight*   weights of J's elements, which compensate for samples that are not square, 256 = 1
//   EdgeHigh      strength that starts a contour
//   EdgeLow       strength that continues a contour
// followed by EdgeDirectionWords for each direction:
//   0, 1  factors that convert the centroid's x (0) and y (1), in 1/32 samples from the cell's middle, to a distance
//         along the normal: signed, 4096 = one position
//   2     256 / the trace of J for a sharp step of one code value through the cell's middle
// and then EdgePlaces glyphs for each direction: 0xFFFFFFFF if no glyph looks like a line at this position.
//
// Direction k has its normal at k * 22.5 degrees from the x axis toward the y axis, which points down: 0 is a
// vertical line, 2 is /, 4 is horizontal, 6 is \ . Positions are numbered along the normal from one side of
// the cell to the other: to the right, or downward for directions 3 to 5.
//
// The bits of a cell's edge_word():
//   bits 0 to 7    strength: the contour's contrast in code values
//   bits 8 to 10   direction
//   bits 11 to 13  position
//   bits 16 to 22  half of the mean luma of the samples along the left border
//   bits 23 to 29  half of the mean luma of the samples along the upper border

SHARED(INT) edge_strength(UINT word) { return to_int(word & 255u); }
SHARED(INT) edge_direction(UINT word) { return to_int((word >> 8) & 7u); }
SHARED(INT) edge_place(UINT word) { return to_int((word >> 11) & 7u); }
SHARED(INT) edge_left_luma(UINT word) { return to_int((word >> 16) & 127u); }
SHARED(INT) edge_upper_luma(UINT word) { return to_int((word >> 23) & 127u); }

// Returns the square root of `square`, rounded down. Returns 255 for roots above 255.
SHARED(INT) edge_root(INT square) {
  INT root = broadcast(0);
  for (int step = 128; step > 0; step >>= 1) {
    INT next = root + step;
    root = select(next * next > square, root, next);
  }
  return root;
}

// Returns half of the mean luma of `count` samples, `step` apart, from `first` on: the samples along one border of
// the cell.
SHARED(INT) edge_side(CELL_CONTEXT, uint first, uint step, uint count) {
  INT sum = broadcast(0);
  for (uint i = 0u; i < count; ++i) sum += to_int(SAMPLE_BYTE(first + i * step, 24u));
  return divide(sum, broadcast(int(2u * count)));
}

// Returns half of the angle of the vector (x, y), in steps of 22.5 degrees, rounded to the nearest step. |x| and
// |y| are below 2^22. 169 / 408 is tan 22.5 degrees to five digits.
SHARED(INT) edge_half_angle(INT x, INT y) {
  INT across = absolute(x);
  INT down = absolute(y);
  INT straight = select(down * 408 <= across * 169, select(x < 0, broadcast(4), broadcast(0)),
                        select(y < 0, broadcast(6), broadcast(2)));
  INT slanted = select(y < 0, select(x < 0, broadcast(5), broadcast(7)), select(x < 0, broadcast(3), broadcast(1)));
  return select(both(down * 408 > across * 169, across * 408 > down * 169), slanted, straight);
}

// Detects the contour in the cell's own samples. Returns the word that the top of this file describes.
SHARED(UINT) edge_word(CELL_CONTEXT, IN(MapParameters) p) {
  uint columns = p.samples_x;
  uint rows = p.sample_count / p.samples_x;
  INT xx = broadcast(0);
  INT xy = broadcast(0);
  INT yy = broadcast(0);
  // Over all squares of 2 x 2 samples: the sum of the energy times the x of the square's center, in half samples from
  // the cell's middle.
  INT sum_x = broadcast(0);
  INT sum_y = broadcast(0);
  // At most 31 squares are summed. gx gx + gy gy is at most 4 * 255^2, so xx, xy and yy are below 2^23, and
  // sum_x and sum_y below 2^27.
  for (uint y = 1u; y < rows; ++y) {
    INT upper = to_int(SAMPLE_BYTE((y - 1u) * columns, 24u));
    INT lower = to_int(SAMPLE_BYTE(y * columns, 24u));
    for (uint x = 1u; x < columns; ++x) {
      INT upper_next = to_int(SAMPLE_BYTE((y - 1u) * columns + x, 24u));
      INT lower_next = to_int(SAMPLE_BYTE(y * columns + x, 24u));
      INT gx = upper_next + lower_next - upper - lower;
      INT gy = lower + lower_next - upper - upper_next;
      INT energy = gx * gx + gy * gy;
      xx += gx * gx;
      xy += gx * gy;
      yy += gy * gy;
      sum_x += energy * (2 * int(x) - int(columns));
      sum_y += energy * (2 * int(y) - int(rows));
      upper = upper_next;
      lower = lower_next;
    }
  }
  INT place_x = divide(sum_x * 16, xx + yy + 1);  // in 1/32 samples
  INT place_y = divide(sum_y * 16, xx + yy + 1);

  // Divides J by four, so that a sharp vertical or horizontal step of c code values adds c^2 to the trace of J for each
  // square of samples that the step crosses.
  xx = ((xx >> 2) * int(TABLE(p.edge_at + EdgeWeightXx))) >> 8;
  yy = ((yy >> 2) * int(TABLE(p.edge_at + EdgeWeightYy))) >> 8;
  INT cosine = xx - yy;
  INT sine = 2 * (((xy >> 2) * int(TABLE(p.edge_at + EdgeWeightXy))) >> 8);
  INT direction = edge_half_angle(cosine, sine);

  // l1 - l2 is the length of the vector (cosine, sine), which is approximated to within 3 % by the larger of
  // `most` and 7/8 `most` + 1/2 `least`.
  INT most = larger(absolute(cosine), absolute(sine));
  INT least = absolute(cosine) + absolute(sine) - most;
  INT length = larger(most, most - (most >> 3) + (least >> 1));
  // l1 - 3 l2: the contrast across the contour minus three times the contrast along it. Texture has similar
  // contrast in both directions, so nothing remains of it.
  INT agreed = larger(2 * length - xx - yy, broadcast(0));
  INT at = broadcast(int(p.edge_at + EdgeHeader)) + direction * int(EdgeDirectionWords);
  INT strength = edge_root((agreed * to_int(GATHER(at + 2))) >> 8);

  INT place = (place_x * to_int(GATHER(at)) + place_y * to_int(GATHER(at + 1)) + int(EdgePlaces) * 2048) >> 12;
  int last = int(EdgePlaces) - 1;
  place = select(place < 0, broadcast(0), select(place > last, broadcast(last), place));

  INT left = edge_side(CELL_ARGUMENTS, 0u, columns, rows);
  INT upper = edge_side(CELL_ARGUMENTS, 0u, 1u, columns);
  return to_uint(strength) | (to_uint(direction) << 8) | (to_uint(place) << 11) | (to_uint(left) << 16) |
         (to_uint(upper) << 23);
}

// Returns the side of the cell that a line runs along: 1 for right or lower, -1 for left or upper, 0 if the
// line is near neither side.
SHARED(INT) edge_side_x(UINT word) {
  INT direction = edge_direction(word);
  INT place = edge_place(word) - int(EdgePlaces) / 2;
  INT side = select(place > 0, broadcast(1), select(place < 0, broadcast(-1), broadcast(0)));
  return select(either(direction <= 1, direction == 7), side, broadcast(0));
}
SHARED(INT) edge_side_y(UINT word) {
  INT direction = edge_direction(word);
  INT place = edge_place(word) - int(EdgePlaces) / 2;
  INT side = select(place > 0, broadcast(1), select(place < 0, broadcast(-1), broadcast(0)));
  return select(both(direction >= 3, direction <= 5), side, broadcast(0));
}

// Whether two neighboring cells have detected the same contour, which happens if a line along their border is
// detected in both cells. `second`: the cell to the right of `first` or below it. `first_side`, `second_side`: the
// results of edge_side_x() or edge_side_y() for the two cells.
SHARED(MASK) edge_same(UINT first, UINT second, INT first_side, INT second_side) {
  INT turn = (edge_direction(first) - edge_direction(second) + 1) & 7;  // 1: equal directions
  return both(both(first_side > 0, second_side < 0), turn <= 2);
}
// Whether `first` draws the contour that edge_same() found in two cells. `first` draws it unless its line is
// clearly weaker than that of `second`, so that the choice between equally strong lines does not alternate from
// frame to frame.
SHARED(MASK) edge_first_draws(UINT first, UINT second, int low) {
  return both(edge_strength(first) >= low, edge_strength(first) * 4 >= edge_strength(second) * 3);
}
SHARED(MASK) edge_second_draws(UINT first, UINT second, int low) {
  return either(edge_strength(first) < low, edge_strength(first) * 4 < edge_strength(second) * 3);
}

// Returns 1 if a neighbor's line could continue a line in `direction`, otherwise 0.
SHARED(INT) edge_continues(INT direction, UINT neighbor, int low) {
  INT turn = (direction - edge_direction(neighbor) + 1) & 7;  // 1: equal directions
  return select(both(turn <= 2, edge_strength(neighbor) >= low), broadcast(1), broadcast(0));
}

// Returns the glyph of the cell's contour. Returns -1 if the cell has no contour that is strong enough, if a neighbor
// draws the contour, or if no glyph looks like it.
SHARED(INT) edge_glyph(CELL_CONTEXT, IN(MapParameters) p) {
  UINT own = MODE_WORD(0, 0);
  UINT left = MODE_WORD(-1, 0);
  UINT right = MODE_WORD(1, 0);
  UINT above = MODE_WORD(0, -1);
  UINT below = MODE_WORD(0, 1);
  int high = int(TABLE(p.edge_at + EdgeHigh));
  int low = int(TABLE(p.edge_at + EdgeLow));

  // Hysteresis in space: contours start where they are strong and continue where they are weak.
  INT straight = larger(larger(edge_strength(left), edge_strength(right)),
                              larger(edge_strength(above), edge_strength(below)));
  INT slanted = larger(larger(edge_strength(MODE_WORD(-1, -1)), edge_strength(MODE_WORD(1, -1))),
                             larger(edge_strength(MODE_WORD(-1, 1)), edge_strength(MODE_WORD(1, 1))));
  INT needed = select(larger(straight, slanted) >= high, broadcast(low), broadcast(high));

  INT side_x = edge_side_x(own);
  INT side_y = edge_side_y(own);
  MASK left_draws = both(edge_same(left, own, edge_side_x(left), side_x), edge_first_draws(left, own, low));
  MASK right_draws = both(edge_same(own, right, side_x, edge_side_x(right)), edge_second_draws(own, right, low));
  MASK above_draws = both(edge_same(above, own, edge_side_y(above), side_y), edge_first_draws(above, own, low));
  MASK below_draws = both(edge_same(own, below, side_y, edge_side_y(below)), edge_second_draws(own, below, low));
  MASK elsewhere = either(either(left_draws, above_draws), either(right_draws, below_draws));

  INT strength = edge_strength(own);
  INT direction = edge_direction(own);
  INT place = edge_place(own);

  // Rejects speckles: a line is texture if no neighbor along the line continues it.
  INT falling = edge_continues(direction, MODE_WORD(-1, -1), low) + edge_continues(direction, MODE_WORD(1, 1), low);
  INT rising = edge_continues(direction, MODE_WORD(1, -1), low) + edge_continues(direction, MODE_WORD(-1, 1), low);
  INT beside = edge_continues(direction, left, low) + edge_continues(direction, right, low);
  INT stacked = edge_continues(direction, above, low) + edge_continues(direction, below, low);
  INT pieces = select(either(direction == 0, direction == 4), falling + rising,
                      select(direction < 4, rising, falling));
  pieces += select(both(direction >= 2, direction <= 6), beside, broadcast(0));
  pieces += select(either(direction <= 2, direction >= 6), stacked, broadcast(0));
  elsewhere = either(elsewhere, pieces == 0);

  // A step exactly on the border between two cells causes no gradient inside either cell. The left or upper cell
  // draws it. Beyond the grid, MODE_WORD() returns the cell's own word, so a neighbor with an equal word is ignored.
  uint columns = p.samples_x;
  uint rows = p.sample_count / columns;
  INT step_right =
      2 * absolute(edge_side(CELL_ARGUMENTS, columns - 1u, columns, rows) - edge_left_luma(right));
  INT step_below =
      2 * absolute(edge_side(CELL_ARGUMENTS, p.sample_count - columns, 1u, columns) - edge_upper_luma(below));
  step_right = select(both(right != own, edge_strength(right) < low), step_right, broadcast(0));
  step_below = select(both(below != own, edge_strength(below) < low), step_below, broadcast(0));
  INT step = larger(step_right, step_below);
  MASK between = both(strength < low, step >= needed);
  elsewhere = both(elsewhere, strength >= low);
  strength = select(between, step, strength);
  direction = select(between, select(step_right >= step_below, broadcast(0), broadcast(4)), direction);
  place = select(between, broadcast(int(EdgePlaces) - 1), place);

  INT glyph_at = broadcast(int(p.edge_at + EdgeGlyphs)) + direction * int(EdgePlaces) + place;
  INT glyph = to_int(GATHER(glyph_at));
  return select(either(elsewhere, strength < needed), broadcast(-1), glyph);
}
