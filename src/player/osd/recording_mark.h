#pragma once

#include "player/osd/text_canvas.h"

namespace glyphreel::player {

/// Draws "● 0:12" in the upper right corner of `canvas` while a recording is in progress. Returns the
/// columns used: 0 if there is no room.
int draw_recording_mark(TextCanvas canvas, double seconds);

}  // namespace glyphreel::player
