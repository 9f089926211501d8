// Characters two cells wide. Requires match.glsl.
//
// Two adjacent cells, the left one in an even column, form a pair, which is mapped as a whole: first with one
// narrow glyph per cell, then with one wide character. The wide character wins if its error over both cells is
// smaller than that of the two narrow glyphs. It has one foreground and one background for both cells, since
// terminals support no more. If the number of columns is odd, cells of the last column have no partner (the MASK
// `paired` is unset) and stay narrow.
//
// In this file, a form is a character or, where cells may swap their colors, a character with its colors
// swapped.

struct CELLS {
  CELL left, right;
};

SHARED(CELL) choose_cell(MASK first, CELL a, CELL b) {
  CELL cell;
  cell.glyph = select(first, a.glyph, b.glyph);
  cell.foreground = select(first, a.foreground, b.foreground);
  cell.background = select(first, a.background, b.background);
  return cell;
}

// Returns `narrow` or, where `wide` is set, a wide character. `cell` is the character's left half; the right
// half gets the same colors.
SHARED(CELLS) choose_wide(MASK wide, CELL cell, CELLS narrow) {
  CELL other = cell;
  other.glyph = cell.glyph + 1u;
  CELLS cells;
  cells.left = choose_cell(wide, cell, narrow.left);
  cells.right = choose_cell(wide, other, narrow.right);
  return cells;
}

SHARED(MASK) is_wide(CELL left, IN(MapParameters) p) { return to_int(left.glyph) >= int(p.forms.wide_from); }

SHARED(INT) left_half(IN(MapParameters) p, INT form) {
  return int(p.forms.wide_from) + 2 * select(form >= int(p.forms.wide_count), form - int(p.forms.wide_count), form);
}

// Returns the pair's wide form in the previous frame, or the first wide form if the pair was not wide.
SHARED(INT) kept_form(CELLS previous, IN(MapParameters) p) {
  MASK swapped = both(broadcast(int(p.forms.wide_count)) < int(p.forms.wide), previous.left.foreground != p.foreground);
  INT character = (to_int(previous.left.glyph) - int(p.forms.wide_from)) >> 1;
  INT form = select(swapped, character + int(p.forms.wide_count), character);
  return select(is_wide(previous.left, p), form, broadcast(0));
}

// Whether the wide character is drawn. `wide`, `narrow`: the scores of both choices. `margin`: how much better
// the score of the new choice must be to replace the previous frame's choice.
SHARED(MASK) wide_wins(IN(MapParameters) p, CELLS previous, INT wide, INT narrow, INT margin) {
  if (p.history.keep == 0u) return wide > narrow;
  return select(is_wide(previous.left, p), wide >= narrow - margin, wide > narrow + margin);
}

SHARED(INT) pair_product(CELL_CONTEXT, IN(MapParameters) p, Features left, Features right, uint form) {
  uint at = p.forms.narrow + 2u * form;
  return feature_product(CELL_ARGUMENTS, p, left, at) + feature_product(CELL_ARGUMENTS, p, right, at + 1u);
}

// Does the same as pair_product(), but each pair has its own form.
SHARED(INT) own_pair_product(CELL_CONTEXT, IN(MapParameters) p, Features left, Features right, INT form) {
  INT at = int(p.forms.narrow) + 2 * form;
  return own_product(CELL_ARGUMENTS, p, left, at) + own_product(CELL_ARGUMENTS, p, right, at + 1);
}

SHARED(INT) pair_bias(CELL_CONTEXT, IN(MapParameters) p, uint form) {
  uint at = p.forms.bias_at + p.forms.narrow + 2u * form;
  return broadcast(int(TABLE(at) + TABLE(at + 1u)));
}

SHARED(INT) own_pair_bias(CELL_CONTEXT, IN(MapParameters) p, INT form) {
  INT at = int(p.forms.bias_at + p.forms.narrow) + 2 * form;
  return to_int(GATHER(at) + GATHER(at + 1));
}

