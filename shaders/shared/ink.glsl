// Legibility: ink that is visible against its background. Requires analysis.glsl.

// Polarity is 1 if a cell's ink is lighter than its background, and -1 if it is darker. Ink is lighter where the
// surroundings are dark, so that the text of an area looks printed in one color. If the difference between a
// cell's two colors is larger than preferred_contrast(), the cell's own polarity is used instead.

// Returns the mean luma of a cell and the cells around it, 16 = one code value.
SHARED(INT) surrounding_luma(CELL_CONTEXT) {
  UINT sums = to_uint(broadcast(0));  // of the upper halves and of the lower halves: each fits in 16 bits
  for (int dy = -SurroundRows; dy <= SurroundRows; ++dy) {
    for (int dx = -SurroundColumns; dx <= SurroundColumns; ++dx) sums += SURROUND(dx, dy);
  }
  return to_int(((sums & 0xFFFFu) + (sums >> 16)) * 2185u) >> 16;  // divided by the number of halves, 30
}

// Does the same as luma_of(). The weights are bytes: 54, 183 and 19. As a signed byte, 183 is too small by 256.
SHARED(INT) color_luma(UINT color) {
  return multiply_add_bytes(to_int(color & 0xFF00u), color, 0x0036B713u) >> 8;
}

SHARED(INT) sign_of(INT value) {
  return select(value < 0, broadcast(-1), select(value > 0, broadcast(1), broadcast(0)));
}

// Returns the polarity of the previous frame's cell; 0 if that frame is ignored or the two colors have equal luma.
SHARED(INT) previous_polarity(IN(MapParameters) p, CELL previous) {
  if (p.history.keep == 0u) return broadcast(0);
  return sign_of(color_luma(previous.foreground) - color_luma(previous.background));
}

// Returns how much lighter than the background the ink should be, in code values of luma; negative: darker; never 0.
// The result is the sum of two parts. The first is 1 + p.legibility.contrast / 2 with the sign of the polarity that
// suits the surroundings. The second is p.legibility.contrast / 2 with the sign of the previous frame's polarity.
// Lighter ink suits surroundings whose luma is below LightInkBelow plus PolarityMargin times the previous frame's
// polarity. Darker ink suits all other surroundings.
SHARED(INT) preferred_contrast(CELL_CONTEXT, IN(MapParameters) p, CELL previous) {
  INT before = previous_polarity(p, previous);
  INT threshold = 16 * (LightInkBelow + before * PolarityMargin);
  INT around = select(surrounding_luma(CELL_ARGUMENTS) < threshold, broadcast(1), broadcast(-1));
  return around * int(1u + (p.legibility.contrast >> 1)) + before * int(p.legibility.contrast >> 1);
}

// Requirements for a cell's two colors, in code values of luma.
struct InkGoal {
  INT least;      // minimum difference between the colors
  INT preferred;  // preferred_contrast()
  INT before;     // the previous frame's polarity; 0 without a previous frame
};

SHARED(InkGoal) ink_goal(CELL_CONTEXT, IN(MapParameters) p, UINT mean, CELL previous) {
  InkGoal goal;
  goal.least = goal.preferred = goal.before = broadcast(0);
  if (p.legibility.contrast == 0u) return goal;
  goal.least = to_int(GATHER(broadcast(int(p.legibility.differences_at)) + color_luma(mean)));
  goal.preferred = preferred_contrast(CELL_ARGUMENTS, p, previous);
  goal.before = previous_polarity(p, previous);
  return goal;
}

// Returns the polarity that a cell's two colors should have. `apart`: the foreground's luma minus the background's.
// `covered`: the glyph's coverage, 256 = all. `preferred`: the preferred_contrast(). If the drawn luma varies little,
// the result is the sign of `preferred`, otherwise the sign of `apart + preferred`.
SHARED(INT) polarity_of(INT apart, INT covered, INT preferred) {
  INT variance = ((apart * apart) >> 4) * ((covered * (256 - covered)) >> 8);  // 16 = one squared code value
  INT decisive = select(variance < 16 * WeakContrast, preferred, apart + preferred);
  return select(decisive < 0, broadcast(-1), broadcast(1));
}

