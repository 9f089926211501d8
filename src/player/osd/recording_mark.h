#pragma once

#include "player/osd/text_canvas.h"

namespace glyphreel::player {

/// "● 0:12" in the right upper corner of `canvas`, so long as a recording is under way. Returns the columns
/// that it takes: 0 where there is no room.
int draw_recording_mark(TextCanvas canvas, double seconds);

}  // namespace glyphreel::player
