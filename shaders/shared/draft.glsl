// Two-pass error diffusion between neighboring cells. Requires structs.glsl, color.glsl and
// cell_samples.glsl.
//
// Cells in full color are mapped twice. The first pass, the draft, computes the residual of each sample. The
// second pass adds half of the residual of each sample at a cell's border to the neighbor's sample across that
// border, and then maps the neighbor. The neighbor's new colors compensate for the cell's error, because eyes blur
// the two samples together.
//
// With a palette, the draft also has the error of the cell's mean color (mix.glsl). With a coarse palette (fits_palette
// is 0), it has only this error.
//
// src/mapping/kernels/packed_drafts.h implements the same functions, bit for bit, for several samples at a
// time.

// Returns half of a sample's residual in a channel. The residual is the sample's code minus the drawn code.
// `coverage`: how much of the sample the glyph covers, 0 to CoverageOne.
SHARED(INT) residual(INT code, INT coverage, INT foreground, INT background) {
  INT drawn = background + (((foreground - background) * coverage + int(CoverageOne / 2u)) >> 5);
  return (code - drawn) >> 1;
}

// Stores the residuals in the cell's draft, one word per sample: three signed bytes, packed like colors.
SHARED(void) store_residuals(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, INT glyph, UINT foreground, UINT background) {
  INT word_at = broadcast(int(p.fit.coverage_at)) + glyph * int(MaxSamples / 4u);
  for (uint i = 0u; i < p.sample_count; ++i) {
    INT coverage = to_int((GATHER(word_at + int(i / 4u)) >> (8u * (i % 4u))) & 255u);
    UINT t = cell.word[i];
    INT r = residual(sample_red(t), coverage, sample_red(foreground), sample_red(background));
    INT g = residual(sample_green(t), coverage, sample_green(foreground), sample_green(background));
    INT b = residual(sample_blue(t), coverage, sample_blue(foreground), sample_blue(background));
    STORE_DRAFT(i, ((to_uint(r) & 255u) << 16) | ((to_uint(g) & 255u) << 8) | (to_uint(b) & 255u));
  }
}

struct Residuals {
  INT r, g, b;
};

SHARED(Residuals) add_residual(Residuals sum, UINT word) {
  Residuals s;
  s.r = sum.r + (to_int(word << 8) >> 24);
  s.g = sum.g + (to_int(word << 16) >> 24);
  s.b = sum.b + (to_int(word << 24) >> 24);
  return s;
}

// Returns the sum of the mean errors in the drafts of the four neighbors (mix.glsl).
SHARED(Residuals) neighbor_errors(CELL_CONTEXT) {
  Residuals sum;
  sum.r = sum.g = sum.b = broadcast(0);
  sum = add_residual(sum, DRAFT_BESIDE(-1, 0, DraftMeanError));
  sum = add_residual(sum, DRAFT_BESIDE(1, 0, DraftMeanError));
  sum = add_residual(sum, DRAFT_BESIDE(0, -1, DraftMeanError));
  return add_residual(sum, DRAFT_BESIDE(0, 1, DraftMeanError));
}

// Returns the cell's samples. Those at a border include the residual of the neighbor's sample across that border.
SHARED(CellSamples) with_residuals(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell) {
  CellSamples wanted;
  uint across = p.samples_x;
  uint last_row = p.sample_count - across;
  for (uint i = 0u; i < p.sample_count; ++i) {
    uint x = i % across;
    Residuals sum;
    sum.r = sample_red(cell.word[i]);
    sum.g = sample_green(cell.word[i]);
    sum.b = sample_blue(cell.word[i]);
    if (x == 0u) sum = add_residual(sum, DRAFT_BESIDE(-1, 0, i + across - 1u));
    if (x == across - 1u) sum = add_residual(sum, DRAFT_BESIDE(1, 0, i + 1u - across));
    if (i < across) sum = add_residual(sum, DRAFT_BESIDE(0, -1, i + last_row));
    if (i >= last_row) sum = add_residual(sum, DRAFT_BESIDE(0, 1, i - last_row));
    wanted.word[i] = pack_color(clamp_8(sum.r), clamp_8(sum.g), clamp_8(sum.b));
  }
  return wanted;
}
