// The shots of the clip. Each draws itself at `t` seconds after its own beginning.
#pragma once

#include "canvas.h"

namespace demo {

void draw_dusk(Canvas& canvas, float t);
void draw_title(Canvas& canvas, float t);
void draw_runner_red(Canvas& canvas, float t);
void draw_runner_night(Canvas& canvas, float t);
void draw_knot(Canvas& canvas, float t);
void draw_city(Canvas& canvas, float t);
void draw_tunnel(Canvas& canvas, float t);
void draw_aurora(Canvas& canvas, float t);
void draw_end_card(Canvas& canvas, float t);

}  // namespace demo