// Maps a pair in mono: the errors of the two cells are summed.
SHARED(CELLS) mono_pair(PAIR_CONTEXT, IN(MapParameters) p, CELLS previous, INT column, INT row, MASK may_be_wide) {
  // With a wide ramp, all characters are two cells wide, so the dither alternates from pair to pair.
  INT left_column = p.forms.wide_ramp != 0u ? column >> 1 : column;
  INT right_column = p.forms.wide_ramp != 0u ? column >> 1 : column + 1;
  Features left = mono_features(LEFT_ARGUMENTS, p, pooled_light(LEFT_ARGUMENTS, p, column, row), left_column, row);
  Features right =
      mono_features(RIGHT_ARGUMENTS, p, pooled_light(RIGHT_ARGUMENTS, p, column + 1, row), right_column, row);
  INT left_score;
  INT right_score;
  CELLS narrow;
  narrow.left = mono_cell(nearest_form(LEFT_ARGUMENTS, p, left, previous.left, left_score), p);
  narrow.right = mono_cell(nearest_form(RIGHT_ARGUMENTS, p, right, previous.right, right_score), p);

  INT best = broadcast(0);
  INT best_score = broadcast(-2147483647);
  for (uint form = 0u; form < p.forms.wide; ++form) {
    INT score = pair_product(CELL_ARGUMENTS, p, left, right, form) - pair_bias(CELL_ARGUMENTS, p, form);
    MASK better = score > best_score;
    best_score = select(better, score, best_score);
    best = select(better, broadcast(int(form)), best);
  }
  INT narrow_score = left_score + right_score;
  INT margin = broadcast(0);
  if (p.history.keep != 0u) {
    INT kept = kept_form(previous, p);
    INT kept_score = own_pair_product(CELL_ARGUMENTS, p, left, right, kept) - own_pair_bias(CELL_ARGUMENTS, p, kept);
    INT most = select(best_score > narrow_score, best_score, narrow_score);
    INT error = half_square(p, left) + half_square(p, right) - most;
    margin = (error >> 10) * int(p.history.stability) + int(2u * MonoNoise * p.history.stability);
    MASK stays = both(is_wide(previous.left, p), kept_score >= best_score - margin);
    best = select(stays, kept, best);
    best_score = select(stays, kept_score, best_score);
  }
  CELL cell = given_cell(left_half(p, best), best >= int(p.forms.wide_count), p);
  return choose_wide(both(may_be_wide, wide_wins(p, previous, best_score, narrow_score, margin)), cell, narrow);
}

// Returns the InkTarget of a pair with one foreground for both cells. `doublings` is taken from the cell whose light
// differs more from the background's.
SHARED(InkTarget) joint_target(CELL_CONTEXT, IN(MapParameters) p, InkTarget left, InkTarget right, INT mean) {
  InkTarget t = left;
  t.r = (left.r + right.r) >> 1;
  t.g = (left.g + right.g) >> 1;
  t.b = (left.b + right.b) >> 1;
  INT background = background_light(CELL_ARGUMENTS, p);
  t = bound_ink(t, mean, background);
  t.doublings = select(left.doublings < right.doublings, left.doublings, right.doublings);
  INT scaled = (absolute(mean - background) << t.doublings) >> 4;
  t.mean = select(mean < background, -scaled, scaled);
  t = with_tone_cost(t);
  t.tone_cost = t.tone_cost * 2;  // a pair's score is the sum of two cells' scores
  return t;
}

