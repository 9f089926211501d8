// Maps cells in full color with a palette. A cell shows a mix: two palette colors, which eyes blend by the glyph's
// coverage. So the two colors and the coverage are chosen together. Requires palette.glsl and fit.glsl. docs/mapping.md
// explains the method.
//
// A mix rarely has exactly the cell's mean color. But eyes blur neighboring cells together, so cells whose column + row
// is odd compensate for the average error of their four neighbors. The neighbors do not compensate: their column + row
// is even. The draft computes the errors (draft.glsl).
//
// A mix's share is how much of the cell has the mix's first color, MixOne = all. Either color may be the ink.

CONSTANT(int, MixMeanWeight, 600)   // weight of the mean color's error relative to contrast_cost()
CONSTANT(int, MixMostCost, 65535)    // upper bound of the mean color's squared error
CONSTANT(int, MixMeanChroma, 6)      // weight of chroma relative to luma in the mean color's error, 16 = CIE94's weight
CONSTANT(int, MixCompensation, 13)   // how much of its neighbors' errors a cell compensates for, 16 = all
CONSTANT(int, MixChroma, 11)         // contrast_color() multiplies chroma by this / 16
CONSTANT(int, MixFollowed, 64)       // weight of the inner product of a pair's contrast and the cell's contrast, 16 = 1
CONSTANT(int, MixReach, 4)           // the cell's two main colors are each moved outward by this / 16 of their distance
CONSTANT(int, MixGain, 24)           // weight of the detail that a glyph shows, 8 = 1
CONSTANT(int, MixShareWeight, 400)   // weight of a glyph's difference from the wanted ink coverage, 256 = 1
CONSTANT(int, MixFitWeight, 16)      // weight of ColorFit::error / 16 in the cost of fitted colors
CONSTANT(int, MixStability, 1000)    // the previous frame's colors may cost more by p.history.stability * this
CONSTANT(int, MixKeptGlyph, 8)       // the previous glyph may cost more by (stability << this) * the colors' contrast
CONSTANT(int, MixKeptShare, 20)      // the glyph that a flat cell keeps may miss Mix::share by stability / this

// `cost` has the units of contrast_cost(). If the mean color is off by d quarters of a CIELAB unit, this costs
// MixMeanWeight d^2.
struct Mix {
  UINT first, second;  // 0xFFRRGGBB
  INT share;
  INT cost;
};

SHARED(INT) code_root(CELL_CONTEXT, IN(MapParameters) p, INT square) {
  return to_int(GATHER(broadcast(int(p.light.root_at)) + (square >> 4)));
}

// Returns the inner product of two color differences. Channels are weighted approximately as in luma, with a sum of
// weights of 7/8.
SHARED(INT) weighted_product(INT r, INT g, INT b, INT other_r, INT other_g, INT other_b) {
  return (2 * r * other_r + 4 * g * other_g + b * other_b) >> 3;
}

// A color from which contrasts are computed, or the difference of two such colors. Chroma is reduced, because the
// texture of two colors of equal luminance is hardly visible.
struct ContrastColor {
  INT r, g, b;
};

// Returns the luma of code values, with the weights of weighted_product().
SHARED(INT) code_luma(INT r, INT g, INT b) { return divide_round(2 * r + 4 * g + b, broadcast(7)); }

// Returns the code value of the gray that has the same BT.709 luminance as a color. `square_*`: the squares of the
// color's code values, which approximate light.
SHARED(INT) luminance_code(CELL_CONTEXT, IN(MapParameters) p, INT square_r, INT square_g, INT square_b) {
  return code_root(CELL_ARGUMENTS, p, (54 * square_r + 183 * square_g + 19 * square_b) >> 8);
}

// Returns a color with the luma `luma` and MixChroma / 16 of the given color's chroma.
SHARED(ContrastColor) with_less_chroma(INT luma, INT r, INT g, INT b) {
  INT own = code_luma(r, g, b);
  ContrastColor c;
  c.r = luma + (((r - own) * MixChroma) >> 4);
  c.g = luma + (((g - own) * MixChroma) >> 4);
  c.b = luma + (((b - own) * MixChroma) >> 4);
  return c;
}

