// Two-pass error diffusion between neighboring cells. Requires structs.glsl, color.glsl and
// cell_samples.glsl.
//
// Cells in full color are mapped twice. The first pass, the draft, leaves half of the residual of each
// sample at a cell's border to the neighbor's sample across that border. The second pass adds it to that
// sample before it maps the neighbor: eyes blur both together.
//
// src/mapping/kernels/packed_drafts.h implements the same, bit for bit, for several samples at a time.

// Half of a sample's residual in a channel, under a glyph's `coverage` of it.
SHARED(INT) remainder(INT code, INT coverage, INT ink, INT paper) {
  INT drawn = paper + (((ink - paper) * coverage + int(CoverageOne / 2u)) >> 5);
  return (code - drawn) >> 1;
}

// Stores the residuals in the cell's draft, one word per sample: three signed bytes, packed like colors.
SHARED(void) store_residuals(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, INT glyph, UINT ink, UINT paper) {
  INT word_at = broadcast(int(p.coverage_at)) + glyph * int(MaxSamples / 4u);
  for (uint i = 0u; i < p.sample_count; ++i) {
    INT coverage = to_int((GATHER(word_at + int(i / 4u)) >> (8u * (i % 4u))) & 255u);
    UINT t = cell.word[i];
    INT r = remainder(sample_red(t), coverage, sample_red(ink), sample_red(paper));
    INT g = remainder(sample_green(t), coverage, sample_green(ink), sample_green(paper));
    INT b = remainder(sample_blue(t), coverage, sample_blue(ink), sample_blue(paper));
    KEEP_DRAFT(i, ((to_uint(r) & 255u) << 16) | ((to_uint(g) & 255u) << 8) | (to_uint(b) & 255u));
  }
}

struct Residuals {
  INT r, g, b;
};

SHARED(Residuals) add_remainder(Residuals sum, UINT word) {
  Residuals s;
  s.r = sum.r + (to_int(word << 8) >> 24);
  s.g = sum.g + (to_int(word << 16) >> 24);
  s.b = sum.b + (to_int(word << 24) >> 24);
  return s;
}

// The samples plus the residuals that the four neighbors left along the borders.
SHARED(CellSamples) with_remainders(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell) {
  CellSamples wanted;
  uint across = p.samples_x;
  uint last_row = p.sample_count - across;
  for (uint i = 0u; i < p.sample_count; ++i) {
    uint x = i % across;
    Residuals sum;
    sum.r = sample_red(cell.word[i]);
    sum.g = sample_green(cell.word[i]);
    sum.b = sample_blue(cell.word[i]);
    if (x == 0u) sum = add_remainder(sum, DRAFT_BESIDE(-1, 0, i + across - 1u));
    if (x == across - 1u) sum = add_remainder(sum, DRAFT_BESIDE(1, 0, i + 1u - across));
    if (i < across) sum = add_remainder(sum, DRAFT_BESIDE(0, -1, i + last_row));
    if (i >= last_row) sum = add_remainder(sum, DRAFT_BESIDE(0, 1, i - last_row));
    wanted.word[i] = pack_color(clamp_8(sum.r), clamp_8(sum.g), clamp_8(sum.b));
  }
  return wanted;
}
