// Finds the glyph and two colors for a cell's samples and keeps them stable over time. Requires fit.glsl,
// ink.glsl, light.glsl, palette.glsl and edge.glsl.
//
// A form is a glyph or, where cells may swap their colors, a glyph with its colors swapped.

#include "ranking.glsl"

// Returns the dot product of the cell's feature vector and a form's feature vector.
SHARED(INT) feature_product(CELL_CONTEXT, IN(MapParameters) p, Features f, uint glyph) {
  TABLE_ROW(form, p.forms.features_at + glyph * p.forms.feature_pairs);
  if (SIDE_BY_SIDE) {
    // Two sums: with a single one, each addition would wait for the previous addition. The loop counts by 1, because
    // Mesa's compilers do not unroll it otherwise.
    INT even = broadcast(0);
    INT odd = broadcast(0);
    for (uint j = 0u; j < p.forms.feature_pairs / 2u; ++j) {
      even = multiply_add_pairs(even, f.pair[2u * j], ROW_WORD(form, 2u * j));
      odd = multiply_add_pairs(odd, f.pair[2u * j + 1u], ROW_WORD(form, 2u * j + 1u));
    }
    uint last = p.forms.feature_pairs - 1u;
    if ((p.forms.feature_pairs & 1u) != 0u) even = multiply_add_pairs(even, f.pair[last], ROW_WORD(form, last));
    return even + odd;
  }
  INT score = broadcast(0);
  for (uint j = 0u; j < p.forms.feature_pairs; ++j) score = multiply_add_pairs(score, f.pair[j], ROW_WORD(form, j));
  return score;
}

// Does the same as feature_product(), but each cell has its own form.
SHARED(INT) own_product(CELL_CONTEXT, IN(MapParameters) p, Features f, INT form) {
  INT score = broadcast(0);
  INT at = broadcast(int(p.forms.features_at)) + form * int(p.forms.feature_pairs);
  for (uint j = 0u; j < p.forms.feature_pairs; ++j) {
    UINT own = GATHER(at + int(j));
    score += (to_int(f.pair[j] << 16) >> 16) * (to_int(own << 16) >> 16) + (to_int(f.pair[j]) >> 16) * (to_int(own) >> 16);
  }
  return score;
}

SHARED(CELL) cell_of(INT glyph, ColorFit fit) {
  CELL cell;
  cell.glyph = to_uint(glyph);
  cell.foreground = pack_color(fit.fg_r, fit.fg_g, fit.fg_b);
  cell.background = pack_color(fit.bg_r, fit.bg_g, fit.bg_b);
  return cell;
}

// Returns a mono cell, with the two fixed colors swapped where `swapped` is set.
SHARED(CELL) given_cell(INT glyph, MASK swapped, IN(MapParameters) p) {
  CELL cell;
  cell.glyph = to_uint(glyph);
  cell.foreground = select(swapped, to_uint(broadcast(0)) | p.background, to_uint(broadcast(0)) | p.foreground);
  cell.background = select(swapped, to_uint(broadcast(0)) | p.foreground, to_uint(broadcast(0)) | p.background);
  return cell;
}

SHARED(CELL) mono_cell(INT form, IN(MapParameters) p) {
  MASK swapped = form >= int(p.forms.reversed_from);
  return given_cell(select(swapped, form - int(p.forms.reversed_from), form), swapped, p);
}

SHARED(INT) previous_form(CELL previous, IN(MapParameters) p) {
  MASK swapped = both(broadcast(int(p.forms.reversed_from)) < int(p.forms.narrow), previous.foreground != p.foreground);
  INT glyph = to_int(previous.glyph);
  return select(swapped, glyph + int(p.forms.reversed_from), glyph);
}