// Returns the color from which contrasts are computed. Its luma is the luminance_code(), because a saturated color is
// lighter than its own luma says.
SHARED(ContrastColor) contrast_color(CELL_CONTEXT, IN(MapParameters) p, INT r, INT g, INT b) {
  return with_less_chroma(luminance_code(CELL_ARGUMENTS, p, r * r, g * g, b * b), r, g, b);
}

// Returns the difference of the contrast_color() of two palette colors.
SHARED(ContrastColor) pair_contrast(CELL_CONTEXT, IN(MapParameters) p, UINT first, UINT second) {
  ContrastColor a = contrast_color(CELL_ARGUMENTS, p, sample_red(first), sample_green(first), sample_blue(first));
  ContrastColor b = contrast_color(CELL_ARGUMENTS, p, sample_red(second), sample_green(second), sample_blue(second));
  a.r -= b.r;
  a.g -= b.g;
  a.b -= b.b;
  return a;
}

// The properties of a cell by which two colors are chosen.
struct MixTarget {
  INT r, g, b;                 // code values of the mean light
  INT away_r, away_g, away_b;  // contrast of the cell's two main colors; 0: the cell has one color
  INT above_r, above_g, above_b;  // main color on one side of the mean, moved away from it (MixReach)
  INT below_r, below_g, below_b;  // main color on the other side
};

// Returns the target of a cell that has one main color, its mean color.
SHARED(MixTarget) mean_target(CELL_CONTEXT, IN(MapParameters) p, Moments m) {
  MixTarget t;
  t.r = code_root(CELL_ARGUMENTS, p, divide_by_samples(m.square_r, p));
  t.g = code_root(CELL_ARGUMENTS, p, divide_by_samples(m.square_g, p));
  t.b = code_root(CELL_ARGUMENTS, p, divide_by_samples(m.square_b, p));
  t.away_r = broadcast(0);
  t.away_g = broadcast(0);
  t.away_b = broadcast(0);
  t.above_r = t.below_r = t.r;
  t.above_g = t.below_g = t.g;
  t.above_b = t.below_b = t.b;
  return t;
}

SHARED(MixTarget) mix_target(CELL_CONTEXT, IN(MapParameters) p, Moments m) {
  MixTarget t = mean_target(CELL_ARGUMENTS, p, m);
  // Splits the samples at their mean, along the direction in which they differ most, and averages each side.
  Direction d = principal_direction(m);
  UINT mean = mean_color(m, p);
  INT zero = sample_red(mean) * d.r + sample_green(mean) * d.g + sample_blue(mean) * d.b;
  INT count = broadcast(0);
  INT sum_r = broadcast(0);
  INT sum_g = broadcast(0);
  INT sum_b = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) {
    INT r = to_int(SAMPLE_BYTE(i, 16u));
    INT g = to_int(SAMPLE_BYTE(i, 8u));
    INT b = to_int(SAMPLE_BYTE(i, 0u));
    MASK above = r * d.r + g * d.g + b * d.b > zero;
    count += select(above, broadcast(1), broadcast(0));
    sum_r += select(above, r, broadcast(0));
    sum_g += select(above, g, broadcast(0));
    sum_b += select(above, b, broadcast(0));
  }
  INT rest = int(p.sample_count) - count;
  MASK split = both(count > 0, rest > 0);
  INT above_r = divide(sum_r, larger(count, broadcast(1)));
  INT above_g = divide(sum_g, larger(count, broadcast(1)));
  INT above_b = divide(sum_b, larger(count, broadcast(1)));
  INT below_r = divide(m.sum_r - sum_r, larger(rest, broadcast(1)));
  INT below_g = divide(m.sum_g - sum_g, larger(rest, broadcast(1)));
  INT below_b = divide(m.sum_b - sum_b, larger(rest, broadcast(1)));
  ContrastColor above_color = contrast_color(CELL_ARGUMENTS, p, above_r, above_g, above_b);
  ContrastColor below_color = contrast_color(CELL_ARGUMENTS, p, below_r, below_g, below_b);
  t.away_r = select(split, above_color.r - below_color.r, broadcast(0));
  t.away_g = select(split, above_color.g - below_color.g, broadcast(0));
  t.away_b = select(split, above_color.b - below_color.b, broadcast(0));
  t.above_r = clamp_8(select(split, above_r + (((above_r - below_r) * MixReach) >> 4), t.r));
  t.above_g = clamp_8(select(split, above_g + (((above_g - below_g) * MixReach) >> 4), t.g));
  t.above_b = clamp_8(select(split, above_b + (((above_b - below_b) * MixReach) >> 4), t.b));
  t.below_r = clamp_8(select(split, below_r - (((above_r - below_r) * MixReach) >> 4), t.r));
  t.below_g = clamp_8(select(split, below_g - (((above_g - below_g) * MixReach) >> 4), t.g));
  t.below_b = clamp_8(select(split, below_b - (((above_b - below_b) * MixReach) >> 4), t.b));
  return t;
}