SHARED(CELLS) fg_pair(PAIR_CONTEXT, IN(MapParameters) p, CELLS previous, INT column, INT row, MASK may_be_wide) {
  PooledLight left_light = pooled_light(LEFT_ARGUMENTS, p, column, row);
  PooledLight right_light = pooled_light(RIGHT_ARGUMENTS, p, column + 1, row);
  InkTarget left = ink_target(LEFT_ARGUMENTS, p, left_light);
  InkTarget right = ink_target(RIGHT_ARGUMENTS, p, right_light);
  INT left_score;
  INT right_score;
  CELLS narrow;
  narrow.left = inked_cell(LEFT_ARGUMENTS, p, inked_glyph(LEFT_ARGUMENTS, p, left, previous.left, left_score), left.r,
                           left.g, left.b);
  narrow.right = inked_cell(RIGHT_ARGUMENTS, p, inked_glyph(RIGHT_ARGUMENTS, p, right, previous.right, right_score),
                            right.r, right.g, right.b);

  InkTarget t = joint_target(CELL_ARGUMENTS, p, left, right, (left_light.mean + right_light.mean) >> 1);
  INT background = background_light(CELL_ARGUMENTS, p);
  Features left_features = ink_features(left_light, background, t.doublings, t.mean);
  Features right_features = ink_features(right_light, background, t.doublings, t.mean);
  INT best = broadcast(0);
  INT best_score = broadcast(-2147483647);
  for (uint form = 0u; form < p.forms.wide_count; ++form) {
    INT needed = ink_needed(t, broadcast(int(TABLE(p.light.ink_at + p.forms.wide_from + 2u * form))));
    INT score = ink_score(t, needed, pair_product(CELL_ARGUMENTS, p, left_features, right_features, form),
                          pair_bias(CELL_ARGUMENTS, p, form));
    MASK better = score > best_score;
    best_score = select(better, score, best_score);
    best = select(better, broadcast(int(form)), best);
  }
  // Converts the scores to the scale of `t`: a score is proportional to the square of 2^doublings.
  INT narrow_score = (left_score >> (2 * (left.doublings - t.doublings))) +
                     (right_score >> (2 * (right.doublings - t.doublings)));
  INT margin = broadcast(0);
  if (p.history.keep != 0u) {
    MASK was_wide = is_wide(previous.left, p);
    INT kept = select(was_wide, (to_int(previous.left.glyph) - int(p.forms.wide_from)) >> 1, broadcast(0));
    INT needed = ink_needed(t, to_int(GATHER(int(p.light.ink_at + p.forms.wide_from) + 2 * kept)));
    INT kept_score =
        ink_score(t, needed, own_pair_product(CELL_ARGUMENTS, p, left_features, right_features, kept),
                  own_pair_bias(CELL_ARGUMENTS, p, kept));
    INT most = select(best_score > narrow_score, best_score, narrow_score);
    margin = (absolute(most) >> 12) * int(p.history.stability) + int(2u * InkNoise * p.history.stability);
    MASK stays = both(was_wide, kept_score >= best_score - margin);
    best = select(stays, kept, best);
    best_score = select(stays, kept_score, best_score);
  }
  CELL cell = inked_cell(CELL_ARGUMENTS, p, left_half(p, best), t.r, t.g, t.b);
  return choose_wide(both(may_be_wide, wide_wins(p, previous, best_score, narrow_score, margin)), cell, narrow);
}

// Full color: a pair treated as one cell. Its sums are the averages of the two cells' sums.
struct Joint {
  CellSamples left, right;
  Moments m;
  INT apart;  // growth of the error (as in ColorFit::error) if the pair has one mean color instead of one per cell
};

SHARED(SampleSums) average_sums(SampleSums left, SampleSums right) {
  SampleSums s;
  s.r = (left.r + right.r) >> 1;
  s.g = (left.g + right.g) >> 1;
  s.b = (left.b + right.b) >> 1;
  s.rr = (left.rr + right.rr) >> 1;
  s.gg = (left.gg + right.gg) >> 1;
  s.bb = (left.bb + right.bb) >> 1;
  s.rg = (left.rg + right.rg) >> 1;
  s.rb = (left.rb + right.rb) >> 1;
  s.gb = (left.gb + right.gb) >> 1;
  return s;
}