// Returns the form whose features are nearest to the cell's. But the previous frame's form stays unless the nearest
// form is better by more than a margin. The margin is the sum of a fraction of the nearest form's error and the noise
// of still video. Sets `score_reached` to the score of the returned form.
SHARED(INT) nearest_form(CELL_CONTEXT, IN(MapParameters) p, Features f, CELL previous, INOUT(INT) score_reached) {
  INT best = broadcast(0);
  INT best_score = broadcast(-2147483647);
  for (uint form = 0u; form < p.forms.narrow; ++form) {
    INT score = feature_product(CELL_ARGUMENTS, p, f, form) - int(TABLE(p.forms.bias_at + form));
    MASK better = score > best_score;
    best_score = select(better, score, best_score);
    best = select(better, broadcast(int(form)), best);
  }
  if (p.history.keep != 0u) {
    INT kept = previous_form(previous, p);
    INT kept_score = own_product(CELL_ARGUMENTS, p, f, kept) - to_int(GATHER(broadcast(int(p.forms.bias_at)) + kept));
    INT error = half_square(p, f) - best_score;
    INT margin = (error >> 10) * int(p.history.stability) + int(MonoNoise * p.history.stability);
    MASK stays = kept_score >= best_score - margin;
    if (p.forms.wide != 0u) stays = both(stays, to_int(previous.glyph) < int(p.forms.wide_from));
    best = select(stays, kept, best);
    best_score = select(stays, kept_score, best_score);
  }
  score_reached = best_score;
  return best;
}

// Fg: returns the glyph that is nearest to the cell when every glyph is drawn in its best foreground.
SHARED(INT) inked_glyph(CELL_CONTEXT, IN(MapParameters) p, InkTarget t, CELL previous, INOUT(INT) score_reached) {
  INT best = broadcast(0);
  INT best_score = broadcast(-2147483647);
  for (uint glyph = 0u; glyph < p.forms.narrow; ++glyph) {
    INT needed = ink_needed(t, broadcast(int(TABLE(p.light.ink_at + glyph))));
    INT score = ink_score(t, needed, feature_product(CELL_ARGUMENTS, p, t.features, glyph),
                          broadcast(int(TABLE(p.forms.bias_at + glyph))));
    MASK better = score > best_score;
    best_score = select(better, score, best_score);
    best = select(better, broadcast(int(glyph)), best);
  }
  if (p.history.keep != 0u) {
    INT kept = to_int(previous.glyph);
    INT needed = ink_needed(t, to_int(GATHER(broadcast(int(p.light.ink_at)) + kept)));
    INT kept_score = ink_score(t, needed, own_product(CELL_ARGUMENTS, p, t.features, kept),
                               to_int(GATHER(broadcast(int(p.forms.bias_at)) + kept)));
    INT margin = (absolute(best_score) >> 12) * int(p.history.stability) + int(InkNoise * p.history.stability);
    MASK stays = kept_score >= best_score - margin;
    if (p.forms.wide != 0u) stays = both(stays, kept < int(p.forms.wide_from));
    best = select(stays, kept, best);
    best_score = select(stays, kept_score, best_score);
  }
  score_reached = best_score;
  return best;
}

SHARED(ColorFit) choose_fit(MASK first, ColorFit a, ColorFit b) {
  ColorFit fit;
  fit.fg_r = select(first, a.fg_r, b.fg_r);
  fit.fg_g = select(first, a.fg_g, b.fg_g);
  fit.fg_b = select(first, a.fg_b, b.fg_b);
  fit.bg_r = select(first, a.bg_r, b.bg_r);
  fit.bg_g = select(first, a.bg_g, b.bg_g);
  fit.bg_b = select(first, a.bg_b, b.bg_b);
  fit.error = select(first, a.error, b.error);
  return fit;
}

// Returns a margin. The previous frame's glyph stays unless its error exceeds the error of the best glyph by more than
// this margin. `error`: ColorFit::error of the best glyph.
SHARED(INT) fit_margin(IN(MapParameters) p, INT error) {
  INT explained = select(error < 0, -error, broadcast(0));
  return (explained >> 12) * int(p.history.stability) + int((p.legibility.contrast != 0u ? LegibleNoise : FullNoise) * p.history.stability);
}

// Fits the colors with fit_colors(). With legibility, the error becomes legible_error().
SHARED(ColorFit) legible_fit(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, Moments m, INT glyph, InkGoal goal) {
  ColorFit fit = fit_colors(CELL_ARGUMENTS, p, cell, m, glyph);
  if (p.legibility.contrast != 0u) fit.error = legible_error(perceived_glyph(CELL_ARGUMENTS, p, glyph), fit, goal);
  return fit;
}

