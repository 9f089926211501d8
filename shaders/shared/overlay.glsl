// Composes text over the mapped cells. Requires structs.glsl and color.glsl.

// Composes one cell. `coverage`: mean coverage of the picture's glyph, 0 to 255. `left`, `right`: whether text
// covers the left and the right neighbor. Text is drawn over the mean of the picture cell's two colors, since neither
// color alone shows the cell's tone.
SHARED(Cell) compose_cell(IN(Cell) picture, uint coverage, IN(OverlayCell) text, bool left, bool right,
                          IN(OverlayParameters) p) {
  Cell composed = picture;
  uint mean = blend(picture.foreground, picture.background, coverage);
  if (text.glyph != OverlayNone) {
    composed.glyph = p.first_glyph + text.glyph;
    composed.foreground = text.foreground;
    composed.background = blend(text.background | 0xFF000000u, mean, text.background >> 24);
  } else if (picture.glyph >= p.wide_from) {
    // If text covers half of a wide glyph, the visible half becomes blank. Otherwise, a terminal would shift the rest
    // of the row.
    bool is_left = ((picture.glyph - p.wide_from) & 1u) == 0u;
    if (is_left ? right : left) {
      composed.glyph = p.blank;
      composed.background = mean;
    }
  }
  return composed;
}