SHARED(WeightedSums) average_weighted(WeightedSums left, WeightedSums right) {
  WeightedSums s;
  s.r = (left.r + right.r) >> 1;
  s.g = (left.g + right.g) >> 1;
  s.b = (left.b + right.b) >> 1;
  return s;
}

// Returns a channel's part of Joint::apart: `8 D D / S` (fit.glsl), where D is half of the difference between the
// weighted sums of the two cells.
SHARED(INT) error_apart(INT left, INT right) {
  INT difference = (left - right) >> 4;
  return (difference * difference) >> 2;
}

SHARED(Joint) join(IN(MapParameters) p, IN(CellSamples) left, IN(CellSamples) right, SampleSums left_sums,
                   SampleSums right_sums, WeightedSums left_weighted, WeightedSums right_weighted) {
  Joint joint;
  joint.left = left;
  joint.right = right;
  joint.m = moments_of(average_sums(left_sums, right_sums), average_weighted(left_weighted, right_weighted), p);
  joint.apart = (error_apart(left_weighted.r, right_weighted.r) >> 2) + (error_apart(left_weighted.g, right_weighted.g) >> 1) +
                (error_apart(left_weighted.b, right_weighted.b) >> 3);
  return joint;
}

// Fits a wide character. `glyph`: its left half.
SHARED(ColorFit) fit_wide(CELL_CONTEXT, IN(MapParameters) p, IN(Joint) joint, INT glyph) {
  WeightedSums inked = average_weighted(inked_sums(CELL_ARGUMENTS, p, joint.left, glyph),
                                inked_sums(CELL_ARGUMENTS, p, joint.right, glyph + 1));
  ColorFit fit = fit_perceived(perceived_glyph(CELL_ARGUMENTS, p, glyph), joint.m, inked);
  fit.error += joint.apart;
  return fit;
}

// Returns the left half of a wide character in its fitted colors.
SHARED(CELL) fitted_wide(CELL_CONTEXT, IN(MapParameters) p, IN(Joint) joint, INT glyph, ColorFit fit) {
  GlyphSums left = pixel_sums(CELL_ARGUMENTS, p, glyph);
  GlyphSums right = pixel_sums(CELL_ARGUMENTS, p, glyph + 1);
  GlyphSums s = sums_of(p, (left.a + right.a) >> 1, (left.aa + right.aa) >> 1);
  return cell_of(glyph, correct_light(s, joint.m, fit));
}

// Wide ramps: returns the left half of the character for `tone`, or the blank glyph.
SHARED(INT) wide_ramp_glyph(CELL_CONTEXT, IN(MapParameters) p, INT tone, INT threshold) {
  INT number = ramp_glyph(CELL_ARGUMENTS, p, tone, threshold);
  return select(number > 0, int(p.forms.wide_from) - 2 + 2 * number, broadcast(int(p.blank_glyph)));
}