// Fits the candidates and selects the one whose clamped 8-bit colors have the smallest true error. If errors are
// equal, the lower glyph index wins. The previous frame's glyph stays unless its error exceeds the smallest error
// by more than fit_margin().
SHARED(ColorFit) best_candidate(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, Moments m, Candidates c,
                                CELL previous, INOUT(INT) glyph_chosen) {
  InkGoal goal = ink_goal(CELL_ARGUMENTS, p, mean_color(m, p), previous);
  INT best = c.glyph[0];
  ColorFit best_fit = legible_fit(CELL_ARGUMENTS, p, cell, m, best, goal);
  uint count = p.forms.narrow < CandidateCount ? p.forms.narrow : CandidateCount;
  for (uint k = 1u; k < count; ++k) {
    INT glyph = c.glyph[k];
    ColorFit fit = legible_fit(CELL_ARGUMENTS, p, cell, m, glyph, goal);
    MASK better = either(fit.error < best_fit.error, both(fit.error == best_fit.error, glyph < best));
    best = select(better, glyph, best);
    best_fit = choose_fit(better, fit, best_fit);
  }
  if (p.history.keep != 0u) {
    INT kept = to_int(previous.glyph);
    ColorFit fit = legible_fit(CELL_ARGUMENTS, p, cell, m, kept, goal);
    MASK stays = fit.error <= best_fit.error + fit_margin(p, best_fit.error);
    if (p.forms.wide != 0u) stays = both(stays, kept < int(p.forms.wide_from));
    best = select(stays, kept, best);
    best_fit = choose_fit(stays, fit, best_fit);
  }
  glyph_chosen = best;
  return best_fit;
}

// Returns a color channel's value after share / 256 of the way from `before`, its value in the previous frame, to `now`,
// its value in this frame. `share`: 0 to 256.
SHARED(INT) follow(INT before, INT now, INT share) {
  INT step = (absolute(now - before) * share + 128) >> 8;
  return select(now < before, before - step, before + step);
}

SHARED(INT) largest_difference(UINT a, UINT b) {
  INT r = absolute(sample_red(a) - sample_red(b));
  INT g = absolute(sample_green(a) - sample_green(b));
  INT blue = absolute(sample_blue(a) - sample_blue(b));
  return larger(larger(r, g), blue);
}

SHARED(UINT) step_color(UINT before, UINT now, INT share) {
  return pack_color(follow(sample_red(before), sample_red(now), share),
                    follow(sample_green(before), sample_green(now), share),
                    follow(sample_blue(before), sample_blue(now), share));
}

// Smooths the colors over time in cells that keep their glyph. Ignores changes that are too small to see, so that exports
// that store only the changed cells are smaller.
SHARED(CELL) steady_colors(CELL cell, CELL previous, IN(MapParameters) p) {
  INT change = larger(largest_difference(cell.foreground, previous.foreground),
                      largest_difference(cell.background, previous.background));
  MASK kept = cell.glyph == previous.glyph;
  INT slow = broadcast(int(256u - (p.history.stability >> 1)));
  INT share = select(both(kept, change < int(StillDifference)), slow, broadcast(256));
  share = select(both(kept, change <= int(UnseenDifference)), broadcast(0), share);
  CELL steady = cell;
  steady.foreground = step_color(previous.foreground, cell.foreground, share);
  steady.background = step_color(previous.background, cell.background, share);
  return steady;
}

SHARED(CELL) inked_cell(CELL_CONTEXT, IN(MapParameters) p, INT glyph, INT r, INT g, INT b) {
  CELL cell;
  cell.glyph = to_uint(glyph);
  cell.foreground = foreground_color(CELL_ARGUMENTS, p, r, g, b, glyph);
  cell.background = to_uint(broadcast(0)) | p.background;
  return cell;
}

SHARED(CELL) fitted_cell(CELL_CONTEXT, IN(MapParameters) p, Moments m, INT glyph, ColorFit fit) {
  GlyphSums s = pixel_sums(CELL_ARGUMENTS, p, glyph);
  return cell_of(glyph, correct_light(s, m, fit));
}

// For color mode fg: returns a cell that emits `times` times as much light as its samples.
SHARED(CELL) lit_cell(CELL_CONTEXT, IN(MapParameters) p, INT glyph, int times) {
  INT none = broadcast(0);
  return inked_cell(CELL_ARGUMENTS, p, glyph, channel_light(CELL_ARGUMENTS, p, 16u, none) * times,
                    channel_light(CELL_ARGUMENTS, p, 8u, none) * times,
                    channel_light(CELL_ARGUMENTS, p, 0u, none) * times);
}

