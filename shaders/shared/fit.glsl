// The two colours of a cell with a glyph, by least squares. Requires structs.glsl and color.glsl.
//
// Notation: a cell has N samples t[i] in three channels; a glyph covers a[i] of sample i, 0 to CoverageOne = 32.
// Drawn with ink A and paper B, sample i shows (A a[i] + B (32 - a[i])) / 32.

// Sums over a cell's samples; v_* are N^2 times (co)variances.
struct Moments {
  INT sum_r, sum_g, sum_b;
  INT square_r, square_g, square_b;  // sums of squares
  INT product_rg, product_rb, product_gb;
  INT v_rr, v_gg, v_bb, v_rg, v_rb, v_gb;
};

SHARED(INT) absolute(INT x) { return select(x < 0, -x, x); }

// numerator / denominator rounded to nearest, halves away from zero. |numerator| + denominator / 2 < 2^31.
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

// A cell's samples, low-passed within it by 1 2 1 along both axes: eyes do not see single samples, and glyphs that are
// compared through the same low-pass (glyph_tables.cpp) win by what is seen. `square_*`: of the samples as they were.
struct Smoothed {
  UINT word[MaxSamples];
  INT square_r, square_g, square_b;
};

SHARED(Smoothed) smooth_samples(CELL_CONTEXT, IN(MapParameters) p) {
  Smoothed s;
  s.square_r = broadcast(0);
  s.square_g = broadcast(0);
  s.square_b = broadcast(0);
  UINT even[MaxSamples];  // two channels a word: sums stay below 2^12
  UINT odd[MaxSamples];
  uint across = p.samples_x;
  uint down = p.sample_count / across;
  for (uint y = 0u; y < down; ++y) {
    for (uint x = 0u; x < across; ++x) {
      uint i = y * across + x;
      UINT middle = SAMPLE(i);
      UINT left = SAMPLE(x > 0u ? i - 1u : i);
      UINT right = SAMPLE(x + 1u < across ? i + 1u : i);
      even[i] = (left & 0x00FF00FFu) + ((middle & 0x00FF00FFu) << 1) + (right & 0x00FF00FFu);
      odd[i] = ((left >> 8) & 0x00FF00FFu) + (((middle >> 8) & 0x00FF00FFu) << 1) + ((right >> 8) & 0x00FF00FFu);
      INT r = sample_red(middle);
      INT g = sample_green(middle);
      INT b = sample_blue(middle);
      s.square_r += r * r;
      s.square_g += g * g;
      s.square_b += b * b;
    }
  }
  for (uint y = 0u; y < down; ++y) {
    uint above = y > 0u ? across : 0u;
    uint below = y + 1u < down ? across : 0u;
    for (uint x = 0u; x < across; ++x) {
      uint i = y * across + x;
      UINT low = even[i - above] + (even[i] << 1) + even[i + below] + 0x00080008u;
      UINT high = odd[i - above] + (odd[i] << 1) + odd[i + below] + 0x00080008u;
      s.word[i] = ((low >> 4) & 0x00FF00FFu) | (((high >> 4) & 0x00FF00FFu) << 8);
    }
  }
  return s;
}

// The (co)variances of the sums.
SHARED(Moments) with_variances(Moments sums, IN(MapParameters) p) {
  Moments m = sums;
  int n = int(p.sample_count);
  m.v_rr = n * m.square_r - m.sum_r * m.sum_r;
  m.v_gg = n * m.square_g - m.sum_g * m.sum_g;
  m.v_bb = n * m.square_b - m.sum_b * m.sum_b;
  m.v_rg = n * m.product_rg - m.sum_r * m.sum_g;
  m.v_rb = n * m.product_rb - m.sum_r * m.sum_b;
  m.v_gb = n * m.product_gb - m.sum_g * m.sum_b;
  return m;
}

SHARED(Moments) measure(IN(Smoothed) samples_of, IN(MapParameters) p) {
  Moments m;
  m.sum_r = broadcast(0); m.sum_g = broadcast(0); m.sum_b = broadcast(0);
  m.square_r = broadcast(0); m.square_g = broadcast(0); m.square_b = broadcast(0);
  m.product_rg = broadcast(0); m.product_rb = broadcast(0); m.product_gb = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) {
    UINT t = samples_of.word[i];
    INT r = sample_red(t);
    INT g = sample_green(t);
    INT b = sample_blue(t);
    m.sum_r += r;
    m.sum_g += g;
    m.sum_b += b;
    m.square_r += r * r;
    m.square_g += g * g;
    m.square_b += b * b;
    m.product_rg += r * g;
    m.product_rb += r * b;
    m.product_gb += g * b;
  }
  return with_variances(m, p);
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

