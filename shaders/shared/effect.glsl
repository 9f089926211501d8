// Effects on the picture's cells, applied after mapping and before text covers them. What an effect shows in a
// cell depends only on the frame's mapped cells, the cell's position and the frame's time. Requires structs.glsl,
// color.glsl and palette.glsl.
//
// An effect uses only colors and glyphs that the mapping could use. It makes colors lighter or darker. With a
// palette, it then uses the nearest palette color. With ColorFg, it keeps the background. With ColorMono, where
// both colors are fixed, it shows the changed light with a different glyph of the ramp. With characters two cells wide,
// it processes columns in pairs, as the mapping does, so that the two halves of a character stay together and have the
// same colors.

// What an effect shows at a position of the grid: one of the mapped cells, with changed colors.
struct EffectPlay {
  int left;        // the mapped cell is this many columns (or pairs of columns) to the left; negative: right
  int above;       // the mapped cell is this many rows above; negative: below
  uint gain;       // factor on the cell's light, 256 = unchanged
  uint glow;       // how far the changed light is then moved toward white, 256 = all the way
  uint exchanged;  // 1: red, green and blue are permuted cyclically; with ColorMono, the two colors are swapped
};

// A cell's position relative to the middle of the grid.
struct EffectPlace {
  uint x;  // distance from the middle in either direction, 1024 at the grid's edges
  uint y;
  bool is_right;
  bool is_below;
};

SHARED(EffectPlace) effect_place(uint column, uint width, uint row, uint columns, uint rows) {
  EffectPlace place;
  uint column_2 = 2u * column + width;  // twice the x of the middle of the cell or pair, in columns
  uint row_2 = 2u * row + 1u;
  place.is_right = column_2 > columns;
  place.is_below = row_2 > rows;
  place.x = (place.is_right ? column_2 - columns : columns - column_2) * 1024u / columns;
  place.y = (place.is_below ? row_2 - rows : rows - row_2) * 1024u / rows;
  return place;
}

SHARED(uint) effect_hash(uint a, uint b, uint c) {
  uint h = (a * 0x9E3779B1u) ^ (b * 0x85EBCA77u + 0x165667B1u) ^ (c * 0xC2B2AE3Du);
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return h ^ (h >> 15);
}

// Returns an approximate sine, from -256 to 256, of an angle in 1024ths of a turn. Each half wave is a parabola.
SHARED(int) effect_wave(uint angle) {
  int half_turn = int(angle & 511u);
  int height = (half_turn * (512 - half_turn)) >> 8;
  return (angle & 512u) == 0u ? height : -height;
}

SHARED(uint) effect_root(uint square) {
  uint root = 0u;
  for (uint bit = 1u << 15; bit != 0u; bit >>= 1) {
    uint tried = root | bit;
    if (tried * tried <= square) root = tried;
  }
  return root;
}

// Returns the light that a column's drop casts on a row: 0 to 256 along the drop's tail, over 256 at its head.
SHARED(uint) effect_drop(uint step_column, uint row, uint rows, uint layer, uint time) {
  uint own = effect_hash(step_column, layer, 7u);
  uint way = rows + (rows * 3u + 3u) / 4u + 2u;           // rows from one drop to the next
  uint lasts = (2400u + own % 2600u) * (layer + 2u) / 2u;  // milliseconds that a drop falls
  uint along = time + (own >> 12) % 60000u;
  uint fall = along / lasts;
  uint head = (along % lasts) * (way * 16u) / lasts;  // position of the drop's head, in sixteenths of rows
  uint tail = 16u * (rows / 5u + effect_hash(own, fall, 11u) % (rows / 2u + 1u) + 2u);
  uint here = row * 16u + 16u;
  if (here > head + 16u) return 0u;
  if (here > head) return 512u * (head + 16u - here) / 16u;  // less than one row ahead of the head
  uint behind = head - here;
  if (behind >= tail) return 0u;
  uint left = (tail - behind) * 256u / tail;
  uint light = left * left / 256u;
  return behind < 16u ? light + 256u * (16u - behind) / 16u : light;
}

// Implements the rain: light falls in columns over a darkened picture.
SHARED(EffectPlay) effect_rain(EffectPlay play, uint step_column, uint row, uint rows, uint time) {
  uint close = effect_drop(step_column, row, rows, 0u, time);
  uint remote = effect_drop(step_column, row, rows, 1u, time) / 2u;
  uint light = close > remote ? close : remote;
  uint tail = light < 256u ? light : 256u;
  play.gain = 76u + tail * 250u / 256u;
  play.glow = tail * 20u / 256u + (light - tail) * 120u / 256u;
  return play;
}