// Returns the cost of the contrast between the two colors: the lower of two costs. The first suits cells of one color
// and measures the texture of the glyph with the least contrast. The second suits cells with contrast and measures how
// much the glyph with the most contrast differs from the cell.
SHARED(INT) contrast_cost(CELL_CONTEXT, IN(MapParameters) p, MixTarget t, UINT first, UINT second, INT share) {
  ContrastColor c = pair_contrast(CELL_ARGUMENTS, p, first, second);
  INT square = weighted_product(c.r, c.g, c.b, c.r, c.g, c.b);
  INT along = absolute(weighted_product(c.r, c.g, c.b, t.away_r, t.away_g, t.away_b));
  UINT level = GATHER(broadcast(int(p.mix.levels_at)) + share);
  INT least = to_int((level >> 16) & 255u);
  INT most = to_int(level >> 24);
  return smaller(least * square, most * (square - ((2 * along * MixFollowed) >> 4)));
}

// Returns the cost of the difference between the cell's mean and another color. `square_*`: the squares of the other
// color's code values.
SHARED(INT) mean_cost(CELL_CONTEXT, IN(MapParameters) p, MixTarget t, INT square_r, INT square_g, INT square_b) {
  INT off_r = code_root(CELL_ARGUMENTS, p, square_r) - t.r;
  INT off_g = code_root(CELL_ARGUMENTS, p, square_g) - t.g;
  INT off_b = code_root(CELL_ARGUMENTS, p, square_b) - t.b;
  INT luma = luminance_code(CELL_ARGUMENTS, p, square_r, square_g, square_b) -
             luminance_code(CELL_ARGUMENTS, p, t.r * t.r, t.g * t.g, t.b * t.b);
  INT own = (2 * off_r + 5 * off_g + off_b) >> 3;
  INT red = off_r - own;
  INT blue = off_b - own;
  INT chroma = ((2 * red * red + blue * blue) * MixMeanChroma) >> 4;
  return smaller(luma * luma + chroma, broadcast(MixMostCost)) * MixMeanWeight;
}

// Returns the mix of two given colors that is nearest to the cell's mean.
SHARED(Mix) mix_of(CELL_CONTEXT, IN(MapParameters) p, MixTarget t, UINT first, UINT second) {
  INT r = sample_red(second);
  INT g = sample_green(second);
  INT b = sample_blue(second);
  INT from_r = r * r;
  INT from_g = g * g;
  INT from_b = b * b;
  INT way_r = sample_red(first) * sample_red(first) - from_r;
  INT way_g = sample_green(first) * sample_green(first) - from_g;
  INT way_b = sample_blue(first) * sample_blue(first) - from_b;
  INT along = weighted_product(way_r >> 4, way_g >> 4, way_b >> 4, (t.r * t.r - from_r) >> 4,
                               (t.g * t.g - from_g) >> 4, (t.b * t.b - from_b) >> 4) >> 5;
  INT all = larger(weighted_product(way_r >> 4, way_g >> 4, way_b >> 4, way_r >> 4, way_g >> 4, way_b >> 4) >> 5,
                   broadcast(1));
  Mix mix;
  mix.first = first;
  mix.second = second;
  mix.share = divide(smaller(larger(along, broadcast(0)), all) * int(MixOne) + (all >> 1), all);
  mix.cost = mean_cost(CELL_ARGUMENTS, p, t, from_r + ((way_r * mix.share) >> 6), from_g + ((way_g * mix.share) >> 6),
                       from_b + ((way_b * mix.share) >> 6)) +
             contrast_cost(CELL_ARGUMENTS, p, t, first, second, mix.share);
  return mix;
}

