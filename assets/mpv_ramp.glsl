// An mpv user shader that draws an ASCII ramp, for `glyphreel bench --peers` and tests/bench/mpv_bench.sh. The luma of the
// cell's color selects one of ten characters, which is drawn in that color. The color is the average of TAPS_X by TAPS_Y
// evenly spread samples: 4 by 8 as in glyphreel; 1 by 1 is faster, but aliases. Usage: mpv --vo=gpu-next
// --glsl-shader=mpv_ramp.glsl
//!HOOK MAIN
//!BIND HOOKED
//!DESC ASCII ramp of ten levels

#define COLUMNS 240
#define ROWS 67
#define LEVELS 10
#define TAPS_X 4
#define TAPS_Y 8

// Bitmaps of the characters " .:-=+*#%@", 8 x 16 pixels each. Bit 0 is the lowest bit of the first
// word. The pixel at (column, row) is drawn if bit (8 * row + column) is set.
const uvec4 glyphs[LEVELS] = uvec4[](
    uvec4(0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u),
    uvec4(0x00000000u, 0x00000000u, 0x18000000u, 0x00000018u),
    uvec4(0x00000000u, 0x18180000u, 0x18000000u, 0x00000018u),
    uvec4(0x00000000u, 0x00000000u, 0x0000003Cu, 0x00000000u),
    uvec4(0x00000000u, 0x00FF0000u, 0x0000FF00u, 0x00000000u),
    uvec4(0x00000000u, 0x18181800u, 0x181818FFu, 0x00000000u),
    uvec4(0x00000000u, 0x7E183C42u, 0x00000000u, 0x00000000u),
    uvec4(0x48000000u, 0x2CFE6848u, 0x16167F24u, 0x00000012u),
    uvec4(0x0E000000u, 0x304E0909u, 0x9090720Cu, 0x00000070u),
    uvec4(0x38000000u, 0xC9F3C246u, 0xF3C98989u, 0x00780402u));

vec4 hook() {
  const vec2 grid = vec2(COLUMNS, ROWS);
  vec2 position = HOOKED_pos * grid;
  vec2 cell = floor(position);
  vec3 color = vec3(0.0);
  for (int y = 0; y < TAPS_Y; ++y) {
    for (int x = 0; x < TAPS_X; ++x) {
      color += HOOKED_tex((cell + (vec2(x, y) + 0.5) / vec2(TAPS_X, TAPS_Y)) / grid).rgb;
    }
  }
  color /= float(TAPS_X * TAPS_Y);
  float luma = dot(color, vec3(0.2126, 0.7152, 0.0722));
  int level = clamp(int(luma * float(LEVELS)), 0, LEVELS - 1);
  uvec2 pixel = uvec2((position - cell) * vec2(8.0, 16.0));
  uint bits = glyphs[level][pixel.y / 4u];
  float ink = float((bits >> (8u * (pixel.y % 4u) + pixel.x)) & 1u);
  return vec4(color * ink, 1.0);
}