// Implements best_candidate() for wide characters; `glyph_chosen` is set to the left half.
SHARED(ColorFit) best_wide(CELL_CONTEXT, IN(MapParameters) p, IN(Joint) joint, CELLS previous,
                           INOUT(INT) glyph_chosen) {
  Direction d = principal_direction(joint.m);
  UINT mean = mean_color(joint.m, p);
  Projection to = projection(d, mean);
  INT doublings = feature_doublings(larger(largest_feature(joint.left, p, to), largest_feature(joint.right, p, to)));
  ByteFeatures left = byte_features(joint.left, p, to, doublings);
  ByteFeatures right = byte_features(joint.right, p, to, doublings);
  Ranking ranking = empty_ranking(p);
  for (uint form = 0u; form < p.forms.wide_count; ++form) {
    uint at = p.forms.narrow + 2u * form;
    INT product = byte_product(CELL_ARGUMENTS, p, left, at) + byte_product(CELL_ARGUMENTS, p, right, at + 1u);
    rank_key(ranking, form_key(p, absolute(product), form));
  }
  INT best = left_half(p, ranked_form(ranking, p, 0u));
  ColorFit best_fit = fit_wide(CELL_ARGUMENTS, p, joint, best);
  uint count = p.forms.wide_count < CandidateCount ? p.forms.wide_count : CandidateCount;
  for (uint k = 1u; k < count; ++k) {
    INT glyph = left_half(p, ranked_form(ranking, p, k));
    ColorFit fit = fit_wide(CELL_ARGUMENTS, p, joint, glyph);
    MASK better = either(fit.error < best_fit.error, both(fit.error == best_fit.error, glyph < best));
    best = select(better, glyph, best);
    best_fit = choose_fit(better, fit, best_fit);
  }
  if (p.history.keep != 0u) {
    MASK was_wide = is_wide(previous.left, p);
    INT kept = select(was_wide, to_int(previous.left.glyph), broadcast(int(p.forms.wide_from)));
    ColorFit fit = fit_wide(CELL_ARGUMENTS, p, joint, kept);
    MASK stays = both(was_wide, fit.error <= best_fit.error + fit_margin(p, best_fit.error - joint.apart));
    best = select(stays, kept, best);
    best_fit = choose_fit(stays, fit, best_fit);
  }
  glyph_chosen = best;
  return best_fit;
}

SHARED(CELLS) full_pair(PAIR_CONTEXT, IN(MapParameters) p, CELLS previous, INT column, INT row, MASK may_be_wide) {
  CellSamples left = load_samples(LEFT_ARGUMENTS, p);
  CellSamples right = load_samples(RIGHT_ARGUMENTS, p);
  SampleSums left_sums = sample_sums(left, p);
  SampleSums right_sums = sample_sums(right, p);
  WeightedSums left_weighted = full_sums(LEFT_ARGUMENTS, p, left);
  WeightedSums right_weighted = full_sums(RIGHT_ARGUMENTS, p, right);
  Joint joint = join(p, left, right, left_sums, right_sums, left_weighted, right_weighted);
  INT left_error;
  INT right_error;
  CELLS cells;
  cells.left =
      map_full(LEFT_ARGUMENTS, p, left, moments_of(left_sums, left_weighted, p), previous.left,
               glyph_if_flat(LEFT_ARGUMENTS, p, column, row), left_error);
  cells.right =
      map_full(RIGHT_ARGUMENTS, p, right, moments_of(right_sums, right_weighted, p), previous.right,
               glyph_if_flat(RIGHT_ARGUMENTS, p, column + 1, row), right_error);

  MASK was_wide = is_wide(previous.left, p);
  bool inked_everywhere = p.forms.wide_ramp != 0u && p.legibility.contrast != 0u;
  if (inked_everywhere) {
    // Flat pairs also show a character, chosen by the pair's tone.
    UINT mean = mean_color(joint.m, p);
    INT luma = luma_of(sample_red(mean), sample_green(mean), sample_blue(mean));
    INT glyph = wide_ramp_glyph(CELL_ARGUMENTS, p, luma, broadcast(128));
    MASK inked = both(may_be_wide, glyph >= int(p.forms.wide_from));
    glyph = select(inked, glyph, broadcast(int(p.forms.wide_from)));
    cells = choose_wide(inked, fitted_wide(CELL_ARGUMENTS, p, joint, glyph, fit_wide(CELL_ARGUMENTS, p, joint, glyph)),
                        cells);
  }
  int n = int(p.sample_count);
  INT threshold = broadcast(int(p.flat_threshold) * n * n / 16);
  if (p.history.keep != 0u) threshold = select(was_wide, threshold >> 1, threshold * 2);
  MASK may = both(may_be_wide, joint.m.v_rr + joint.m.v_gg + joint.m.v_bb >= threshold);
  if (!any_of(may)) return cells;

  INT glyph;
  ColorFit fit = best_wide(CELL_ARGUMENTS, p, joint, previous, glyph);
  INT narrow_error = (left_error >> 1) + (right_error >> 1);
  MASK wins;
  if (inked_everywhere) {
    wins = may;
  } else if (p.history.keep != 0u) {
    INT least = select(fit.error < narrow_error, fit.error, narrow_error);
    INT margin = fit_margin(p, least - joint.apart);
    wins = both(may, select(was_wide, fit.error <= narrow_error + margin, fit.error + margin < narrow_error));
  } else {
    wins = both(may, fit.error < narrow_error);
  }
  if (!any_of(wins)) return cells;
  return choose_wide(wins, fitted_wide(CELL_ARGUMENTS, p, joint, glyph, fit), cells);
}

