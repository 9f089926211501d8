// From the samples of a cell to its glyph and two colours. Requires structs.glsl and color.glsl.
//
// Notation: a cell has N samples t[i] in three channels; a glyph covers a[i] of sample i, 0 to CoverageOne = 32.
// Drawn with ink A and paper B, sample i shows (A a[i] + B (32 - a[i])) / 32.

struct CELL {
  UINT glyph;
  UINT foreground;
  UINT background;
};

// Sums over a cell's samples; m_* are means, v_* are N^2 times (co)variances.
struct Moments {
  INT sum_r, sum_g, sum_b;
  INT square_r, square_g, square_b;  // sums of squares
  INT v_rr, v_gg, v_bb, v_rg, v_rb, v_gb;
};

SHARED(INT) absolute(INT x) { return select(x < 0, -x, x); }

// numerator / denominator rounded to nearest, halves away from zero. |numerator| < 2^30, 0 < denominator < 2^30.
SHARED(INT) divide_round(INT numerator, INT denominator) {
  INT quotient = divide(absolute(numerator) + (denominator >> 1), denominator);
  return select(numerator < 0, -quotient, quotient);
}

// numerator / the samples of a cell, rounded as divide_round() does: mostly a power of two, which needs no division.
SHARED(INT) divide_by_samples(INT numerator, IN(MapParameters) p) {
  INT magnitude = absolute(numerator) + int(p.sample_count >> 1);
  INT quotient;
  if ((p.sample_count & (p.sample_count - 1u)) == 0u) {
    uint log2 = 0u;
    while ((1u << log2) < p.sample_count) ++log2;
    quotient = magnitude >> log2;
  } else {
    quotient = divide(magnitude, broadcast(int(p.sample_count)));
  }
  return select(numerator < 0, -quotient, quotient);
}

SHARED(Moments) measure(CELL_CONTEXT, IN(MapParameters) p) {
  Moments m;
  m.sum_r = broadcast(0); m.sum_g = broadcast(0); m.sum_b = broadcast(0);
  m.square_r = broadcast(0); m.square_g = broadcast(0); m.square_b = broadcast(0);
  INT rg = broadcast(0);
  INT rb = broadcast(0);
  INT gb = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) {
    UINT t = SAMPLE(i);
    INT r = sample_red(t);
    INT g = sample_green(t);
    INT b = sample_blue(t);
    m.sum_r += r;
    m.sum_g += g;
    m.sum_b += b;
    m.square_r += r * r;
    m.square_g += g * g;
    m.square_b += b * b;
    rg += r * g;
    rb += r * b;
    gb += g * b;
  }
  int n = int(p.sample_count);
  m.v_rr = n * m.square_r - m.sum_r * m.sum_r;
  m.v_gg = n * m.square_g - m.sum_g * m.sum_g;
  m.v_bb = n * m.square_b - m.sum_b * m.sum_b;
  m.v_rg = n * rg - m.sum_r * m.sum_g;
  m.v_rb = n * rb - m.sum_r * m.sum_b;
  m.v_gb = n * gb - m.sum_g * m.sum_b;
  return m;
}

SHARED(UINT) mean_color(Moments m, IN(MapParameters) p) {
  return pack_color(divide_by_samples(m.sum_r, p), divide_by_samples(m.sum_g, p), divide_by_samples(m.sum_b, p));
}

// Two colours and the squared error that they leave with one glyph, in units of 1/256.
struct ColorFit {
  INT fg_r, fg_g, fg_b;
  INT bg_r, bg_g, bg_b;
  UINT error;
};

// What a least-squares fit needs to know of one glyph.
struct GlyphSums {
  INT aa, ab, bb;  // sums of a a, a (32 - a), (32 - a)^2
  INT a;           // sum of a
  INT variance;    // N aa - a a
};

SHARED(GlyphSums) glyph_sums(CELL_CONTEXT, IN(MapParameters) p, INT glyph) {
  GlyphSums s;
  INT at = broadcast(int(p.sums_at)) + glyph * 2;
  s.a = to_int(GATHER(at));
  s.aa = to_int(GATHER(at + 1));
  int n = int(p.sample_count);
  s.ab = 32 * s.a - s.aa;
  s.bb = 1024 * n - 64 * s.a + s.aa;
  s.variance = n * s.aa - s.a * s.a;
  return s;
}