// Returns the error of a fit, including the error that legible_cell() adds: moving the two colors apart by `lacking`
// adds `zz lacking^2` to the error of each channel (fit.glsl). If the polarity differs from the previous frame's, also
// adds PolarityCost / 16 of the error that the glyph removes, which is -fit.error.
SHARED(INT) legible_error(PerceivedGlyph s, ColorFit fit, InkGoal goal) {
  INT apart = luma_of(fit.fg_r, fit.fg_g, fit.fg_b) - luma_of(fit.bg_r, fit.bg_g, fit.bg_b);
  INT way = polarity_of(apart, s.a >> (PerceptualLog2 - 8u), goal.preferred);
  INT lacking = larger(goal.least - apart * way, broadcast(0));
  INT error = fit.error + ((s.contrast * 7) >> 3) * lacking * lacking;
  INT cost = (larger(-fit.error, broadcast(0)) >> 4) * PolarityCost;
  return error + select(way * goal.before < 0, cost, broadcast(0));
}

// Returns the glyph for a cell without visible detail. The glyph depends only on the cell's position, so that flat
// areas look like text that does not move. If there are no flat glyphs, returns the blank glyph.
SHARED(INT) glyph_if_flat(CELL_CONTEXT, IN(MapParameters) p, INT column, INT row) {
  if (p.legibility.flat_glyphs_at == 0u) return broadcast(int(p.blank_glyph));
  int wrap = int(DitherSize) - 1;
  return to_int(GATHER(broadcast(int(p.legibility.flat_glyphs_at)) + (row & wrap) * int(DitherSize) + (column & wrap)));
}

// Moves `code` toward `end` by part / whole of the distance.
SHARED(INT) towards(INT code, INT end, INT part, INT whole) {
  return clamp_8(code + divide_small_round((end - code) * part, select(whole > 0, whole, broadcast(1))));
}

// One channel of a cell's two colors.
struct ChannelPair {
  INT foreground, background;
};

// Moves the two colors apart by `distance`, 16 = one code value, but stops when one of them reaches the end of its
// range. The mean of the drawn cell does not change. `covered`: the glyph's coverage, 256 = all. `way`: the polarity.
SHARED(ChannelPair) spread(ChannelPair pair, INT distance, INT covered, INT way) {
  INT rest = 256 - covered;
  INT foreground_room = select(way > 0, 255 - pair.foreground, pair.foreground);
  INT background_room = select(way > 0, pair.background, 255 - pair.background);
  INT most = distance;
  MASK clamped = either(most * rest > foreground_room << 12, most * covered > background_room << 12);
  if (any_of(clamped)) {
    INT foreground_most = divide_small(foreground_room << 12, larger(rest, broadcast(1)));
    INT background_most = divide_small(background_room << 12, larger(covered, broadcast(1)));
    most = select(rest > 0, smaller(most, foreground_most), most);
    most = select(covered > 0, smaller(most, background_most), most);
  }
  ChannelPair moved;
  moved.foreground = pair.foreground + way * ((most * rest + 2048) >> 12);
  moved.background = pair.background - way * ((most * covered + 2048) >> 12);
  return moved;
}

