// Text over the picture's cells. Requires structs.glsl and color.glsl.

// `ink`: mean coverage of the picture's glyph, 0 to 255. `left`, `right`: whether text covers the neighbours in the row.
// What shines through text is the mean of a cell's two colours: which of them is the ink says nothing about its tone.
SHARED(Cell) compose_cell(IN(Cell) picture, uint ink, IN(OverlayCell) text, bool left, bool right,
                          IN(OverlayParameters) p) {
  Cell composed = picture;
  uint mean = blend(picture.foreground, picture.background, ink);
  if (text.glyph != OverlayNone) {
    composed.glyph = p.first_glyph + text.glyph;
    composed.foreground = text.foreground;
    composed.background = blend(text.paper | 0xFF000000u, mean, text.paper >> 24);
  } else if (picture.glyph >= p.wide_from) {
    // Half a wide glyph cannot stand alone: a terminal would move the rest of the row.
    bool is_left = ((picture.glyph - p.wide_from) & 1u) == 0u;
    if (is_left ? right : left) {
      composed.glyph = p.blank;
      composed.background = mean;
    }
  }
  return composed;
}