// Ink and paper of one channel by joint least squares. Where one leaves 0..255 it is fixed at the bound and the other
// solved again; the better of the two orders of fixing is not searched, since the caller compares true errors.
struct ChannelFit {
  INT ink, paper;
  UINT error;  // in units of 1/1024
};

// Sum over samples of (A a + B (32 - a) - 32 t)^2: at most 32 * 255^2 * 1024 < 2^32, so wrapping sums are exact.
SHARED(UINT) channel_error(GlyphSums s, INT ink, INT paper, INT at, INT bt, INT tt) {
  return to_uint(ink * ink) * to_uint(s.aa) + to_uint(paper * paper) * to_uint(s.bb) +
         to_uint(2 * ink * paper) * to_uint(s.ab) + to_uint(tt) * 1024u -
         64u * (to_uint(ink) * to_uint(at) + to_uint(paper) * to_uint(bt));
}

SHARED(ChannelFit) fit_channel(GlyphSums s, IN(MapParameters) p, INT sum_t, INT sum_tt, INT sum_at) {
  int n = int(p.sample_count);
  INT sum_bt = 32 * sum_t - sum_at;
  INT covariance = n * sum_at - s.a * sum_t;
  // Slope in 1/256 of a code value per 1/32 of coverage; flat glyphs keep the mean in both colours.
  INT slope = select(s.variance > 0,
                     divide_round(covariance * 256, select(s.variance > 0, s.variance, broadcast(1))), broadcast(0));
  INT bound = broadcast(65535);
  slope = select(slope > bound, bound, select(slope < -bound, -bound, slope));
  INT paper_256 = divide_by_samples(sum_t * 256 - slope * s.a, p);
  INT ink_256 = paper_256 + slope * 32;
  INT paper = (paper_256 + 128) >> 8;
  INT ink = (ink_256 + 128) >> 8;

  MASK ink_out = ink != clamp_8(ink);
  MASK paper_out = paper != clamp_8(paper);
  ink = clamp_8(ink);
  paper = clamp_8(paper);
  ChannelFit fit;
  fit.paper = paper;
  fit.ink = ink;
  if (any_of(either(ink_out, paper_out))) {
    INT paper_again = clamp_8(divide_round(32 * sum_bt - ink * s.ab, select(s.bb == 0, broadcast(1), s.bb)));
    INT ink_again = clamp_8(divide_round(32 * sum_at - paper * s.ab, select(s.aa == 0, broadcast(1), s.aa)));
    fit.paper = select(ink_out, paper_again, paper);
    fit.ink = select(ink_out, ink, select(paper_out, ink_again, ink));
  }
  fit.error = channel_error(s, fit.ink, fit.paper, sum_at, sum_bt, sum_tt);
  return fit;
}

// The ink alone, the paper given.
SHARED(ChannelFit) fit_ink(GlyphSums s, int paper, INT sum_t, INT sum_tt, INT sum_at) {
  INT sum_bt = 32 * sum_t - sum_at;
  ChannelFit fit;
  fit.paper = broadcast(paper);
  fit.ink = clamp_8(divide_round(32 * sum_at - paper * s.ab, select(s.aa == 0, broadcast(1), s.aa)));
  fit.error = channel_error(s, fit.ink, fit.paper, sum_at, sum_bt, sum_tt);
  return fit;
}