// Moves the two colors apart until they are legible, with the polarity that polarity_of() returns. The mean color of
// the drawn cell stays the same, except where a color reaches the end of its range. `covered`: the glyph's coverage,
// 256 = all. `preferred`: the preferred_contrast().
SHARED(CELL) legible_cell(CELL_CONTEXT, IN(MapParameters) p, CELL cell, INT covered, INT preferred) {
  INT apart = color_luma(cell.foreground) - color_luma(cell.background);
  INT way = polarity_of(apart, covered, preferred);
  // If the colors have the opposite polarity, both start from the cell's mean color.
  MASK turned = apart * way < 0;
  ChannelPair r, g, b;
  r.foreground = sample_red(cell.foreground);
  r.background = sample_red(cell.background);
  g.foreground = sample_green(cell.foreground);
  g.background = sample_green(cell.background);
  b.foreground = sample_blue(cell.foreground);
  b.background = sample_blue(cell.background);
  INT mean_r = r.background + (((r.foreground - r.background) * covered + 128) >> 8);
  INT mean_g = g.background + (((g.foreground - g.background) * covered + 128) >> 8);
  INT mean_b = b.background + (((b.foreground - b.background) * covered + 128) >> 8);
  r.foreground = select(turned, mean_r, r.foreground);
  r.background = select(turned, mean_r, r.background);
  g.foreground = select(turned, mean_g, g.foreground);
  g.background = select(turned, mean_g, g.background);
  b.foreground = select(turned, mean_b, b.foreground);
  b.background = select(turned, mean_b, b.background);
  INT mean = luma_of(mean_r, mean_g, mean_b);
  INT least = to_int(GATHER(broadcast(int(p.legibility.differences_at)) + mean));
  INT lacking = least - select(turned, broadcast(0), absolute(apart));
  lacking = larger(lacking, broadcast(0));

  // The channels move apart in proportion to the mean color, so that the hue stays the same. In dark cells, the
  // constant InkGray dominates, so all three channels move apart by about the same amount.
  INT share = divide_small(lacking << 12, mean + InkGray);
  r = spread(r, ((mean_r + InkGray) * share) >> 8, covered, way);
  g = spread(g, ((mean_g + InkGray) * share) >> 8, covered, way);
  b = spread(b, ((mean_b + InkGray) * share) >> 8, covered, way);

  // Where a channel has reached the end of its range, some contrast is still missing. To add it, all channels of one
  // color move toward white, and all channels of the other color toward black.
  INT foreground = luma_of(r.foreground, g.foreground, b.foreground);
  INT background = luma_of(r.background, g.background, b.background);
  lacking = larger(least - (foreground - background) * way, broadcast(0));
  INT foreground_room = select(way > 0, 255 - foreground, foreground);
  INT background_room = select(way > 0, background, 255 - background);
  INT foreground_moves = smaller((lacking * (256 - covered)) >> 8, foreground_room);
  INT background_moves = smaller(lacking - foreground_moves, background_room);
  foreground_moves = lacking - background_moves;
  INT foreground_end = select(way > 0, broadcast(255), broadcast(0));
  INT background_end = 255 - foreground_end;
  CELL legible = cell;
  legible.foreground = pack_color(r.foreground, g.foreground, b.foreground);
  legible.background = pack_color(r.background, g.background, b.background);
  if (!any_of(lacking > 0)) return legible;
  legible.foreground = pack_color(towards(r.foreground, foreground_end, foreground_moves, foreground_room),
                                  towards(g.foreground, foreground_end, foreground_moves, foreground_room),
                                  towards(b.foreground, foreground_end, foreground_moves, foreground_room));
  legible.background = pack_color(towards(r.background, background_end, background_moves, background_room),
                                  towards(g.background, background_end, background_moves, background_room),
                                  towards(b.background, background_end, background_moves, background_room));
  return legible;
}

// Returns the color of a stroke on this background: black or white, mixed with EdgeTint / 16 of the background.
SHARED(UINT) inked_stroke(UINT background, INT way) {
  INT end = select(way > 0, broadcast(255 * int(16u - EdgeTint)), broadcast(0)) + 8;
  return pack_color((sample_red(background) * int(EdgeTint) + end) >> 4,
                    (sample_green(background) * int(EdgeTint) + end) >> 4,
                    (sample_blue(background) * int(EdgeTint) + end) >> 4);
}
