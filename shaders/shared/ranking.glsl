// Ranks the forms (match.glsl) that are similar to a cell in full color. Their true errors are compared afterwards.
// Requires fit.glsl, cell_samples.glsl and ink.glsl.
//
// The cell's samples are projected on the direction in which they differ most. Then one inner product per glyph says how
// similar the glyph is, and its sign says which of the two colors is the foreground.

// The direction in RGB along which the samples differ most, 64 = 1. It is computed by one step of power iteration on
// the samples' covariance matrix, starting from the axis of the matrix's largest diagonal element. One step is exact
// for cells of two colors, as most cells are. Projecting the three channels on the direction reduces matching to one
// inner product per glyph.
struct Direction {
  INT r, g, b;
};

SHARED(Direction) principal_direction(Moments m) {
  MASK red = both(m.v_rr >= m.v_gg, m.v_rr >= m.v_bb);
  MASK green = m.v_gg >= m.v_bb;
  INT largest = select(red, m.v_rr, select(green, m.v_gg, m.v_bb));
  DIVISOR by = divisor(larger(largest, broadcast(1)));
  Direction d;
  d.r = divide_round(select(red, m.v_rr, select(green, m.v_rg, m.v_rb)) * 32, by) * 2;
  d.g = divide_round(select(red, m.v_rg, select(green, m.v_gg, m.v_gb)) * 32, by) * 2;
  d.b = divide_round(select(red, m.v_rb, select(green, m.v_gb, m.v_bb)) * 32, by) * 2;
  return d;
}

// Returns the direction or its opposite, so that luma rises along the result if `way` is 1, and falls if `way` is -1.
SHARED(Direction) directed(Direction d, INT way) {
  MASK opposite = (d.r * 54 + d.g * 183 + d.b * 19) * way < 0;
  Direction same;
  same.r = select(opposite, -d.r, d.r);
  same.g = select(opposite, -d.g, d.g);
  same.b = select(opposite, -d.b, d.b);
  return same;
}

// `way`: the polarity that candidates should have. `aversion`: the opposite polarity costs a candidate 2^-aversion of
// its score.
struct Wanted {
  INT way, aversion;
};

// Cells with little contrast take the polarity that suits their surroundings. All other cells prefer the previous
// frame's polarity, if there is one.
SHARED(Wanted) wanted_polarity(CELL_CONTEXT, IN(MapParameters) p, Moments m, CELL previous) {
  Wanted wanted;
  wanted.way = broadcast(1);
  wanted.aversion = broadcast(31);
  if (p.legibility.contrast == 0u) return wanted;
  int n = int(p.sample_count);
  MASK weak = m.v_rr + m.v_gg + m.v_bb < broadcast(WeakVariance * n * n);
  wanted.way = sign_of(preferred_contrast(CELL_ARGUMENTS, p, previous));
  INT before = previous_polarity(p, previous);
  wanted.way = select(either(weak, before == 0), wanted.way, before);
  wanted.aversion = select(weak, broadcast(0), broadcast(int(PolarityAversion)));
  return wanted;
}

// Projects samples on a direction, so that `mean` becomes 0.
SHARED(Projection) projection(Direction d, UINT mean) {
  Projection to;
  to.r = d.r;
  to.g = d.g;
  to.b = d.b;
  to.zero = sample_red(mean) * d.r + sample_green(mean) * d.g + sample_blue(mean) * d.b;
  return to;
}

// Returns how often features can be doubled until the largest one has 15 bits.
SHARED(INT) feature_doublings(INT largest) { return 14 - highest_bit(largest); }

SHARED(ByteFeatures) form_features(IN(CellSamples) cell, IN(MapParameters) p, Direction d, UINT mean) {
  Projection to = projection(d, mean);
  return byte_features(cell, p, to, feature_doublings(largest_feature(cell, p, to)));
}

// A form's key consists of its score and, in the bits of p.forms.index_mask, of the mask minus the form's index. So of
// forms with equal scores, the one with the lower index has the larger key. `score`: -2^18 to 2^19 - 1.
SHARED(INT) form_key(IN(MapParameters) p, INT score, uint form) {
  return ((score << ScoreShift) & ~int(p.forms.index_mask)) | int(p.forms.index_mask - form);
}