SHARED(Mix) cheaper_mix(Mix a, Mix b) {
  MASK first = a.cost <= b.cost;
  Mix mix;
  mix.first = select(first, a.first, b.first);
  mix.second = select(first, a.second, b.second);
  mix.share = select(first, a.share, b.share);
  mix.cost = select(first, a.cost, b.cost);
  return mix;
}

SHARED(MASK) same_pair(UINT first, UINT second, CELL cell) {
  return either(both(first == cell.foreground, second == cell.background),
                both(first == cell.background, second == cell.foreground));
}

// Returns the mix with the lowest cost: `given`, or one of the mixes that the table at p.mix.mixes_at lists for the
// cell's mean color.
SHARED(Mix) best_listed(CELL_CONTEXT, IN(MapParameters) p, MixTarget t, Mix given, CELL previous, INT offset) {
  INT key = palette_key(clamp_8(t.r + offset), clamp_8(t.g + offset), clamp_8(t.b + offset));
  Mix best = given;
  for (uint k = 0u; k < MixesPerColor; ++k) {
    UINT word = GATHER(int(p.mix.mixes_at) + key * int(MixesPerColor) + int(k));
    Mix mix;
    mix.first = GATHER(broadcast(int(p.palette.colors_at)) + to_int(word & 255u)) | 0xFF000000u;
    mix.second = GATHER(broadcast(int(p.palette.colors_at)) + to_int((word >> 8) & 255u)) | 0xFF000000u;
    mix.share = to_int((word >> 16) & 127u);
    INT off = to_int(word >> 23);
    mix.cost = smaller((off * off) >> 2, broadcast(MixMostCost)) * MixMeanWeight +
               contrast_cost(CELL_ARGUMENTS, p, t, mix.first, mix.second, mix.share);
    if (p.history.keep != 0u) {
      mix.cost -= select(same_pair(mix.first, mix.second, previous), broadcast(int(p.history.stability) * MixStability), broadcast(0));
    }
    best = cheaper_mix(best, mix);
  }
  return best;
}

// Returns the mix with the lowest cost: one of the mixes that the table at p.mix.mixes_at lists for the cell's mean
// color; a mix of the palette colors nearest to the cell's two main colors; or a mix of the previous frame's two
// colors.
SHARED(Mix) best_mix(CELL_CONTEXT, IN(MapParameters) p, MixTarget t, CELL previous, INT offset) {
  UINT first = nearest_color(CELL_ARGUMENTS, p, pack_color(t.above_r, t.above_g, t.above_b), offset);
  UINT second = nearest_color(CELL_ARGUMENTS, p, pack_color(t.below_r, t.below_g, t.below_b), offset);
  Mix best = best_listed(CELL_ARGUMENTS, p, t, mix_of(CELL_ARGUMENTS, p, t, first, second), previous, offset);
  if (p.history.keep != 0u) {
    Mix kept = mix_of(CELL_ARGUMENTS, p, t, previous.foreground, previous.background);
    kept.cost -= int(p.history.stability) * MixStability + (absolute(best.cost) >> 10) * int(p.history.stability);
    best = cheaper_mix(kept, best);
  }
  return best;
}

// Returns how much worse a glyph is than a blank cell. `product`: the dot product of the glyph's and the cell's
// features, which are the samples projected on the difference between the ink and the background. `square`: the
// contrast of the two colors, in the scale of features. `ink_share`: how much of the cell should be ink. `word`: the
// glyph's word at p.mix.forms_at.
SHARED(INT) mixed_score(INT product, INT square, INT ink_share, INT word) {
  INT deviation = word & 1023;
  INT off = (word >> 10) - ink_share;
  INT missed = smaller(off * off * MixShareWeight, broadcast(1 << 20));
  return square * ((deviation * deviation) + missed) - ((product * MixGain) >> 3) * deviation;
}

