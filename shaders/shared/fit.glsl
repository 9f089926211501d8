// Fits the two colors of a cell for a given glyph, by least squares of the perceived error. Requires
// structs.glsl and cell_samples.glsl.
//
// Eyes blur: if the pixels x of a cell have the errors e[x], the perceived error is the sum of
// `e[x] K[x - y] e[y]` over all x and y, where K is a Gaussian blur of 1.5/16 of a cell's height, applied twice. K
// is 1 at 0, 1/24 at a third of the cell's height, and practically 0 beyond half of it. Errors beyond the cell
// belong to its neighbors and count as 0. A glyph of coverage g, drawn with foreground A and background B over
// samples t, leaves the error `A g + B (1 - g) - t`. Let S be the sum of K over all pairs of pixels, scaled to
// 2^PerceptualLog2, and
//   T = sum K t,  a = sum K g,  P = sum g K t,  zz = sum g K g - a a / S,  c = P - a T / S
// The perceived error is smallest if `A - B = c / zz` and `A a + B (S - a) = T`. Two colors with `A - B = d` and
// `A a + B (S - a) = T + D` have an error that exceeds the error of the mean color T / S by
// `zz d d - 2 d c + D D / S`.

// Sums over a cell's N samples; v_* are N^2 times the variances and covariances.
struct Moments {
  INT sum_r, sum_g, sum_b;
  INT square_r, square_g, square_b;  // sums of squares
  INT v_rr, v_gg, v_bb, v_rg, v_rb, v_gb;
  WeightedSums weighted;  // T of the formulas above
};

// Returns numerator / p.sample_count, rounded like divide_round(). The count is usually a power of two, for
// which no division is needed.
SHARED(INT) divide_by_samples(INT numerator, IN(MapParameters) p) {
  if ((p.sample_count & (p.sample_count - 1u)) == 0u) {
    uint log2 = 0u;
    while ((1u << log2) < p.sample_count) ++log2;
    // A shift rounds down. Negative numerators are decremented, so that negative quotients that end in .5 also
    // round away from zero.
    return log2 == 0u ? numerator : (numerator + int(p.sample_count >> 1) + (numerator >> 31)) >> log2;
  }
  return divide_round(numerator, broadcast(int(p.sample_count)));
}

SHARED(Moments) moments_of(SampleSums s, WeightedSums weighted, IN(MapParameters) p) {
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
  m.weighted = weighted;
  return m;
}

SHARED(Moments) measure(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell) {
  return moments_of(sample_sums(cell, p), full_sums(CELL_ARGUMENTS, p, cell), p);
}

SHARED(UINT) mean_color(Moments m, IN(MapParameters) p) {
  return pack_color(divide_by_samples(m.sum_r, p), divide_by_samples(m.sum_g, p), divide_by_samples(m.sum_b, p));
}

// Two colors for one glyph. `error` is their error minus the error of the mean color alone, so it is negative if
// the glyph helps. Channels are weighted approximately as in luma. The unit: if every channel of every pixel is off by
// one code value, the error is 7 << PerceptualLog2.
struct ColorFit {
  INT fg_r, fg_g, fg_b;
  INT bg_r, bg_g, bg_b;
  INT error;
};

// Sums over a glyph's pixels, scaled as if the cell had one pixel per sample. `a`: a pixel's coverage, 0 to
// CoverageOne = 32.
struct GlyphSums {
  INT a, aa;  // sums of a and of a a
  INT all;    // sum of 32 * 32
};

SHARED(GlyphSums) sums_of(IN(MapParameters) p, INT a, INT aa) {
  GlyphSums s;
  s.a = a;
  s.aa = aa;
  s.all = broadcast(1024 * int(p.sample_count));
  return s;
}

// Returns the sum of the squares of a glyph's pixels in one channel: of the colors `f a + b (32 - a)` for foreground f
// and background b.
SHARED(UINT) drawn_squares(GlyphSums s, INT foreground, INT background) {
  UINT b = to_uint(background);
  UINT apart = to_uint(foreground - background);
  return b * (b * to_uint(s.all) + apart * to_uint(s.a * 64)) + apart * apart * to_uint(s.aa);
}

SHARED(GlyphSums) pixel_sums(CELL_CONTEXT, IN(MapParameters) p, INT glyph) {
  UINT sums = GATHER(broadcast(int(p.fit.sums_at) + 1) + glyph * 2);
  return sums_of(p, to_int(sums & 0xFFFFu), to_int(sums >> 16));
}

// A glyph's coverage as it is perceived.
struct PerceivedGlyph {
  INT a;         // 2^PerceptualLog2 = a fully covered cell
  INT contrast;  // 8 zz; 0 for a uniform glyph, whose coverage is practically the same everywhere
};

SHARED(PerceivedGlyph) perceived_glyph(CELL_CONTEXT, IN(MapParameters) p, INT glyph) {
  UINT sums = GATHER(broadcast(int(p.fit.sums_at)) + glyph * 2);
  PerceivedGlyph s;
  s.a = to_int(sums & 0xFFFFu);
  s.contrast = to_int(sums >> 16);
  return s;
}

// Foreground and background of one channel. If one is outside 0..255, it is clipped, and the other is set to the
// value that preserves the cell's mean. If both are outside, the foreground is clipped first. The other order is
// not tried. It might give a smaller error, but `error` is always the true error of these two colors, so the caller
// compares candidates correctly.
struct ChannelFit {
  INT foreground, background;
  INT error;  // 8 times the error defined at the top of this file
};

