// From weighted sums of source samples to one lattice sample. Requires structs.glsl and color.glsl.
//
// A lattice sample is the area average of the source pixels under it. Its weights along each axis are integers that
// sum to 256, so the double sum is exact in 32 bits for samples of up to 12 bits, whatever the order of summing.

// A component's weighted sum as a 12-bit code value, rounded to nearest.
SHARED(INT) component_from_sum(UINT sum, uint sum_shift) {
  return to_int((sum + (1u << (sum_shift - 1u))) >> sum_shift);
}

// 12-bit code values to 0xLLRRGGBB. `first`, `second`, `third`: Y', Cb, Cr or R', G', B'; grey uses the first alone.
SHARED(UINT) finish_sample(INT first, INT second, INT third, IN(SampleParameters) p) {
  INT expanded = p.y_scale * (first - p.y_offset);
  INT luma = clamp_8((expanded + 131072) >> 18);
  INT red = luma;
  INT green = luma;
  INT blue = luma;
  if (p.model == ModelYuv) {
    INT cb = second - 2048;
    INT cr = third - 2048;
    red = clamp_8((expanded + p.r_from_cr * cr + 131072) >> 18);
    green = clamp_8((expanded - p.g_from_cb * cb - p.g_from_cr * cr + 131072) >> 18);
    blue = clamp_8((expanded + p.b_from_cb * cb + 131072) >> 18);
  }
  if (p.model == ModelRgb) {
    red = luma;
    green = clamp_8((p.y_scale * (second - p.y_offset) + 131072) >> 18);
    blue = clamp_8((p.y_scale * (third - p.y_offset) + 131072) >> 18);
  }
  if (p.luma_from_rgb != 0u) {
    INT r = red;
    INT g = green;
    INT b = blue;
    if (p.model == ModelYuv) {
      // By the matrix of the weights whatever the stream's is, and each term truncated apart, as FFmpeg's fast conversion
      // to RGB does: programs that threshold the grey of converted frames have always met these values, up to two
      // below the exact ones.
      INT y = (p.luma_y_scale * (first - p.y_offset)) >> 18;
      INT cb = second - 2048;
      INT cr = third - 2048;
      r = clamp_8(y + ((p.luma_r_from_cr * cr) >> 18));
      g = clamp_8(y + ((-p.luma_g_from_cb * cb) >> 18) + ((-p.luma_g_from_cr * cr) >> 18));
      b = clamp_8(y + ((p.luma_b_from_cb * cb) >> 18));
    }
    luma = (p.luma_weight_r * r + p.luma_weight_g * g + p.luma_weight_b * b + 8192) >> 14;
  }
  return pack_sample(luma, red, green, blue);
}