// Returns the cell that shows a mix best. The foreground may be either color of the mix.
SHARED(CELL) mixed_glyph(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) samples_of_cell, UINT mean, Mix mix, CELL previous,
                         MASK busy) {
  UINT level = GATHER(broadcast(int(p.mix.levels_at)) + mix.share);
  INT best = to_int(level & 0x7FFFu);
  MASK swapped = (level & 0x8000u) != 0u;
  // The samples keep their colors: contrast_color() is not applied to them. Instead, the direction on which they are
  // projected has its chroma reduced a second time. The inner product of a sample and this direction is the same as
  // with contrast_color(), except that the samples keep their own luma.
  ContrastColor away = pair_contrast(CELL_ARGUMENTS, p, mix.first, mix.second);
  ContrastColor direction = with_less_chroma(code_luma(away.r, away.g, away.b), away.r, away.g, away.b);
  INT r = 2 * direction.r;
  INT g = 4 * direction.g;
  INT b = direction.b;
  INT largest = larger(larger(absolute(r), absolute(g)), larger(absolute(b), broadcast(1)));
  INT square = divide((2 * away.r * away.r + 4 * away.g * away.g + away.b * away.b) << 4, largest);
  square = larger((square * int(p.mix.scale)) >> 16, broadcast(1));
  if (any_of(busy)) {
    DIVISOR by = divisor(largest);
    Direction d;
    d.r = divide_round(r * 32, by) * 2;
    d.g = divide_round(g * 32, by) * 2;
    d.b = divide_round(b * 32, by) * 2;
    Projection to = projection(d, mean);
    Features f;
    for (uint j = 0u; j < p.forms.feature_pairs; ++j) f.pair[j] = feature_pair(samples_of_cell, p, j, to);
    INT rest = int(MixOne) - mix.share;
    INT least = broadcast(2147483647);
    INT found = broadcast(0);
    for (uint glyph = 0u; glyph < p.forms.narrow; ++glyph) {
      INT product = feature_product(CELL_ARGUMENTS, p, f, glyph) >> 8;
      int word = int(TABLE(p.mix.forms_at + glyph));
      INT as_ink = mixed_score(product, square, mix.share, broadcast(word));
      INT as_rest = mixed_score(-product, square, rest, broadcast(word));
      INT score = smaller(as_ink, as_rest);
      MASK better = score < least;
      found = select(better, select(as_rest < as_ink, broadcast(int(glyph) + 0x8000), broadcast(int(glyph))), found);
      least = smaller(score, least);
    }
    if (p.history.keep != 0u) {
      INT kept = to_int(previous.glyph);
      MASK as_rest = previous.foreground == mix.second;
      INT product = own_product(CELL_ARGUMENTS, p, f, kept) >> 8;
      INT score = mixed_score(select(as_rest, -product, product), square, select(as_rest, rest, mix.share),
                              to_int(GATHER(broadcast(int(p.mix.forms_at)) + kept)));
      INT margin = (absolute(least) >> 12) * int(p.history.stability) + square * (int(p.history.stability) << MixKeptGlyph);
      MASK stays = both(same_pair(mix.first, mix.second, previous), score <= least + margin);
      found = select(stays, select(as_rest, kept + 0x8000, kept), found);
    }
    best = select(busy, found & 0x7FFF, best);
    swapped = select(busy, found, select(swapped, broadcast(0x8000), broadcast(0))) >= 0x8000;
  }
  CELL cell;
  cell.glyph = to_uint(best);
  cell.foreground = select(swapped, mix.second, mix.first);
  cell.background = select(swapped, mix.first, mix.second);
  return cell;
}

// In a cell without detail, keeps the previous frame's glyph and colors if these are the mix's two colors and mix.first
// fills about mix.share of the cell.
SHARED(CELL) steady_mix(CELL_CONTEXT, IN(MapParameters) p, Mix mix, CELL cell, CELL previous, MASK busy) {
  if (p.history.keep == 0u) return cell;
  INT word = to_int(GATHER(broadcast(int(p.mix.forms_at)) + to_int(previous.glyph)));
  INT share = select(previous.foreground == mix.first, word >> 10, int(MixOne) - (word >> 10));
  INT off = select(busy, broadcast(int(MixOne)), absolute(share - mix.share));
  MASK stays = both(same_pair(mix.first, mix.second, previous), off * MixKeptShare <= int(p.history.stability));
  CELL kept = cell;
  kept.glyph = select(stays, previous.glyph, cell.glyph);
  kept.foreground = select(stays, previous.foreground, cell.foreground);
  kept.background = select(stays, previous.background, cell.background);
  return kept;
}