// Of the low-passed coverage.
SHARED(GlyphSums) glyph_sums(CELL_CONTEXT, IN(MapParameters) p, INT glyph) {
  INT at = broadcast(int(p.sums_at)) + glyph * 4;
  return sums_of(p, to_int(GATHER(at)), to_int(GATHER(at + 1)));
}

// Of the pixels.
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

// Sum over samples of (A a + B (32 - a) - 32 t)^2: at most 64 * 255^2 * 1024 < 2^32, so wrapping sums are exact.
SHARED(UINT) channel_error(GlyphSums s, INT ink, INT paper, INT at, INT bt, INT tt) {
  return to_uint(ink * ink) * to_uint(s.aa) + to_uint(paper * paper) * to_uint(s.bb) +
         to_uint(2 * ink * paper) * to_uint(s.ab) + to_uint(tt) * 1024u -
         64u * (to_uint(ink) * to_uint(at) + to_uint(paper) * to_uint(bt));
}

SHARED(ChannelFit) fit_channel(GlyphSums s, IN(MapParameters) p, INT sum_t, INT sum_tt, INT sum_at) {
  int n = int(p.sample_count);
  INT sum_bt = 32 * sum_t - sum_at;
  // At most (64 / 2)^2 * 32 * 255 and 256 times that: 2^31 less 0.4 %.
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
    INT uncovered = 32 * n - s.a;
    INT paper_again = clamp_8(divide_round(32 * sum_t - ink * s.a, select(uncovered == 0, broadcast(1), uncovered)));
    INT ink_again = clamp_8(divide_round(32 * sum_t - paper * uncovered, select(s.a == 0, broadcast(1), s.a)));
    fit.paper = select(ink_out, paper_again, paper);
    fit.ink = select(ink_out, ink, select(paper_out, ink_again, ink));
  }
  fit.error = channel_error(s, fit.ink, fit.paper, sum_at, sum_bt, sum_tt);
  return fit;
}

// Sums over a cell's samples of a glyph's coverage times each channel.
struct CoverageSums {
  INT r, g, b;
};

SHARED(CoverageSums) cover(CELL_CONTEXT, IN(MapParameters) p, IN(Smoothed) cell_samples, INT glyph) {
  CoverageSums at;
  at.r = broadcast(0);
  at.g = broadcast(0);
  at.b = broadcast(0);
  INT word_at = broadcast(int(p.coverage_at)) + glyph * int(MaxSamples / 4u);
  for (uint i = 0u; i < p.sample_count; i += 4u) {
    UINT four = GATHER(word_at);
    word_at += 1;
    for (uint j = 0u; j < 4u; ++j) {
      if (i + j < p.sample_count) {
        INT a = to_int((four >> (8u * j)) & 255u);
        UINT t = cell_samples.word[i + j];
        at.r += a * sample_red(t);
        at.g += a * sample_green(t);
        at.b += a * sample_blue(t);
      }
    }
  }
  return at;
}

SHARED(ColorFit) fit_sums(IN(MapParameters) p, GlyphSums s, Moments m, CoverageSums at) {
  ChannelFit r = fit_channel(s, p, m.sum_r, m.square_r, at.r);
  ChannelFit g = fit_channel(s, p, m.sum_g, m.square_g, at.g);
  ChannelFit b = fit_channel(s, p, m.sum_b, m.square_b, at.b);
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
  return fit_sums(p, glyph_sums(CELL_ARGUMENTS, p, glyph), m, cover(CELL_ARGUMENTS, p, cell_samples, glyph));
}

// How much a channel's two colours must be scaled, 256 = 1, so that the drawn pixels give the light that the samples
// had. Light is code values squared here, which a glyph's sums give in closed form; the true curve is steeper, hence
// 166 in place of 128 (half the ratio in 1/256, the derivative of a square root, times 1.3).
SHARED(INT) light_correction(GlyphSums s, INT ink, INT paper, INT square) {
  UINT wanted = (to_uint(square) * 1024u) >> 12;
  UINT drawn = (to_uint(ink * ink) * to_uint(s.aa) + to_uint(2 * ink * paper) * to_uint(s.ab) +
                to_uint(paper * paper) * to_uint(s.bb)) >> 12;
  INT light = to_int(drawn);
  INT factor = 256 + divide_round((to_int(wanted) - light) * 166, select(light > 0, light, broadcast(1)));
  return select(factor < 192, broadcast(192), select(factor > 341, broadcast(341), factor));
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
