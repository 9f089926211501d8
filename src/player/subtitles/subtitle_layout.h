#pragma once

#include <memory>
#include <span>

#include "base/geometry.h"
#include "media/subtitle/subtitle_event.h"
#include "render/text_layer.h"

namespace glyphreel::player {

/// Lays out the text of events on a grid; events with bitmaps are skipped. Lines are at the bottom, middle or
/// top according to their alignment, stacked in the order of the events. Each line has a black background
/// that extends one cell beyond the text on both sides. Long lines break between words, or between the
/// characters of scripts without spaces, into parts of similar width, at most 72 cells each. If the text
/// would cover more than a third of the rows, the layout drops the limit of 72 cells; if necessary, also the
/// text's own line breaks, and then the margins. Text that exceeds the grid ends in an ellipsis. Identical
/// text is shown once. Returns a layer without cells if there is nothing to show.
[[nodiscard]] render::TextLayer layout_subtitles(
    std::span<const std::shared_ptr<const media::SubtitleEvent>> events, GridSize grid);

}  // namespace glyphreel::player