// If p.forms.index_mask exceeds 4095, the lowest bits of the result do not belong to the score.
SHARED(INT) key_score(INT key) { return key >> ScoreShift; }

SHARED(INT) with_score(IN(MapParameters) p, INT key, INT score) {
  return ((score << ScoreShift) & ~int(p.forms.index_mask)) | (key & int(p.forms.index_mask));
}

// The largest keys, in descending order.
struct Ranking {
  INT key[CandidateCount];
};

SHARED(Ranking) empty_ranking(IN(MapParameters) p) {
  Ranking ranking;
  for (uint k = 0u; k < CandidateCount; ++k) ranking.key[k] = broadcast(int(0x80000000u | p.forms.index_mask));
  return ranking;
}

SHARED(void) rank_key(INOUT(Ranking) ranking, INT key) {
  // Each key that drops out of its place is compared with the next place.
  INT moved = key;
  for (uint k = 0u; k < CandidateCount; ++k) {
    INT rest = smaller(ranking.key[k], moved);
    ranking.key[k] = larger(ranking.key[k], moved);
    moved = rest;
  }
}

// Returns the form at place `k`, or 0 if there are fewer forms.
SHARED(INT) ranked_form(Ranking ranking, IN(MapParameters) p, uint k) {
  INT mask = broadcast(int(p.forms.index_mask));
  return mask - (ranking.key[k] & mask);
}

// Returns the dot product of the cell's and a form's features, from 7 and 8 bits of each feature: at most 2^18, or 2^19
// for the two cells of a pair.
SHARED(INT) byte_product(CELL_CONTEXT, IN(MapParameters) p, IN(ByteFeatures) f, uint form) {
  TABLE_ROW(row, p.forms.bytes_at + form * (MaxSamples / 4u));
  INT sum = broadcast(int(TABLE(p.forms.byte_offsets_at + form)));
  for (uint j = 0u; j < (p.sample_count + 3u) / 4u; ++j) sum = multiply_add_bytes(sum, f.four[j], ROW_WORD(row, j));
  return sum;
}

// Returns the score of a glyph whose byte_product() is negative, which means the unwanted polarity: the product's
// absolute value minus 2^-aversion of it. If the product is positive, it is the score.
SHARED(INT) negative_score(INT product, INT aversion) { return -product - (-product >> aversion); }

// Glyph i is in group i % GlyphGroups. Only two glyphs of each group are ranked: those with the largest and the smallest
// product. This takes fewer instructions than ranking all glyphs, with the same fidelity score F (docs/fidelity.md).
// `aversion`: see negative_score().
SHARED(Ranking) best_glyphs(CELL_CONTEXT, IN(MapParameters) p, IN(ByteFeatures) f, INT aversion) {
  Ranking ranking = empty_ranking(p);
  int index_mask = int(p.forms.index_mask);
  for (uint group = 0u; group < GlyphGroups; ++group) {
    INT most = form_key(p, broadcast(0), 0u);
    INT least = most ^ index_mask;  // the index itself is in the lowest bits, so that the lower one wins here as well
    for (uint glyph = group; glyph < p.forms.narrow; glyph += GlyphGroups) {
      INT key = form_key(p, byte_product(CELL_ARGUMENTS, p, f, glyph), glyph);
      most = larger(most, key);
      least = smaller(least, key ^ index_mask);
    }
    rank_key(ranking, most);
    rank_key(ranking, with_score(p, least ^ index_mask, negative_score(key_score(least), aversion)));
  }
  return ranking;
}

// The glyphs that are compared by their true error.
struct Candidates {
  INT glyph[CandidateCount];
};

SHARED(Candidates) ranked_candidates(Ranking ranking, IN(MapParameters) p) {
  Candidates c;
  for (uint k = 0u; k < CandidateCount; ++k) c.glyph[k] = ranked_form(ranking, p, k);
  return c;
}
