#pragma once

#include <string>
#include <vector>

#include "player/osd/text_canvas.h"

namespace glyphreel::player {

/// A line of the help page.
struct HelpEntry {
  std::string keys;   ///< for people: "space, p"
  std::string does;   ///< "pause and go on"
  std::string group;  ///< the heading it stands under; groups stand in the order of their first entries
};

/// How many pages the entries need in an area of the size; at least 1.
[[nodiscard]] int help_page_count(const std::vector<HelpEntry>& entries, GridSize area);

/// One page of them on a panel in the midst of `canvas`, in as many columns as fit. `page` is counted from 0
/// and wraps around.
void draw_help_page(TextCanvas canvas, const std::vector<HelpEntry>& entries, int page);

}  // namespace glyphreel::player