// Maps a pair to the character whose measured ink matches the pair's tone.
SHARED(CELLS) ramp_pair(PAIR_CONTEXT, IN(MapParameters) p, CELLS previous, INT column, INT row, MASK may_be_wide) {
  INT mean = (ramp_light(LEFT_ARGUMENTS, p) + ramp_light(RIGHT_ARGUMENTS, p)) >> 1;
  INT tone = encoded(CELL_ARGUMENTS, p, exposed(mean, p));
  INT threshold = broadcast(128);
  if (p.dither.kind != 0u) threshold = dither_threshold(CELL_ARGUMENTS, p, column >> 1, row);
  INT glyph = wide_ramp_glyph(CELL_ARGUMENTS, p, tone, threshold);
  if (p.history.keep != 0u) {
    // The previous frame's glyph stays under the same conditions as in map_ramp().
    int reach = int(p.history.stability >> 5);
    INT darker = wide_ramp_glyph(CELL_ARGUMENTS, p, clamp_8(tone - reach), threshold);
    INT brighter = wide_ramp_glyph(CELL_ARGUMENTS, p, clamp_8(tone + reach), threshold);
    INT kept = to_int(previous.left.glyph);
    INT kept_tone = glyph_tone(CELL_ARGUMENTS, p, kept);
    glyph = select(both(kept_tone >= glyph_tone(CELL_ARGUMENTS, p, darker),
                        kept_tone <= glyph_tone(CELL_ARGUMENTS, p, brighter)),
                   kept, glyph);
  }
  INT blank = broadcast(int(p.blank_glyph));
  CELLS blanks;
  blanks.left = cell_with(LEFT_ARGUMENTS, p, blank);
  blanks.right = cell_with(RIGHT_ARGUMENTS, p, blank);
  MASK wide = both(may_be_wide, glyph >= int(p.forms.wide_from));
  glyph = select(wide, glyph, broadcast(int(p.forms.wide_from)));
  CELL cell;
  if (p.color == ColorMono) {
    cell = mono_cell(blank, p);
    cell.glyph = to_uint(glyph);
  } else if (p.color == ColorFg) {
    INT none = broadcast(0);
    INT r = (channel_light(LEFT_ARGUMENTS, p, 16u, none) + channel_light(RIGHT_ARGUMENTS, p, 16u, none)) >> 1;
    INT g = (channel_light(LEFT_ARGUMENTS, p, 8u, none) + channel_light(RIGHT_ARGUMENTS, p, 8u, none)) >> 1;
    INT b = (channel_light(LEFT_ARGUMENTS, p, 0u, none) + channel_light(RIGHT_ARGUMENTS, p, 0u, none)) >> 1;
    cell = inked_cell(CELL_ARGUMENTS, p, glyph, r, g, b);
  } else {
    CellSamples left = load_samples(LEFT_ARGUMENTS, p);
    CellSamples right = load_samples(RIGHT_ARGUMENTS, p);
    Joint joint = join(p, left, right, sample_sums(left, p), sample_sums(right, p),
                       full_sums(LEFT_ARGUMENTS, p, left), full_sums(RIGHT_ARGUMENTS, p, right));
    cell = fitted_wide(CELL_ARGUMENTS, p, joint, glyph, fit_wide(CELL_ARGUMENTS, p, joint, glyph));
  }
  return choose_wide(wide, cell, blanks);
}