// Both colours, or the ink alone where the colour mode fixes the paper, for a given glyph.
SHARED(ColorFit) fit_colors(CELL_CONTEXT, IN(MapParameters) p, Moments m, INT glyph) {
  INT at_r = broadcast(0);
  INT at_g = broadcast(0);
  INT at_b = broadcast(0);
  INT word_at = broadcast(int(p.coverage_at)) + glyph * int(MaxSamples / 4u);
  for (uint i = 0u; i < p.sample_count; i += 4u) {
    UINT four = GATHER(word_at);
    word_at += 1;
    for (uint j = 0u; j < 4u; ++j) {
      if (i + j < p.sample_count) {
        INT a = to_int((four >> (8u * j)) & 255u);
        UINT t = SAMPLE(i + j);
        at_r += a * sample_red(t);
        at_g += a * sample_green(t);
        at_b += a * sample_blue(t);
      }
    }
  }
  GlyphSums s = glyph_sums(CELL_ARGUMENTS, p, glyph);
  ChannelFit r;
  ChannelFit g;
  ChannelFit b;
  if (p.color == ColorFull) {
    r = fit_channel(s, p, m.sum_r, m.square_r, at_r);
    g = fit_channel(s, p, m.sum_g, m.square_g, at_g);
    b = fit_channel(s, p, m.sum_b, m.square_b, at_b);
  } else {
    r = fit_ink(s, int((p.background >> 16) & 255u), m.sum_r, m.square_r, at_r);
    g = fit_ink(s, int((p.background >> 8) & 255u), m.sum_g, m.square_g, at_g);
    b = fit_ink(s, int(p.background & 255u), m.sum_b, m.square_b, at_b);
  }
  ColorFit fit;
  fit.fg_r = r.ink;
  fit.fg_g = g.ink;
  fit.fg_b = b.ink;
  fit.bg_r = r.paper;
  fit.bg_g = g.paper;
  fit.bg_b = b.paper;
  fit.error = (r.error >> 2) + (g.error >> 2) + (b.error >> 2);  // three times 2^30 fits
  return fit;
}

SHARED(CELL) cell_of(INT glyph, ColorFit fit) {
  CELL cell;
  cell.glyph = to_uint(glyph);
  cell.foreground = pack_color(fit.fg_r, fit.fg_g, fit.fg_b);
  cell.background = pack_color(fit.bg_r, fit.bg_g, fit.bg_b);
  return cell;
}

// Mean linear light of the cell's luma, 16 bits.
SHARED(INT) mean_light(CELL_CONTEXT, IN(MapParameters) p) {
  INT sum = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) {
    sum += to_int(GATHER(broadcast(int(p.linear_at)) + sample_luma(SAMPLE(i))));
  }
  return divide_by_samples(sum, p);
}

// The glyph whose measured ink gives the cell's tone, averaged in linear light.
SHARED(INT) ramp_glyph(CELL_CONTEXT, IN(MapParameters) p) {
  INT tone = to_int(GATHER(broadcast(int(p.encode_at)) + (mean_light(CELL_ARGUMENTS, p) >> 4)));
  return to_int(GATHER(broadcast(int(p.ramp_at)) + tone));
}

SHARED(UINT) pack_pair(INT low, INT high) { return (to_uint(low) & 0xFFFFu) | (to_uint(high) << 16); }

// The direction in RGB along which the samples differ most, 64 = 1: one step of the power iteration on their
// covariance from its largest diagonal element. For cells of two colours, which is most cells, it is exact, and it
// reduces the three-channel match to one inner product per glyph.
struct Direction {
  INT r, g, b;
};

SHARED(Direction) principal_direction(Moments m) {
  MASK red = both(m.v_rr >= m.v_gg, m.v_rr >= m.v_bb);
  MASK green = m.v_gg >= m.v_bb;
  INT largest = select(red, m.v_rr, select(green, m.v_gg, m.v_bb));
  largest = select(largest > 0, largest, broadcast(1));
  Direction d;
  d.r = divide_round(select(red, m.v_rr, select(green, m.v_rg, m.v_rb)) * 32, largest) * 2;
  d.g = divide_round(select(red, m.v_rg, select(green, m.v_gg, m.v_gb)) * 32, largest) * 2;
  d.b = divide_round(select(red, m.v_rb, select(green, m.v_gb, m.v_bb)) * 32, largest) * 2;
  return d;
}