// For palettes with fits_palette: returns `fitted`, the cell in its fitted colors, with both colors replaced with the
// nearest palette colors. If one of the mixes that the table at p.mix.mixes_at lists for the cell's mean color has a
// lower cost, returns the cell with the best of these mixes instead. `error`: ColorFit::error of the fitted colors.
SHARED(CELL) fitted_or_mixed(CELL_CONTEXT, IN(MapParameters) p, MixTarget t, CELL fitted, INT error, CELL previous,
                             INT offset) {
  CELL cell = snapped_cell(CELL_ARGUMENTS, p, fitted, offset);
  INT share = to_int(GATHER(broadcast(int(p.mix.forms_at)) + to_int(cell.glyph)) >> 10);
  INT r = sample_red(cell.background);
  INT g = sample_green(cell.background);
  INT b = sample_blue(cell.background);
  INT way_r = sample_red(cell.foreground) * sample_red(cell.foreground) - r * r;
  INT way_g = sample_green(cell.foreground) * sample_green(cell.foreground) - g * g;
  INT way_b = sample_blue(cell.foreground) * sample_blue(cell.foreground) - b * b;
  Mix none;
  none.first = cell.foreground;
  none.second = cell.background;
  none.share = broadcast(0);
  none.cost = mean_cost(CELL_ARGUMENTS, p, t, r * r + ((way_r * share) >> 6), g * g + ((way_g * share) >> 6),
                        b * b + ((way_b * share) >> 6)) + (error >> 4) * MixFitWeight;
  if (p.history.keep != 0u) {
    none.cost -= select(cell.glyph == previous.glyph, broadcast(int(p.history.stability) * MixStability), broadcast(0));
  }
  Mix mix = best_listed(CELL_ARGUMENTS, p, t, none, previous, offset);
  MASK mixed = mix.cost < none.cost;
  UINT level = GATHER(broadcast(int(p.mix.levels_at)) + mix.share);
  MASK swapped = (level & 0x8000u) != 0u;
  CELL drawn;
  drawn.glyph = level & 0x7FFFu;
  drawn.foreground = select(swapped, mix.second, mix.first);
  drawn.background = select(swapped, mix.first, mix.second);
  drawn = steady_mix(CELL_ARGUMENTS, p, mix, drawn, previous, broadcast(0) != 0);
  cell.glyph = select(mixed, drawn.glyph, cell.glyph);
  cell.foreground = select(mixed, drawn.foreground, cell.foreground);
  cell.background = select(mixed, drawn.background, cell.background);
  return cell;
}

// Returns, for one channel, the code value of the light that a glyph in two colors emits.
SHARED(INT) emitted_code(CELL_CONTEXT, IN(MapParameters) p, GlyphSums s, INT foreground, INT background) {
  INT square = to_int(drawn_squares(s, foreground, background));
  return code_root(CELL_ARGUMENTS, p, divide_by_samples(square >> 10, p));
}

// Returns a target's mean color minus a cell's mean color: three signed bytes, packed like colors.
SHARED(UINT) mean_error(CELL_CONTEXT, IN(MapParameters) p, MixTarget t, CELL cell) {
  GlyphSums s = pixel_sums(CELL_ARGUMENTS, p, to_int(cell.glyph));
  UINT ink = cell.foreground;
  UINT rest = cell.background;
  INT r = t.r - emitted_code(CELL_ARGUMENTS, p, s, sample_red(ink), sample_red(rest));
  INT g = t.g - emitted_code(CELL_ARGUMENTS, p, s, sample_green(ink), sample_green(rest));
  INT b = t.b - emitted_code(CELL_ARGUMENTS, p, s, sample_blue(ink), sample_blue(rest));
  INT most = broadcast(127);
  return (to_uint(smaller(larger(r, -most), most) & 255) << 16) | (to_uint(smaller(larger(g, -most), most) & 255) << 8) |
         to_uint(smaller(larger(b, -most), most) & 255);
}

