// Converts weighted sums of source samples to one lattice sample. Requires structs.glsl and color.glsl.
// SAMPLE_TABLE(i) reads the axis table, in which make_sample_plan also stores the source's color tables.
//
// A lattice sample is the area average of the source pixels under it. The weights along each axis are
// integers that sum to 256, so the sum over both axes is exact in 32 bits for samples of up to 12 bits, in any
// order of summation.

// Converts a component's weighted sum to a 12-bit code value, rounded to nearest.
SHARED(INT) component_from_sum(UINT sum, uint sum_shift) {
  return to_int((sum + (1u << (sum_shift - 1u))) >> sum_shift);
}

// What is subtracted from the 12-bit code values of a component (0 to 2): the code value of black or, for Cb and Cr, of
// gray.
SHARED(int) code_offset(uint component, IN(SampleParameters) p) {
  return p.model == ModelYuv && component != 0u ? 2048 : p.yuv.y_offset;
}

// A converted sample, 8 bits per channel.
struct FinishedSample {
  INT luma, red, green, blue;
};

// Converts 12-bit code values from which code_offset() has been subtracted. `first`, `second`, `third`: Y', Cb, Cr or R',
// G', B'; gray uses only `first`. Channels still need clamp_8(), and luma is correct only if luma_from_rgb is 0.
SHARED(FinishedSample) unclamped_channels(INT first, INT second, INT third, IN(SampleParameters) p) {
  INT rounded = p.yuv.y_scale * first + 131072;
  FinishedSample s;
  s.luma = rounded >> 18;
  s.red = s.luma;
  s.green = s.luma;
  s.blue = s.luma;
  if (p.model == ModelYuv) {
    s.red = (rounded + p.yuv.r_from_cr * third) >> 18;
    s.green = (rounded - p.yuv.g_from_cb * second - p.yuv.g_from_cr * third) >> 18;
    s.blue = (rounded + p.yuv.b_from_cb * second) >> 18;
  }
  if (p.model == ModelRgb) {
    s.green = (p.yuv.y_scale * second + 131072) >> 18;
    s.blue = (p.yuv.y_scale * third + 131072) >> 18;
  }
  return s;
}

// Converts 12-bit code values. `first`, `second`, `third`: Y', Cb, Cr or R', G', B'; gray uses only `first`.
SHARED(FinishedSample) finish_channels(INT first, INT second, INT third, IN(SampleParameters) p) {
  FinishedSample s = unclamped_channels(first - code_offset(0u, p), second - code_offset(1u, p), third - code_offset(2u, p), p);
  s.luma = clamp_8(s.luma);
  s.red = clamp_8(s.red);
  s.green = clamp_8(s.green);
  s.blue = clamp_8(s.blue);
  if (p.luma_from_rgb != 0u) {
    INT r = s.red;
    INT g = s.green;
    INT b = s.blue;
    if (p.model == ModelYuv) {
      // Uses the matrix that belongs to the luma weights, not the stream's own, and truncates each term separately,
      // as FFmpeg's fast conversion to RGB does. The results are up to two below the exact values. But --thresholds,
      // which selects glyphs by luma, gives the same cells as programs that first convert frames to RGB with FFmpeg.
      INT y = (p.luma_yuv.y_scale * (first - p.luma_yuv.y_offset)) >> 18;
      INT cb = second - 2048;
      INT cr = third - 2048;
      r = clamp_8(y + ((p.luma_yuv.r_from_cr * cr) >> 18));
      g = clamp_8(y + ((-p.luma_yuv.g_from_cb * cb) >> 18) + ((-p.luma_yuv.g_from_cr * cr) >> 18));
      b = clamp_8(y + ((p.luma_yuv.b_from_cb * cb) >> 18));
    }
    s.luma = (p.luma_weight_r * r + p.luma_weight_g * g + p.luma_weight_b * b + 8192) >> 14;
  }
  return s;
}

// Converts 12-bit code values with finish_channels() and packs the sample as 0xLLRRGGBB.
SHARED(UINT) finish_sample(INT first, INT second, INT third, IN(SampleParameters) p) {
  FinishedSample s = finish_channels(first, second, third, p);
  return pack_sample(s.luma, s.red, s.green, s.blue);
}

SHARED(INT) saturate(INT value, INT luma, IN(SampleParameters) p) {
  return clamp_8(luma + (((value - luma) * p.saturation + 128) >> 8));
}

SHARED(INT) adjust(INT value, IN(SampleParameters) p SAMPLE_CONTEXT) {
  return to_int(SAMPLE_TABLE(broadcast(p.adjust_at) + value));
}

// Applies the viewer's adjustments to a finished sample. Saturation moves the sample's color toward or away
// from its luma, then one curve applies to luma, red, green and blue. Grays stay gray. The curve never changes the
// order of two samples' luma, except that inversion reverses it.
SHARED(UINT) adjust_sample(UINT finished, IN(SampleParameters) p SAMPLE_CONTEXT) {
  INT luma = sample_luma(finished);
  if (p.model == ModelGray) {
    INT gray = adjust(luma, p SAMPLE_ARGUMENTS);
    return pack_sample(gray, gray, gray, gray);
  }
  INT red = saturate(sample_red(finished), luma, p);
  INT green = saturate(sample_green(finished), luma, p);
  INT blue = saturate(sample_blue(finished), luma, p);
  return pack_sample(adjust(luma, p SAMPLE_ARGUMENTS), adjust(red, p SAMPLE_ARGUMENTS),
                     adjust(green, p SAMPLE_ARGUMENTS), adjust(blue, p SAMPLE_ARGUMENTS));
}