// The direction of the mean away from the paper, 64 = 1.
SHARED(Direction) ink_direction(Moments m, IN(MapParameters) p) {
  int n = int(p.sample_count);
  INT r = m.sum_r - n * int((p.background >> 16) & 255u);
  INT g = m.sum_g - n * int((p.background >> 8) & 255u);
  INT b = m.sum_b - n * int(p.background & 255u);
  INT largest = absolute(r);
  largest = select(absolute(g) > largest, absolute(g), largest);
  largest = select(absolute(b) > largest, absolute(b), largest);
  largest = select(largest > 0, largest, broadcast(1));
  Direction d;
  d.r = divide_round(r * 64, largest);
  d.g = divide_round(g * 64, largest);
  d.b = divide_round(b * 64, largest);
  return d;
}

// What every glyph's feature vector is multiplied with: pairs of signed 16-bit numbers.
struct Features {
  UINT pair[MaxSamples / 2u];
};

// Full colour: the samples less their mean, projected. Fg: the samples less the paper, projected.
SHARED(Features) projected_features(CELL_CONTEXT, IN(MapParameters) p, Moments m) {
  Direction d;
  INT zero;
  if (p.color == ColorFull) {
    d = principal_direction(m);
    zero = divide_by_samples(m.sum_r, p) * d.r + divide_by_samples(m.sum_g, p) * d.g +
           divide_by_samples(m.sum_b, p) * d.b;
  } else {
    d = ink_direction(m, p);
    zero = int((p.background >> 16) & 255u) * d.r + int((p.background >> 8) & 255u) * d.g +
           int(p.background & 255u) * d.b;
  }
  Features f;
  for (uint j = 0u; j < p.feature_pairs; ++j) {
    UINT first = SAMPLE(2u * j);
    INT low = (sample_red(first) * d.r + sample_green(first) * d.g + sample_blue(first) * d.b - zero) >> 1;
    INT high = broadcast(0);
    if (2u * j + 1u < p.sample_count) {
      UINT second = SAMPLE(2u * j + 1u);
      high = (sample_red(second) * d.r + sample_green(second) * d.g + sample_blue(second) * d.b - zero) >> 1;
    }
    f.pair[j] = pack_pair(low, high);
  }
  return f;
}

// The light wanted of the glyph, 12 bits: white asks for all that the brightest glyph can give.
SHARED(INT) wanted_light(INT light_12, IN(MapParameters) p) {
  INT light = light_12;
  if (p.invert_light != 0u) light = 4095 - light;
  return (light * int(p.light_gain) + 2048) >> 12;
}

// Mono: the cell's light low-passed into PooledCount numbers, and its mean.
SHARED(Features) light_features(CELL_CONTEXT, IN(MapParameters) p) {
  INT light[MaxSamples];
  for (uint i = 0u; i < p.sample_count; ++i) {
    light[i] = to_int(GATHER(broadcast(int(p.linear_at)) + sample_luma(SAMPLE(i))) >> 4);
  }
  INT pooled[PooledCount];
  for (uint k = 0u; k < PooledCount; ++k) {
    INT sum = broadcast(128);
    for (uint i = 0u; i < p.sample_count; ++i) {
      sum += int(TABLE(p.pool_at + k * p.sample_count + i)) * light[i];
    }
    pooled[k] = wanted_light(sum >> 8, p);
  }
  Features f;
  for (uint j = 0u; j < PooledCount / 2u; ++j) f.pair[j] = pack_pair(pooled[2u * j], pooled[2u * j + 1u]);
  f.pair[PooledCount / 2u] = pack_pair(int(MeanFeatureGain) * wanted_light(mean_light(CELL_ARGUMENTS, p) >> 4, p), broadcast(0));
  return f;
}

// The best-scoring glyphs, best first; equal scores keep the lower index first.
struct Candidates {
  INT glyph[CandidateCount];
  INT score[CandidateCount];
};