// Implements a cathode-ray tube: scan lines, a soft band that rolls down, and rounded corners that are
// darker.
SHARED(EffectPlay) effect_tube(EffectPlay play, IN(EffectPlace) place, uint row, uint rows, uint time) {
  uint x = place.x;
  uint y = place.y;
  uint light = (row & 1u) == 0u ? 238u : 172u;
  uint period = 5600u;
  // Positions here are in sixteenths of rows. The band's middle moves from a quarter of the grid's height above the
  // grid to the same distance below the grid.
  uint middle = (time % period) * (rows * 24u) / period;
  uint here = row * 16u + 8u + rows * 4u;
  uint away = here > middle ? here - middle : middle - here;
  uint reach = rows * 3u + 16u;
  if (away < reach) {
    uint bright = (reach - away) * 256u / reach;
    light += bright * bright / 256u * 52u / 256u;
  }
  uint edge = (x * x + y * y) / 8192u;  // 256 in the corners
  light = light * (288u - edge * edge / 512u - edge / 4u) / 256u;
  uint corner = (x * x / 1024u) * (x * x / 1024u) / 1024u + (y * y / 1024u) * (y * y / 1024u) / 1024u;
  uint rim = 1500u;
  if (corner > rim) light = corner < rim + 256u ? light * (rim + 256u - corner) / 256u : 0u;
  play.gain = light;
  return play;
}

// Implements the glitch: rows shift sideways in bursts, and slices swap their color channels. Between bursts
// the picture is unchanged.
SHARED(EffectPlay) effect_glitch(EffectPlay play, uint row, uint rows, uint steps, uint time) {
  uint burst = time / 1800u;
  uint own = effect_hash(burst, 3u, 5u);
  uint since = time % 1800u;
  uint begins = own % 900u;
  if (since < begins || since >= begins + 260u + (own >> 10) % 500u) return play;
  uint beat = time / 80u;
  uint turn = effect_hash(burst, beat, 13u);
  uint height = 1u + turn % (rows / 9u + 1u);
  uint slice = (row + (turn >> 8) % height) / height;
  uint fate = effect_hash(slice, beat, 17u);
  uint most = steps / 7u + 1u;
  if ((fate & 7u) < 3u) {
    play.left = int((fate >> 6) % (2u * most + 1u)) - int(most);
    play.exchanged = ((fate >> 3) & 3u) == 0u ? 1u : 0u;
    play.gain = 208u + ((fate >> 20) & 63u);
  }
  uint tear = effect_hash(row, beat, 19u);
  if (tear % 9u == 0u) play.left += int((tear >> 8) % 5u) - 2;
  return play;
}

// Implements the ripple: rings move outward from the middle, bend the picture and reflect light.
SHARED(EffectPlay) effect_ripple(EffectPlay play, IN(EffectPlace) place, uint step_width, IN(EffectParameters) p) {
  uint wide = p.map.columns * p.cell_width;
  uint high = p.map.rows * p.cell_height;
  uint span = wide > high ? wide : high;
  // x and y are scaled so that 1024 is half of the grid's longer side.
  uint x = place.x * wide / span;
  uint y = place.y * high / span;
  uint radius = effect_root(x * x + y * y);
  if (radius == 0u) return play;
  uint period = 1500u;  // milliseconds
  uint apart = 300u;
  uint turns = (p.time / period) * 1024u + (p.time % period) * 1024u / period;
  uint angle = radius * 1024u / apart - turns;
  // `strength` is in 256ths. Each ring has its own strength, and all rings fade toward the grid's edges.
  uint strength = 150u + effect_hash(angle >> 10, 23u, 29u) % 106u;
  strength = strength * 700u / (500u + radius);
  int wave = effect_wave(angle) * int(strength);  // 65536 = 1
  uint size = uint(wave < 0 ? -wave : wave);
  uint shift = (size * 56u) >> 16;
  if (shift > radius) shift = radius;
  bool outward = wave > 0;
  uint columns = (x * shift / radius * span + 1024u * step_width) / (2048u * step_width);
  uint rows = (y * shift / radius * span + 1024u * p.cell_height) / (2048u * p.cell_height);
  play.left = place.is_right == outward ? int(columns) : -int(columns);
  play.above = place.is_below == outward ? int(rows) : -int(rows);
  // Crests brighten only a little, so that bright pictures keep their colors.
  play.gain = outward ? 256u + ((size * 24u) >> 16) : 256u - ((size * 96u) >> 16);
  return play;
}