// Returns a cell with a given glyph (from a ramp or for a contour) in the best colors that the color mode allows.
SHARED(CELL) cell_with(CELL_CONTEXT, IN(MapParameters) p, INT glyph) {
  if (p.color == ColorMono) return mono_cell(glyph, p);
  if (p.color == ColorFg) return lit_cell(CELL_ARGUMENTS, p, glyph, 1);
  CellSamples cell = load_samples(CELL_ARGUMENTS, p);
  Moments m = measure(CELL_ARGUMENTS, p, cell);
  return fitted_cell(CELL_ARGUMENTS, p, m, glyph, fit_colors(CELL_ARGUMENTS, p, cell, m, glyph));
}

// Returns the ramp's glyph for `tone`, as a glyph number of Ramp::entries. `threshold`: the cell's dither threshold.
SHARED(INT) ramp_glyph(CELL_CONTEXT, IN(MapParameters) p, INT tone, INT threshold) {
  UINT entry = GATHER(broadcast(int(p.ramp.entries_at)) + tone);
  return to_int(select(threshold < to_int(entry >> 24), (entry >> 12) & 4095u, entry & 4095u));
}

SHARED(INT) glyph_tone(CELL_CONTEXT, IN(MapParameters) p, INT glyph) {
  return to_int(GATHER(broadcast(int(p.ramp.tones_at)) + glyph));
}

// Returns the cell's mean light, from the analysis if there is one.
SHARED(INT) ramp_light(CELL_CONTEXT, IN(MapParameters) p) {
  INT mean;
  if (p.levels.automatic != 0u || p.history.stability != 0u) {
    mean = to_int(MODE_WORD(0, 0));
  } else {
    mean = mean_light(CELL_ARGUMENTS, p);
  }
  return mean;
}

SHARED(CELL) map_ramp(CELL_CONTEXT, IN(MapParameters) p, CELL previous, INT column, INT row) {
  INT tone = encoded(CELL_ARGUMENTS, p, exposed(ramp_light(CELL_ARGUMENTS, p), p));
  INT threshold = broadcast(128);
  if (p.dither.kind != 0u) threshold = dither_threshold(CELL_ARGUMENTS, p, column, row);
  INT glyph = ramp_glyph(CELL_ARGUMENTS, p, tone, threshold);
  if (p.history.keep != 0u) {
    // The previous frame's glyph stays if its tone lies between the tones of the two glyphs that a slightly darker
    // and a slightly brighter tone would select.
    int reach = int(p.history.stability >> 5);
    INT least = glyph_tone(CELL_ARGUMENTS, p, ramp_glyph(CELL_ARGUMENTS, p, clamp_8(tone - reach), threshold));
    INT most = glyph_tone(CELL_ARGUMENTS, p, ramp_glyph(CELL_ARGUMENTS, p, clamp_8(tone + reach), threshold));
    INT kept = to_int(previous.glyph);
    INT kept_tone = glyph_tone(CELL_ARGUMENTS, p, kept);
    glyph = select(both(kept_tone >= least, kept_tone <= most), kept, glyph);
  }
  return cell_with(CELL_ARGUMENTS, p, glyph);
}

// Whether a cell is not flat. `if_flat`: the glyph of the cell if it is flat. Where the previous frame shows this
// glyph, a cell needs more detail to be busy than elsewhere.
SHARED(MASK) is_busy(IN(MapParameters) p, Moments m, CELL previous, INT if_flat) {
  int n = int(p.sample_count);
  INT threshold = broadcast(int(p.flat_threshold) * n * n / 16);
  if (p.history.keep != 0u) threshold = select(to_int(previous.glyph) == if_flat, threshold * 2, threshold >> 1);
  return m.v_rr + m.v_gg + m.v_bb >= threshold;
}

SHARED(Candidates) drafted_candidates(CELL_CONTEXT) {
  Candidates c;
  for (uint k = 0u; k < CandidateCount; ++k) {
    c.glyph[k] = to_int((DRAFT_WORD(MaxSamples + k / 2u) >> (16u * (k % 2u))) & 0xFFFFu);
  }
  return c;
}