// Fits one channel. `total` and `inked` are T and P of the formulas at the top of this file. `contrast` is s.contrast, or
// 1 if that is 0.
SHARED(ChannelFit) fit_channel(PerceivedGlyph s, DIVISOR contrast, INT total, INT inked) {
  int all = 1 << PerceptualLog2;
  INT covariance = all * inked - s.a * total;  // all * c: at most all^2 / 4 * 255 < 2^28
  // `slope` is A - B in 1/256 of a code value: 256 * c / zz. For uniform glyphs, it is 0, and both colors are the mean.
  INT slope = select(s.contrast > 0, divide_round(covariance, contrast), broadcast(0));
  INT bound = broadcast(1 << 19);
  slope = smaller(larger(slope, -bound), bound);
  // The background in 1/256 of a code value, plus half a code value, which rounds both colors.
  INT background_256 = (total * 256 + (128 * all + (all >> 1)) - slope * s.a) >> PerceptualLog2;
  INT background = background_256 >> 8;
  INT foreground = (background_256 + slope) >> 8;

  MASK foreground_out = foreground != clamp_8(foreground);
  MASK background_out = background != clamp_8(background);
  foreground = clamp_8(foreground);
  background = clamp_8(background);
  ChannelFit fit;
  fit.background = background;
  fit.foreground = foreground;
  INT uncovered = all - s.a;
  if (any_of(either(foreground_out, background_out))) {
    INT rest = total - select(foreground_out, foreground * s.a, background * uncovered);
    INT share = select(foreground_out, uncovered, s.a);
    INT again = clamp_8(divide_small_round(rest, larger(share, broadcast(1))));
    fit.background = select(foreground_out, again, background);
    fit.foreground = select(foreground_out, foreground, select(background_out, again, foreground));
  }
  INT apart = fit.foreground - fit.background;
  INT missed = (fit.background * all + apart * s.a - total) >> 4;  // the square of `missed` is 8 D D / S
  fit.error = apart * (s.contrast * apart - 2 * (covariance >> 8)) + missed * missed;
  return fit;
}

// Fits both colors by least squares for a glyph. `inked`: the weighted sums of the samples under the glyph.
SHARED(ColorFit) fit_perceived(PerceivedGlyph s, Moments m, WeightedSums inked) {
  DIVISOR contrast = divisor(larger(s.contrast, broadcast(1)));
  ChannelFit r = fit_channel(s, contrast, m.weighted.r, inked.r);
  ChannelFit g = fit_channel(s, contrast, m.weighted.g, inked.g);
  ChannelFit b = fit_channel(s, contrast, m.weighted.b, inked.b);
  ColorFit fit;
  fit.fg_r = r.foreground;
  fit.fg_g = g.foreground;
  fit.fg_b = b.foreground;
  fit.bg_r = r.background;
  fit.bg_g = g.background;
  fit.bg_b = b.background;
  fit.error = (r.error >> 2) + (g.error >> 1) + (b.error >> 3);  // approximately luma's weights
  return fit;
}

SHARED(ColorFit) fit_colors(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, Moments m, INT glyph) {
  return fit_perceived(perceived_glyph(CELL_ARGUMENTS, p, glyph), m, inked_sums(CELL_ARGUMENTS, p, cell, glyph));
}

// Returns the factor, 256 = 1, by which a channel's two colors must be scaled so that the drawn pixels emit
// the light of the samples. Here, light is approximated by the square of code values, because a glyph's sums
// suffice to compute the sum of these squares. The factor is the square root of `wanted / drawn`, where `wanted` is
// the light of the samples and `drawn` is the light of the drawn pixels. One step of Newton's method, starting from 1,
// gives `(1 + wanted / drawn) / 2`.
SHARED(INT) light_correction(GlyphSums s, INT foreground, INT background, INT square) {
  INT light = to_int(drawn_squares(s, foreground, background) >> 12);
  INT factor = 256 + divide_round(((square >> 2) - light) * 128, larger(light, broadcast(1)));
  return smaller(larger(factor, broadcast(192)), broadcast(341));
}

SHARED(INT) scale_code(INT code, INT factor) { return clamp_8((code * factor + 128) >> 8); }

SHARED(ColorFit) correct_light_once(GlyphSums s, Moments m, ColorFit fit) {
  INT r = light_correction(s, fit.fg_r, fit.bg_r, m.square_r);
  INT g = light_correction(s, fit.fg_g, fit.bg_g, m.square_g);
  INT b = light_correction(s, fit.fg_b, fit.bg_b, m.square_b);
  ColorFit corrected = fit;
  corrected.fg_r = scale_code(fit.fg_r, r);
  corrected.fg_g = scale_code(fit.fg_g, g);
  corrected.fg_b = scale_code(fit.fg_b, b);
  corrected.bg_r = scale_code(fit.bg_r, r);
  corrected.bg_g = scale_code(fit.bg_g, g);
  corrected.bg_b = scale_code(fit.bg_b, b);
  return corrected;
}

// Corrects the light in two steps: the second step improves the fidelity score F by 0.04 (docs/fidelity.md).
SHARED(ColorFit) correct_light(GlyphSums s, Moments m, ColorFit fit) {
  return correct_light_once(s, m, correct_light_once(s, m, fit));
}