SHARED(INT) glyph_score(CELL_CONTEXT, IN(MapParameters) p, Features f, uint glyph) {
  uint at = p.features_at + glyph * p.feature_pairs;
#if SIDE_BY_SIDE
  // Two sums: each addition to one would wait for the last.
  INT even = broadcast(0);
  INT odd = broadcast(0);
  for (uint j = 0u; j + 1u < p.feature_pairs; j += 2u) {
    even = multiply_add_pairs(even, f.pair[j], TABLE(at + j));
    odd = multiply_add_pairs(odd, f.pair[j + 1u], TABLE(at + j + 1u));
  }
  uint last = p.feature_pairs - 1u;
  if ((p.feature_pairs & 1u) != 0u) even = multiply_add_pairs(even, f.pair[last], TABLE(at + last));
  INT score = even + odd;
#else
  INT score = broadcast(0);
  for (uint j = 0u; j < p.feature_pairs; ++j) score = multiply_add_pairs(score, f.pair[j], TABLE(at + j));
#endif
  // A glyph and its negative fit alike where both colours are free.
  if (p.color == ColorFull) return absolute(score);
  return score - int(TABLE(p.bias_at + glyph));
}

// Puts a glyph into its place, and those below one place down. Glyphs come in rising order, so equals keep theirs.
SHARED(Candidates) insert_candidate(Candidates c, INT score, uint glyph) {
  INT index = broadcast(int(glyph));
  for (uint k = CandidateCount - 1u; k > 0u; --k) {
    MASK above = score > c.score[k - 1u];
    MASK here = score > c.score[k];
    c.score[k] = select(above, c.score[k - 1u], select(here, score, c.score[k]));
    c.glyph[k] = select(above, c.glyph[k - 1u], select(here, index, c.glyph[k]));
  }
  MASK first = score > c.score[0];
  c.score[0] = select(first, score, c.score[0]);
  c.glyph[0] = select(first, index, c.glyph[0]);
  return c;
}

SHARED(Candidates) best_glyphs(CELL_CONTEXT, IN(MapParameters) p, Features f) {
  Candidates c;
  for (uint k = 0u; k < CandidateCount; ++k) {
    c.glyph[k] = broadcast(0);
    c.score[k] = broadcast(-2147483647);
  }
#if SIDE_BY_SIDE
  // Two at a time: most of either fall short, and one branch tells of both.
  for (uint glyph = 0u; glyph + 1u < p.glyph_count; glyph += 2u) {
    INT score = glyph_score(CELL_ARGUMENTS, p, f, glyph);
    INT next = glyph_score(CELL_ARGUMENTS, p, f, glyph + 1u);
    INT least = c.score[CandidateCount - 1u];
    if (any_of(either(score > least, next > least))) {
      c = insert_candidate(insert_candidate(c, score, glyph), next, glyph + 1u);
    }
  }
  if ((p.glyph_count & 1u) != 0u) {
    uint glyph = p.glyph_count - 1u;
    c = insert_candidate(c, glyph_score(CELL_ARGUMENTS, p, f, glyph), glyph);
  }
#else
  for (uint glyph = 0u; glyph < p.glyph_count; ++glyph) {
    INT score = glyph_score(CELL_ARGUMENTS, p, f, glyph);
    if (any_of(score > c.score[CandidateCount - 1u])) c = insert_candidate(c, score, glyph);
  }
#endif
  return c;
}

// Mono: fixed colours, so the nearest glyph is the answer.
SHARED(INT) nearest_glyph(CELL_CONTEXT, IN(MapParameters) p, Features f) {
  INT best = broadcast(0);
  INT best_score = broadcast(-2147483647);
  for (uint glyph = 0u; glyph < p.glyph_count; ++glyph) {
    INT score = glyph_score(CELL_ARGUMENTS, p, f, glyph);
    MASK better = score > best_score;
    best_score = select(better, score, best_score);
    best = select(better, broadcast(int(glyph)), best);
  }
  return best;
}

// The candidate with the least true error with its clamped 8-bit colours; equal errors take the lower glyph index.
SHARED(CELL) best_candidate(CELL_CONTEXT, IN(MapParameters) p, Moments m, Candidates c) {
  INT best = c.glyph[0];
  ColorFit best_fit = fit_colors(CELL_ARGUMENTS, p, m, best);
  uint count = p.glyph_count < CandidateCount ? p.glyph_count : CandidateCount;
  for (uint k = 1u; k < count; ++k) {
    INT glyph = c.glyph[k];
    ColorFit fit = fit_colors(CELL_ARGUMENTS, p, m, glyph);
    MASK better = either(fit.error < best_fit.error, both(fit.error == best_fit.error, glyph < best));
    best = select(better, glyph, best);
    best_fit.fg_r = select(better, fit.fg_r, best_fit.fg_r);
    best_fit.fg_g = select(better, fit.fg_g, best_fit.fg_g);
    best_fit.fg_b = select(better, fit.fg_b, best_fit.fg_b);
    best_fit.bg_r = select(better, fit.bg_r, best_fit.bg_r);
    best_fit.bg_g = select(better, fit.bg_g, best_fit.bg_g);
    best_fit.bg_b = select(better, fit.bg_b, best_fit.bg_b);
    best_fit.error = select(better, fit.error, best_fit.error);
  }
  return cell_of(best, best_fit);
}