SHARED(CELLS) shape_pair(PAIR_CONTEXT, IN(MapParameters) p, CELLS previous, INT column, INT row, MASK may_be_wide) {
  if (p.color == ColorFull) return full_pair(PAIR_ARGUMENTS, p, previous, column, row, may_be_wide);
  if (p.color == ColorFg) return fg_pair(PAIR_ARGUMENTS, p, previous, column, row, may_be_wide);
  return mono_pair(PAIR_ARGUMENTS, p, previous, column, row, may_be_wide);
}

// Maps a pair in ModeShape and ModeEdge. A contour in either cell prevents a wide character.
SHARED(CELLS) shape_or_edge_pair(PAIR_CONTEXT, IN(MapParameters) p, CELLS previous, INT column, INT row, MASK paired) {
  INT left_line = broadcast(-1);
  INT right_line = broadcast(-1);
  if (p.mode == ModeEdge) {
    left_line = edge_glyph(LEFT_ARGUMENTS, p);
    right_line = edge_glyph(RIGHT_ARGUMENTS, p);
  }
  MASK may_be_wide = both(paired, both(left_line < 0, right_line < 0));
  CELLS cells = shape_pair(PAIR_ARGUMENTS, shading_parameters(p), previous, column, row, may_be_wide);
  if (p.mode == ModeEdge) {
    cells.left = with_edge(LEFT_ARGUMENTS, p, cells.left, left_line, previous.left);
    cells.right = with_edge(RIGHT_ARGUMENTS, p, cells.right, right_line, previous.right);
  }
  return cells;
}

// In full color, makes a pair of cells legible. Both halves of a wide character have the same colors afterward.
SHARED(CELLS) with_legible_pair(PAIR_CONTEXT, IN(MapParameters) p, CELLS cells, CELLS previous) {
  if (p.legibility.contrast == 0u || p.color != ColorFull) return cells;
  INT left = coverage_of(CELL_ARGUMENTS, p, cells.left);
  INT right = coverage_of(CELL_ARGUMENTS, p, cells.right);
  INT left_preferred = preferred_contrast(LEFT_ARGUMENTS, p, previous.left);
  INT right_preferred = preferred_contrast(RIGHT_ARGUMENTS, p, previous.right);
  MASK wide = is_wide(cells.left, p);
  INT both_halves = (left + right) >> 1;
  CELLS legible;
  legible.left = legible_cell(CELL_ARGUMENTS, p, cells.left, select(wide, both_halves, left), left_preferred);
  legible.right = legible_cell(CELL_ARGUMENTS, p, cells.right, select(wide, both_halves, right),
                               select(wide, left_preferred, right_preferred));
  return legible;
}

// Maps a pair of cells. `column`: the left cell's column. `paired`: whether the right cell is in the grid; if not,
// the right cell's result must be ignored.
SHARED(CELLS) map_pair(PAIR_CONTEXT, IN(MapParameters) p, CELLS previous, INT column, INT row, MASK paired) {
  CELLS cells = previous;
  switch (p.mode) {
    case ModeRamp:
      cells = ramp_pair(PAIR_ARGUMENTS, p, previous, column, row, paired);
      break;
    case ModeShape:
    case ModeEdge:
      cells = shape_or_edge_pair(PAIR_ARGUMENTS, p, previous, column, row, paired);
      break;
  }
  cells = with_legible_pair(PAIR_ARGUMENTS, p, cells, previous);
  // Both halves of a wide character use the same dither threshold, which changes from character to character.
  MASK wide = is_wide(cells.left, p);
  CELLS finished;
  finished.left =
      finish_cell(LEFT_ARGUMENTS, p, cells.left, previous.left, select(wide, column >> 1, column), row);
  finished.right =
      finish_cell(RIGHT_ARGUMENTS, p, cells.right, previous.right, select(wide, column >> 1, column + 1), row);
  return finished;
}
