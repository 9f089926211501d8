#pragma once

#include <string>
#include <vector>

#include "player/osd/text_canvas.h"

namespace glyphreel::player {

/// A line of the help page.
struct HelpEntry {
  std::string keys;   ///< as shown to the user: "space, p"
  std::string does;   ///< "pause and go on"
  std::string group;  ///< the heading above it; groups keep the order of their first entries
};

/// Returns the number of pages that the entries need in an area of this size; at least 1.
[[nodiscard]] int help_page_count(const std::vector<HelpEntry>& entries, GridSize area);

/// Draws one page of the entries on a panel in the center of `canvas`, in as many columns as fit. `page`
/// counts from 0 and wraps around.
void draw_help_page(TextCanvas canvas, const std::vector<HelpEntry>& entries, int page);

}  // namespace glyphreel::player