// Maps a cell in full color. `if_flat`: the cell's glyph_if_flat(). `error_left`: set to the cell's ColorFit::error, or
// to 0 if the cell is flat.
SHARED(CELL) map_full(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell_samples, Moments m, CELL previous,
                      INT if_flat, INOUT(INT) error_left) {
  // Flat cells get their flat glyph and their mean color: this avoids noise, and saves most of the work on flat
  // video.
  UINT mean = mean_color(m, p);
  CELL plain;
  plain.glyph = to_uint(if_flat);
  plain.foreground = mean;
  plain.background = mean;
  MASK busy = is_busy(p, m, previous, if_flat);
  error_left = broadcast(0);
  if (!any_of(busy)) return plain;
  INT glyph;
  ColorFit fit;
  if (p.two_pass != 0u) {
    CellSamples wanted = with_residuals(CELL_ARGUMENTS, p, cell_samples);
    Moments of_wanted = m;
    of_wanted.weighted = full_sums(CELL_ARGUMENTS, p, wanted);
    Candidates c = drafted_candidates(CELL_ARGUMENTS);
    fit = best_candidate(CELL_ARGUMENTS, p, wanted, of_wanted, c, previous, glyph);
  } else {
    Wanted wanted = wanted_polarity(CELL_ARGUMENTS, p, m, previous);
    ByteFeatures f = form_features(cell_samples, p, directed(principal_direction(m), wanted.way), mean);
    Candidates c = ranked_candidates(best_glyphs(CELL_ARGUMENTS, p, f, wanted.aversion), p);
    fit = best_candidate(CELL_ARGUMENTS, p, cell_samples, m, c, previous, glyph);
  }
  error_left = select(busy, fit.error, error_left);
  CELL cell = fitted_cell(CELL_ARGUMENTS, p, m, glyph, fit);
  cell.glyph = select(busy, cell.glyph, plain.glyph);
  cell.foreground = select(busy, cell.foreground, plain.foreground);
  cell.background = select(busy, cell.background, plain.background);
  return cell;
}

// Replaces both colors of the cell with the nearest palette colors.
SHARED(CELL) snapped_cell(CELL_CONTEXT, IN(MapParameters) p, CELL cell, INT offset) {
  CELL snapped = cell;
  snapped.foreground = nearest_color(CELL_ARGUMENTS, p, cell.foreground, offset);
  snapped.background = nearest_color(CELL_ARGUMENTS, p, cell.background, offset);
  return snapped;
}

#include "mix.glsl"
#include "draft_cell.glsl"

SHARED(CELL) map_shape(CELL_CONTEXT, IN(MapParameters) p, CELL previous, INT column, INT row) {
  if (p.color == ColorFull && p.mix.mixes_at != 0u && p.mix.fits_palette == 0u)
    return map_mixed(CELL_ARGUMENTS, p, previous, column, row, false);
  if (p.color == ColorFull) {
    CellSamples cell = load_samples(CELL_ARGUMENTS, p);
    Moments m = measure(CELL_ARGUMENTS, p, cell);
    INT error;
    CELL full = map_full(CELL_ARGUMENTS, p, cell, m, previous, glyph_if_flat(CELL_ARGUMENTS, p, column, row), error);
    if (p.mix.mixes_at == 0u) return full;
    MixTarget target = mean_target(CELL_ARGUMENTS, p, m);
    Residuals change = compensation(CELL_ARGUMENTS, p, target, column, row);
    full.foreground = moved_color(full.foreground, change);
    full.background = moved_color(full.background, change);
    return fitted_or_mixed(CELL_ARGUMENTS, p, moved_target(target, change), full, error, previous,
                           dither_offset(CELL_ARGUMENTS, p, column, row));
  }
  PooledLight light = pooled_light(CELL_ARGUMENTS, p, column, row);
  INT score;
  if (p.color == ColorMono) {
    Features f = mono_features(CELL_ARGUMENTS, p, light, column, row);
    return mono_cell(nearest_form(CELL_ARGUMENTS, p, f, previous, score), p);
  }
  InkTarget target = ink_target(CELL_ARGUMENTS, p, light);
  return inked_cell(CELL_ARGUMENTS, p, inked_glyph(CELL_ARGUMENTS, p, target, previous, score), target.r, target.g,
                    target.b);
}

// Returns the coverage of the cell's glyph, 256 = all. For flat cells, returns the mean coverage of all flat glyphs:
// flat cells of equal color then get the same two colors, whichever glyphs they show, and a terminal needs fewer bytes
// for them.
SHARED(INT) coverage_of(CELL_CONTEXT, IN(MapParameters) p, CELL cell) {
  INT covered = divide_small(pixel_sums(CELL_ARGUMENTS, p, to_int(cell.glyph)).a * 8, broadcast(int(p.sample_count)));
  if (p.mode == ModeRamp) return covered;
  return select(cell.foreground == cell.background, broadcast(int(p.legibility.flat_coverage)), covered);
}

