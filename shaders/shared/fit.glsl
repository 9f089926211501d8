// The two colours of a cell with a glyph, by least squares. Requires structs.glsl and cell_samples.glsl.
//
// Notation: a cell has N samples t[i] in three channels; a glyph covers a[i] of sample i, 0 to CoverageOne = 32.
// Drawn with ink A and paper B, sample i shows (A a[i] + B (32 - a[i])) / 32.

// Sums over a cell's samples; v_* are N^2 times (co)variances.
struct Moments {
  INT sum_r, sum_g, sum_b;
  INT square_r, square_g, square_b;  // sums of squares
  INT v_rr, v_gg, v_bb, v_rg, v_rb, v_gb;
};

// numerator / denominator rounded to nearest, halves away from zero. |numerator| + denominator / 2 < 2^31.
SHARED(INT) divide_round(INT numerator, INT denominator) {
  INT quotient = divide(absolute(numerator) + (denominator >> 1), denominator);
  return select(numerator < 0, -quotient, quotient);
}

// numerator / the samples of a cell, rounded as divide_round() does: mostly a power of two, which needs no division.
SHARED(INT) divide_by_samples(INT numerator, IN(MapParameters) p) {
  if ((p.sample_count & (p.sample_count - 1u)) == 0u) {
    uint log2 = 0u;
    while ((1u << log2) < p.sample_count) ++log2;
    // Shifting rounds down: one less below zero, so that halves go away from it there too.
    return log2 == 0u ? numerator : (numerator + int(p.sample_count >> 1) + (numerator >> 31)) >> log2;
  }
  return divide_round(numerator, broadcast(int(p.sample_count)));
}

// Of as many samples as `p` says.
SHARED(Moments) with_variances(SampleSums s, IN(MapParameters) p) {
  Moments m;
  m.sum_r = s.r;
  m.sum_g = s.g;
  m.sum_b = s.b;
  m.square_r = s.rr;
  m.square_g = s.gg;
  m.square_b = s.bb;
  int n = int(p.sample_count);
  m.v_rr = n * s.rr - s.r * s.r;
  m.v_gg = n * s.gg - s.g * s.g;
  m.v_bb = n * s.bb - s.b * s.b;
  m.v_rg = n * s.rg - s.r * s.g;
  m.v_rb = n * s.rb - s.r * s.b;
  m.v_gb = n * s.gb - s.g * s.b;
  return m;
}

SHARED(Moments) measure(IN(Smoothed) samples_of, IN(MapParameters) p) {
  return with_variances(sample_sums(samples_of, p), p);
}

// The error that the mean colour alone leaves, as ColorFit::error.
SHARED(UINT) flat_error(Moments m, IN(MapParameters) p) {
  return to_uint(divide(m.v_rr + 2 * m.v_gg + (m.v_bb >> 1), broadcast(int(p.sample_count)))) << 8;
}

SHARED(UINT) mean_color(Moments m, IN(MapParameters) p) {
  return pack_color(divide_by_samples(m.sum_r, p), divide_by_samples(m.sum_g, p), divide_by_samples(m.sum_b, p));
}

// Two colours and the squared error that they leave with one glyph, weighted about as luma is, in units of 1/256.
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

SHARED(GlyphSums) sums_of(IN(MapParameters) p, INT a, INT aa) {
  GlyphSums s;
  s.a = a;
  s.aa = aa;
  int n = int(p.sample_count);
  s.ab = 32 * s.a - s.aa;
  s.bb = 1024 * n - 64 * s.a + s.aa;
  s.variance = n * s.aa - s.a * s.a;
  return s;
}

// Of the pixels, not low-passed.
SHARED(GlyphSums) pixel_sums(CELL_CONTEXT, IN(MapParameters) p, INT glyph) {
  INT at = broadcast(int(p.sums_at)) + glyph * 4;
  return sums_of(p, to_int(GATHER(at + 2)), to_int(GATHER(at + 3)));
}

// Ink and paper of one channel by joint least squares. Where one leaves 0..255 it is fixed at the bound and the other
// takes what keeps the cell's mean; the better of the two orders of fixing is not searched, since the caller compares
// true errors.
struct ChannelFit {
  INT ink, paper;
  UINT error;  // in units of 1/1024
};

// Sum over samples of (A a + B (32 - a) - 32 t)^2 = ((A - B) a + 32 (B - t))^2: at most 64 * 255^2 * 1024 < 2^32, so
// wrapping sums are exact.
SHARED(UINT) channel_error(GlyphSums s, IN(MapParameters) p, INT ink, INT paper, INT sum_t, INT sum_tt, INT sum_at) {
  INT contrast = ink - paper;
  return to_uint(contrast * contrast) * to_uint(s.aa) + 64u * (to_uint(contrast) * to_uint(paper * s.a - sum_at)) +
         1024u * to_uint(paper * (int(p.sample_count) * paper - 2 * sum_t) + sum_tt);
}