SHARED(uint) effect_color(uint color, IN(EffectPlay) play, IN(EffectParameters) p EFFECT_CONTEXT) {
  uint red = (color >> 16) & 255u;
  uint green = (color >> 8) & 255u;
  uint blue = color & 255u;
  if (play.exchanged != 0u) {
    uint kept = red;
    red = green;
    green = blue;
    blue = kept;
  }
  red = red * play.gain >> 8;
  green = green * play.gain >> 8;
  blue = blue * play.gain >> 8;
  red = red < 255u ? red + ((255u - red) * play.glow >> 8) : 255u;
  green = green < 255u ? green + ((255u - green) * play.glow >> 8) : 255u;
  blue = blue < 255u ? blue + ((255u - blue) * play.glow >> 8) : 255u;
  if (p.map.palette.colors_at == 0u) return 0xFF000000u | (red << 16) | (green << 8) | blue;
  uint key = uint(palette_key(int(red), int(green), int(blue)));
  return TABLE(p.map.palette.colors_at + TABLE(p.map.palette.nearest_at + key)) | 0xFF000000u;
}

// Mono: shows the changed light with a different glyph of the ramp, since both colors are fixed. `right`: this is the
// right cell of a pair; `alone`: the cell is in no pair.
SHARED(Cell) effect_mono(IN(Cell) cell, IN(EffectPlay) play, bool right, bool alone,
                         IN(EffectParameters) p EFFECT_CONTEXT) {
  Cell played = cell;
  if (play.exchanged != 0u) {
    played.foreground = cell.background;
    played.background = cell.foreground;
  }
  if (play.gain == 256u && play.glow == 0u) return played;
  bool reversed = played.foreground != p.map.foreground;
  uint tone = TABLE(p.map.ramp.tones_at + cell.glyph);
  if (reversed) tone = 255u - tone;
  uint wanted = tone * play.gain >> 8;
  wanted = wanted < 255u ? wanted + ((255u - wanted) * play.glow >> 8) : 255u;
  if (wanted == tone) return played;
  uint entry = TABLE(p.map.ramp.entries_at + wanted);
  uint number = (entry >> 24) < 128u ? entry & 0xFFFu : (entry >> 12) & 0xFFFu;
  played.glyph = number;
  if (p.map.forms.wide_ramp != 0u) {
    played.glyph = p.map.blank_glyph;
    if (number != 0u && !alone) played.glyph = p.map.forms.wide_from + 2u * (number - 1u) + (right ? 1u : 0u);
  }
  played.foreground = p.map.foreground;
  played.background = p.map.background;
  return played;
}

// Returns the cell that an effect shows at a position of the grid.
SHARED(Cell) effect_cell(uint column, uint row, IN(EffectParameters) p EFFECT_CONTEXT) {
  uint columns = p.map.columns;
  uint rows = p.map.rows;
  if (p.effect == EffectNone) return MAPPED_CELL(row * columns + column);
  // A step is one column or, with wide characters, a pair of columns; the last of an odd number of columns
  // belongs to no pair.
  uint width = p.map.forms.wide_count != 0u ? 2u : 1u;
  uint steps = columns / width;
  uint step_column = column / width;
  bool alone = step_column >= steps;
  EffectPlace place = effect_place(step_column * width, alone ? 1u : width, row, columns, rows);

  EffectPlay play;
  play.left = 0;
  play.above = 0;
  play.gain = 256u;
  play.glow = 0u;
  play.exchanged = 0u;
  if (p.effect == EffectRain) play = effect_rain(play, step_column, row, rows, p.time);
  if (p.effect == EffectTube) play = effect_tube(play, place, row, rows, p.time);
  if (p.effect == EffectGlitch) play = effect_glitch(play, row, rows, steps, p.time);
  if (p.effect == EffectRipple) play = effect_ripple(play, place, width * p.cell_width, p);

  uint from_column = column;
  if (!alone) {
    int from = int(step_column) - play.left;
    if (p.effect == EffectGlitch) {
      from = int(uint(from + 8 * int(steps)) % steps);  // columns that leave on one side reenter on the other side
    } else {
      from = smaller(larger(from, 0), int(steps) - 1);
    }
    from_column = uint(from) * width + column % width;
  }
  uint from_row = uint(smaller(larger(int(row) - play.above, 0), int(rows) - 1));
  Cell cell = MAPPED_CELL(from_row * columns + from_column);
  if (p.map.color == ColorMono) return effect_mono(cell, play, column % width != 0u, alone, p EFFECT_ARGUMENTS);
  if (play.gain == 256u && play.glow == 0u && play.exchanged == 0u) return cell;
  cell.foreground = effect_color(cell.foreground, play, p EFFECT_ARGUMENTS);
  if (p.map.color == ColorFull) cell.background = effect_color(cell.background, play, p EFFECT_ARGUMENTS);
  return cell;
}
