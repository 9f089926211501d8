// The first of the two passes over cells in full color. match.glsl includes this file after mix.glsl and after the
// functions that this file uses.

// First pass over a cell: stores the candidate glyphs and, for the neighbors, the residuals that the most likely glyph
// leaves. The most likely glyph is the best candidate or the previous frame's glyph. With a palette, also stores the
// mean_error(). With a coarse palette (fits_palette is 0), stores only the mean_error().
SHARED(void) draft_cell(CELL_CONTEXT, IN(MapParameters) p, CELL previous, INT column, INT row) {
  if (p.mix.mixes_at != 0u && p.mix.fits_palette == 0u) {
    map_mixed(CELL_ARGUMENTS, p, previous, column, row, true);
    return;
  }
  CellSamples cell_samples = load_samples(CELL_ARGUMENTS, p);
  Moments m = measure(CELL_ARGUMENTS, p, cell_samples);
  UINT mean = mean_color(m, p);
  UINT foreground = mean;
  UINT background = mean;
  INT glyph = broadcast(int(p.blank_glyph));
  INT error = broadcast(0);
  UINT first = to_uint(broadcast(0));
  UINT second = first;
  MASK busy = is_busy(p, m, previous, glyph_if_flat(CELL_ARGUMENTS, p, column, row));
  if (any_of(busy)) {
    Wanted wanted = wanted_polarity(CELL_ARGUMENTS, p, m, previous);
    ByteFeatures f = form_features(cell_samples, p, directed(principal_direction(m), wanted.way), mean);
    Ranking ranking = best_glyphs(CELL_ARGUMENTS, p, f, wanted.aversion);
    Candidates c = ranked_candidates(ranking, p);
    first = pack_pair(c.glyph[0], c.glyph[1]);
    second = pack_pair(c.glyph[2], c.glyph[3]);
    INT likeliest = c.glyph[0];
    if (p.history.keep != 0u) {
      INT kept = to_int(previous.glyph);
      INT kept_score = absolute(own_byte_product(CELL_ARGUMENTS, p, f, kept));
      INT score = key_score(ranking.key[0]);
      likeliest = select(kept_score >= score - (score >> 4), kept, likeliest);
    }
    ColorFit fit = fit_colors(CELL_ARGUMENTS, p, cell_samples, m, likeliest);
    glyph = select(busy, likeliest, glyph);
    foreground = select(busy, pack_color(fit.fg_r, fit.fg_g, fit.fg_b), mean);
    background = select(busy, pack_color(fit.bg_r, fit.bg_g, fit.bg_b), mean);
    error = select(busy, fit.error, error);
  }
  store_residuals(CELL_ARGUMENTS, p, cell_samples, glyph, foreground, background);
  STORE_DRAFT(MaxSamples, first);
  STORE_DRAFT(MaxSamples + 1u, second);
  if (p.mix.mixes_at != 0u) {
    CELL cell;
    cell.glyph = to_uint(glyph);
    cell.foreground = foreground;
    cell.background = background;
    MixTarget own = mean_target(CELL_ARGUMENTS, p, m);
    INT offset = dither_offset(CELL_ARGUMENTS, p, column, row);
    cell = fitted_or_mixed(CELL_ARGUMENTS, p, own, cell, error, previous, offset);
    STORE_DRAFT(DraftMeanError, mean_error(CELL_ARGUMENTS, p, own, cell));
  }
}
