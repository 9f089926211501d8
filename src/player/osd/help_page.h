#pragma once

#include <vector>

#include "cli/pages.h"
#include "player/osd/text_canvas.h"

namespace glyphreel::player {

using cli::HelpEntry;

/// Returns the number of pages that the entries need in an area of this size; at least 1.
[[nodiscard]] int help_page_count(const std::vector<HelpEntry>& entries, GridSize area);

/// Draws one page of the entries on a panel in the center of `canvas`. Chooses the number of columns so that
/// there are as few pages as possible. `page` counts from 0 and wraps around.
void draw_help_page(TextCanvas canvas, const std::vector<HelpEntry>& entries, int page);

}  // namespace glyphreel::player