// Ink that gives the cell's mean over a fixed paper with a glyph chosen by tone: B + (mean - B) 32 N / sum of a.
SHARED(INT) toned_ink(INT sum_t, INT sum_a, int paper, int n) {
  INT away = (sum_t - n * paper) * 32;
  return select(sum_a > 0, clamp_8(paper + divide_round(away, select(sum_a > 0, sum_a, broadcast(1)))), broadcast(paper));
}

SHARED(CELL) fixed_cell(INT glyph, IN(MapParameters) p) {
  CELL cell;
  cell.glyph = to_uint(glyph);
  cell.foreground = to_uint(broadcast(0)) | p.foreground;
  cell.background = to_uint(broadcast(0)) | p.background;
  return cell;
}

SHARED(CELL) map_ramp(CELL_CONTEXT, IN(MapParameters) p) {
  INT glyph = ramp_glyph(CELL_ARGUMENTS, p);
  if (p.color == ColorMono) return fixed_cell(glyph, p);
  Moments m = measure(CELL_ARGUMENTS, p);
  if (p.color == ColorFull) return cell_of(glyph, fit_colors(CELL_ARGUMENTS, p, m, glyph));
  INT sum_a = to_int(GATHER(broadcast(int(p.sums_at)) + glyph * 2));
  int n = int(p.sample_count);
  CELL cell = fixed_cell(glyph, p);
  cell.foreground = pack_color(toned_ink(m.sum_r, sum_a, int((p.background >> 16) & 255u), n),
                               toned_ink(m.sum_g, sum_a, int((p.background >> 8) & 255u), n),
                               toned_ink(m.sum_b, sum_a, int(p.background & 255u), n));
  return cell;
}

SHARED(CELL) map_shape(CELL_CONTEXT, IN(MapParameters) p) {
  if (p.color == ColorMono) {
    return fixed_cell(nearest_glyph(CELL_ARGUMENTS, p, light_features(CELL_ARGUMENTS, p)), p);
  }
  Moments m = measure(CELL_ARGUMENTS, p);
  if (p.color == ColorFg) {
    Features ink = projected_features(CELL_ARGUMENTS, p, m);
    return best_candidate(CELL_ARGUMENTS, p, m, best_glyphs(CELL_ARGUMENTS, p, ink));
  }
  // Flat cells take the blank glyph and their mean: no noise, and most of the work saved on flat video.
  UINT mean = mean_color(m, p);
  CELL plain;
  plain.glyph = to_uint(broadcast(int(p.blank_glyph)));
  plain.foreground = mean;
  plain.background = mean;
  int n = int(p.sample_count);
  MASK busy = m.v_rr + m.v_gg + m.v_bb >= int(p.gate) * n * n / 16;
  if (!any_of(busy)) return plain;
  Features f = projected_features(CELL_ARGUMENTS, p, m);
  CELL cell = best_candidate(CELL_ARGUMENTS, p, m, best_glyphs(CELL_ARGUMENTS, p, f));
  cell.glyph = select(busy, cell.glyph, plain.glyph);
  cell.foreground = select(busy, cell.foreground, plain.foreground);
  cell.background = select(busy, cell.background, plain.background);
  return cell;
}

SHARED(CELL) map_cell(CELL_CONTEXT, IN(MapParameters) p) {
  if (p.mode == ModeRamp) return map_ramp(CELL_ARGUMENTS, p);
  return map_shape(CELL_ARGUMENTS, p);
}
