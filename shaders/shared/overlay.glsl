// Text over the picture's cells. Requires structs.glsl and color.glsl.

// `ink`: mean coverage of the picture's glyph, 0 to 255. `left`, `right`: whether text covers the neighbors
// in the row. Text shows the mean of the cell's two colors behind it: which of the two is the foreground
// says nothing about the cell's tone.
SHARED(Cell) compose_cell(IN(Cell) picture, uint ink, IN(OverlayCell) text, bool left, bool right,
                          IN(OverlayParameters) p) {
  Cell composed = picture;
  uint mean = blend(picture.foreground, picture.background, ink);
  if (text.glyph != OverlayNone) {
    composed.glyph = p.first_glyph + text.glyph;
    composed.foreground = text.foreground;
    composed.background = blend(text.background | 0xFF000000u, mean, text.background >> 24);
  } else if (picture.glyph >= p.wide_from) {
    // Half a wide glyph must not remain alone: a terminal would shift the rest of the row.
    bool is_left = ((picture.glyph - p.wide_from) & 1u) == 0u;
    if (is_left ? right : left) {
      composed.glyph = p.blank;
      composed.background = mean;
    }
  }
  return composed;
}