SHARED(INT) clamp_12(INT value) {
  return smaller(larger(value, broadcast(0)), broadcast(4095));
}

// Returns the 8-bit code value of one component in BT.709's primaries. `light_14`: the component's 16-bit linear
// light times 2^14, not yet clipped.
SHARED(INT) encode_light(INT light_14, IN(SampleParameters) p SAMPLE_CONTEXT) {
  INT light = light_14 >> 16;
  light = select(light < 0, broadcast(0), select(light > 16383, broadcast(16383), light));
  UINT four = SAMPLE_TABLE(broadcast(p.curve.srgb_at) + (light >> 2));
  return to_int((four >> to_uint((light & 3) << 3)) & 255u);
}

// Interpolates in a table indexed by logarithms. `entry`: the table's word for `log_light`, with the entry's value in
// the lower 16 bits and the difference to the next entry's value in the upper 16 bits.
SHARED(INT) interpolate(UINT entry, INT log_light) {
  return to_int(entry & 0xFFFFu) + ((to_int(entry >> 16) * (log_light & 15) + 8) >> 4);
}

// Returns one component after HDR tone mapping, as 16-bit linear light. `loss`: the logarithm that tone mapping
// subtracts from `log_light`.
SHARED(INT) mapped_light(INT log_light, INT loss, IN(SampleParameters) p SAMPLE_CONTEXT) {
  INT mapped = log_light - loss;
  mapped = select(mapped < 0, broadcast(0), mapped);
  return interpolate(SAMPLE_TABLE(broadcast(p.curve.light_at) + (mapped >> 4)), mapped);
}

// Implements finish_sample() for HDR and wide gamuts: converts to linear light, maps the light to SDR and
// BT.709's primaries, and encodes the result. All three components get the same gain, taken from the curve at the
// brightest component, so that hues are preserved and no component exceeds white.
SHARED(UINT) finish_wide_sample(INT first, INT second, INT third, IN(SampleParameters) p SAMPLE_CONTEXT) {
  INT expanded = p.yuv.y_scale * (first - p.yuv.y_offset);
  INT red = clamp_12((expanded + 8192) >> 14);
  INT green = red;
  INT blue = red;
  if (p.model == ModelYuv) {
    INT cb = second - 2048;
    INT cr = third - 2048;
    red = clamp_12((expanded + p.yuv.r_from_cr * cr + 8192) >> 14);
    green = clamp_12((expanded - p.yuv.g_from_cb * cb - p.yuv.g_from_cr * cr + 8192) >> 14);
    blue = clamp_12((expanded + p.yuv.b_from_cb * cb + 8192) >> 14);
  }
  if (p.model == ModelRgb) {
    green = clamp_12((p.yuv.y_scale * (second - p.yuv.y_offset) + 8192) >> 14);
    blue = clamp_12((p.yuv.y_scale * (third - p.yuv.y_offset) + 8192) >> 14);
  }

  red = to_int(SAMPLE_TABLE(broadcast(p.curve.code_light_at) + red));
  green = to_int(SAMPLE_TABLE(broadcast(p.curve.code_light_at) + green));
  blue = to_int(SAMPLE_TABLE(broadcast(p.curve.code_light_at) + blue));
  if (p.tone == ToneHlg) {
    // The display's system gamma applies to the scene's luminance (BT.2100, table 5). The luminance uses
    // BT.2020's weights, which sum to 2^14.
    INT none = broadcast(0);
    INT luminance = 4304 * mapped_light(red, none, p SAMPLE_ARGUMENTS) +
                    11108 * mapped_light(green, none, p SAMPLE_ARGUMENTS) +
                    972 * mapped_light(blue, none, p SAMPLE_ARGUMENTS);
    INT system = to_int(SAMPLE_TABLE(broadcast(p.curve.system_at) + (luminance >> 18)));
    red += system;
    green += system;
    blue += system;
  }
  if (p.tone != ToneGamut) {
    INT brightest = select(red > green, red, green);
    brightest = select(brightest > blue, brightest, blue);
    brightest = select(brightest < 0, broadcast(0), select(brightest > LogPeak, broadcast(LogPeak), brightest));
    INT loss = interpolate(SAMPLE_TABLE(broadcast(p.curve.loss_at) + (brightest >> 4)), brightest);
    red = mapped_light(red, loss, p SAMPLE_ARGUMENTS);
    green = mapped_light(green, loss, p SAMPLE_ARGUMENTS);
    blue = mapped_light(blue, loss, p SAMPLE_ARGUMENTS);
  }

  INT r = encode_light(p.gamut.r_from_r * red + p.gamut.r_from_g * green + p.gamut.r_from_b * blue, p SAMPLE_ARGUMENTS);
  INT g = encode_light(p.gamut.g_from_r * red + p.gamut.g_from_g * green + p.gamut.g_from_b * blue, p SAMPLE_ARGUMENTS);
  INT b = encode_light(p.gamut.b_from_r * red + p.gamut.b_from_g * green + p.gamut.b_from_b * blue, p SAMPLE_ARGUMENTS);
  INT luma = (p.luma_weight_r * r + p.luma_weight_g * g + p.luma_weight_b * b + 8192) >> 14;
  return pack_sample(luma, r, g, b);
}