SHARED(ChannelFit) fit_channel(GlyphSums s, IN(MapParameters) p, INT sum_t, INT sum_tt, INT sum_at) {
  int n = int(p.sample_count);
  // At most (64 / 2)^2 * 32 * 255 and 256 times that: 2^31 less 0.4 %.
  INT covariance = n * sum_at - s.a * sum_t;
  // Slope in 1/256 of a code value per 1/32 of coverage; flat glyphs keep the mean in both colours.
  INT slope = select(s.variance > 0,
                     divide_round(covariance * 256, larger(s.variance, broadcast(1))), broadcast(0));
  INT bound = broadcast(65535);
  slope = smaller(larger(slope, -bound), bound);
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
    INT uncovered = 32 * n - s.a;
    INT rest = 32 * sum_t - select(ink_out, ink * s.a, paper * uncovered);
    INT share = select(ink_out, uncovered, s.a);
    INT again = clamp_8(divide_round(rest, larger(share, broadcast(1))));
    fit.paper = select(ink_out, again, paper);
    fit.ink = select(ink_out, ink, select(paper_out, again, ink));
  }
  fit.error = channel_error(s, p, fit.ink, fit.paper, sum_t, sum_tt, sum_at);
  return fit;
}

// Both colours by least squares for these sums of the coverage.
SHARED(ColorFit) fit_sums(IN(MapParameters) p, Moments m, CoverageSums c) {
  GlyphSums s = sums_of(p, c.a, c.aa);
  ChannelFit r = fit_channel(s, p, m.sum_r, m.square_r, c.at_r);
  ChannelFit g = fit_channel(s, p, m.sum_g, m.square_g, c.at_g);
  ChannelFit b = fit_channel(s, p, m.sum_b, m.square_b, c.at_b);
  ColorFit fit;
  fit.fg_r = r.ink;
  fit.fg_g = g.ink;
  fit.fg_b = b.ink;
  fit.bg_r = r.paper;
  fit.bg_g = g.paper;
  fit.bg_b = b.paper;
  fit.error = (r.error >> 2) + (g.error >> 1) + (b.error >> 3);  // about luma's weights; 3.5 times 2^30 fits
  return fit;
}

// Both colours by least squares for a given glyph.
SHARED(ColorFit) fit_colors(CELL_CONTEXT, IN(MapParameters) p, IN(Smoothed) cell_samples, Moments m, INT glyph) {
  return fit_sums(p, m, coverage_sums(CELL_ARGUMENTS, p, cell_samples, glyph));
}

// How much a channel's two colours must be scaled, 256 = 1, so that the drawn pixels give the light that the samples
// had. Light is code values squared here, which a glyph's sums give in closed form; the true curve is steeper, hence
// 166 in place of 128 (half the ratio in 1/256, the derivative of a square root, times 1.3).
SHARED(INT) light_correction(GlyphSums s, INT ink, INT paper, INT square) {
  UINT wanted = (to_uint(square) * 1024u) >> 12;
  UINT drawn = (to_uint(ink * ink) * to_uint(s.aa) + to_uint(2 * ink * paper) * to_uint(s.ab) +
                to_uint(paper * paper) * to_uint(s.bb)) >> 12;
  INT light = to_int(drawn);
  INT factor = 256 + divide_round((to_int(wanted) - light) * 166, larger(light, broadcast(1)));
  return smaller(larger(factor, broadcast(192)), broadcast(341));
}

SHARED(INT) scale_code(INT code, INT factor) { return clamp_8((code * factor + 128) >> 8); }

// `s`: of the glyph's pixels; `square_*`: of the samples as they were.
SHARED(ColorFit) correct_light(GlyphSums s, INT square_r, INT square_g, INT square_b, ColorFit fit) {
  INT r = light_correction(s, fit.fg_r, fit.bg_r, square_r);
  INT g = light_correction(s, fit.fg_g, fit.bg_g, square_g);
  INT b = light_correction(s, fit.fg_b, fit.bg_b, square_b);
  ColorFit corrected = fit;
  corrected.fg_r = scale_code(fit.fg_r, r);
  corrected.fg_g = scale_code(fit.fg_g, g);
  corrected.fg_b = scale_code(fit.fg_b, b);
  corrected.bg_r = scale_code(fit.bg_r, r);
  corrected.bg_g = scale_code(fit.bg_g, g);
  corrected.bg_b = scale_code(fit.bg_b, b);
  return corrected;
}