// Returns the code value that makes up for neighbors that emit the light of `code - error` instead of `code`.
SHARED(INT) compensating_code(CELL_CONTEXT, IN(MapParameters) p, INT code, INT error) {
  INT square = code * code + 2 * code * error - error * error;
  return code_root(CELL_ARGUMENTS, p, smaller(larger(square, broadcast(0)), broadcast(255 * 255)));
}

// Returns what must be added to the target of a cell to compensate for its neighbors' errors.
SHARED(Residuals) compensation(CELL_CONTEXT, IN(MapParameters) p, MixTarget t, INT column, INT row) {
  Residuals none;
  none.r = none.g = none.b = broadcast(0);
  if (p.two_pass == 0u) return none;
  MASK compensates = ((column + row) & 1) != 0;
  Residuals sum = neighbor_errors(CELL_ARGUMENTS);
  Residuals change;
  change.r = compensating_code(CELL_ARGUMENTS, p, t.r, (sum.r * MixCompensation) >> 6) - t.r;
  change.g = compensating_code(CELL_ARGUMENTS, p, t.g, (sum.g * MixCompensation) >> 6) - t.g;
  change.b = compensating_code(CELL_ARGUMENTS, p, t.b, (sum.b * MixCompensation) >> 6) - t.b;
  change.r = select(compensates, change.r, broadcast(0));
  change.g = select(compensates, change.g, broadcast(0));
  change.b = select(compensates, change.b, broadcast(0));
  return change;
}

SHARED(MixTarget) moved_target(MixTarget t, Residuals change) {
  MixTarget moved = t;
  moved.r = clamp_8(t.r + change.r);
  moved.g = clamp_8(t.g + change.g);
  moved.b = clamp_8(t.b + change.b);
  moved.above_r = clamp_8(t.above_r + change.r);
  moved.above_g = clamp_8(t.above_g + change.g);
  moved.above_b = clamp_8(t.above_b + change.b);
  moved.below_r = clamp_8(t.below_r + change.r);
  moved.below_g = clamp_8(t.below_g + change.g);
  moved.below_b = clamp_8(t.below_b + change.b);
  return moved;
}

SHARED(UINT) moved_color(UINT color, Residuals change) {
  return pack_color(clamp_8(sample_red(color) + change.r), clamp_8(sample_green(color) + change.g),
                    clamp_8(sample_blue(color) + change.b));
}

// Maps a cell in full color with a coarse palette (fits_palette is 0). `drafted`: whether this is the draft, which
// stores the cell's mean_error() for the neighbors.
SHARED(CELL) map_mixed(CELL_CONTEXT, IN(MapParameters) p, CELL previous, INT column, INT row, bool drafted) {
  CellSamples samples_of_cell = load_samples(CELL_ARGUMENTS, p);
  WeightedSums none;
  none.r = none.g = none.b = broadcast(0);
  Moments m = moments_of(sample_sums(samples_of_cell, p), none, p);
  // The previous frame's cell had no detail if it shows the glyph that levels_at has for the Mix::share of that cell.
  // Which of its two colors was Mix::first is unknown, so both possible shares are checked: the glyph's coverage, and
  // MixOne minus this coverage.
  INT covered = to_int(GATHER(broadcast(int(p.mix.forms_at)) + to_int(previous.glyph)) >> 10);
  INT as_ink = to_int(GATHER(broadcast(int(p.mix.levels_at)) + covered) & 0x7FFFu);
  INT as_rest = to_int(GATHER(int(p.mix.levels_at + MixOne) - covered) & 0x7FFFu);
  MASK busy = is_busy(p, m, previous, select(to_int(previous.glyph) == as_ink, as_ink, as_rest));
  MixTarget own = mix_target(CELL_ARGUMENTS, p, m);
  MixTarget target = own;
  if (!drafted) target = moved_target(own, compensation(CELL_ARGUMENTS, p, own, column, row));
  Mix mix = best_mix(CELL_ARGUMENTS, p, target, previous, dither_offset(CELL_ARGUMENTS, p, column, row));
  CELL cell = mixed_glyph(CELL_ARGUMENTS, p, samples_of_cell, mean_color(m, p), mix, previous, busy);
  cell = steady_mix(CELL_ARGUMENTS, p, mix, cell, previous, busy);
  if (drafted) STORE_DRAFT(DraftMeanError, mean_error(CELL_ARGUMENTS, p, own, cell));
  return cell;
}