// Returns the cell that draws a contour. In fg, the foreground is fitted to twice the cell's light. In full color with
// legibility, the background is the cell's mean color, and the stroke is inked_stroke().
SHARED(CELL) contour_cell(CELL_CONTEXT, IN(MapParameters) p, INT glyph, CELL previous) {
  if (p.color == ColorFg) return lit_cell(CELL_ARGUMENTS, p, glyph, 2);
  if (p.color == ColorFull && p.legibility.contrast != 0u) {
    CELL cell;
    cell.glyph = to_uint(glyph);
    cell.background = mean_color(measure(CELL_ARGUMENTS, p, load_samples(CELL_ARGUMENTS, p)), p);
    cell.foreground = inked_stroke(cell.background, sign_of(preferred_contrast(CELL_ARGUMENTS, p, previous)));
    return cell;
  }
  CELL cell = cell_with(CELL_ARGUMENTS, p, glyph);
  if (p.mix.mixes_at != 0u) return snapped_cell(CELL_ARGUMENTS, p, cell, broadcast(0));
  return cell;
}

// Returns the contour_cell() with the edge_glyph() `glyph`, or `shaped` if `glyph` is -1.
SHARED(CELL) with_edge(CELL_CONTEXT, IN(MapParameters) p, CELL shaped, INT glyph, CELL previous) {
  CELL cell = shaped;
  MASK drawn = glyph >= 0;
  if (!any_of(drawn)) return cell;
  CELL edge = contour_cell(CELL_ARGUMENTS, p, select(drawn, glyph, broadcast(0)), previous);
  cell.glyph = select(drawn, edge.glyph, cell.glyph);
  cell.foreground = select(drawn, edge.foreground, cell.foreground);
  cell.background = select(drawn, edge.background, cell.background);
  return cell;
}

// Returns the parameters for cells between the contours. In mono and fg, they darken these cells, so that contours
// stand out.
SHARED(MapParameters) shading_parameters(IN(MapParameters) p) {
  MapParameters shading = p;
  if (p.mode == ModeEdge && p.color != ColorFull) {
    shading.levels.gain = (p.levels.gain >> 4) * (p.color == ColorMono ? EdgeMonoShading : EdgeShading);
  }
  return shading;
}

// In full color, makes a single cell legible. with_legible_pair() in wide.glsl does this for a pair of cells.
SHARED(CELL) with_legible_ink(CELL_CONTEXT, IN(MapParameters) p, CELL cell, CELL previous) {
  if (p.legibility.contrast == 0u || p.color != ColorFull) return cell;
  return legible_cell(CELL_ARGUMENTS, p, cell, coverage_of(CELL_ARGUMENTS, p, cell),
                      preferred_contrast(CELL_ARGUMENTS, p, previous));
}

// Applies the palette or, without one, steady_colors().
SHARED(CELL) finish_cell(CELL_CONTEXT, IN(MapParameters) p, CELL mapped, CELL previous, INT column, INT row) {
  CELL cell = mapped;
  if (p.mix.mixes_at != 0u) return cell;  // both colors are palette colors already
  if (p.palette.colors_at != 0u) {
    cell = snapped_cell(CELL_ARGUMENTS, p, cell, dither_offset(CELL_ARGUMENTS, p, column, row));
  } else if (p.history.keep != 0u && p.color != ColorMono) {
    cell = steady_colors(cell, previous, p);
  }
  return cell;
}

// Maps one cell. `previous`: the previous frame's cell, used if p.history.keep is set.
SHARED(CELL) map_cell(CELL_CONTEXT, IN(MapParameters) p, CELL previous, INT column, INT row) {
  CELL cell = previous;
  switch (p.mode) {
    case ModeRamp:
      cell = map_ramp(CELL_ARGUMENTS, p, previous, column, row);
      break;
    case ModeShape:
    case ModeEdge:
      cell = map_shape(CELL_ARGUMENTS, shading_parameters(p), previous, column, row);
      if (p.mode == ModeEdge) cell = with_edge(CELL_ARGUMENTS, p, cell, edge_glyph(CELL_ARGUMENTS, p), previous);
      break;
  }
  cell = with_legible_ink(CELL_ARGUMENTS, p, cell, previous);
  return finish_cell(CELL_ARGUMENTS, p, cell, previous, column, row);
}
