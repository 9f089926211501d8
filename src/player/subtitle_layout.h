#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/geometry.h"
#include "media/subtitle_event.h"
#include "render/text_layer.h"

namespace glyphreel::player {

struct SubtitleStyle {
  std::uint32_t foreground = 0xFFFFFF;  ///< 0xRRGGBB, of text without a colour of its own
  std::uint32_t background = 0x000000;
  std::uint8_t opacity = 176;  ///< of the background
  int bottom_rows = -1;        ///< cells kept free below and above; negative: by the grid's height
};

/// Lays the text of events into a grid; those with bitmaps are passed over. Lines stand at the bottom, in the
/// middle or at the top as their alignment says, in the order of the events, those of one height below one
/// another; each on a background one cell wider on both sides. Lines too long are broken between words, or
/// between the characters of scripts without spaces, into parts of like width, 72 cells at most. What would
/// cover more than a third of the grid gives up that bound, its own line breaks, then the margins; what the
/// grid cannot hold ends in an ellipsis. The same text twice is shown once. A layer without cells where there
/// is nothing to show.
[[nodiscard]] render::TextLayer layout_subtitles(
    std::span<const std::shared_ptr<const media::SubtitleEvent>> events, GridSize grid,
    const SubtitleStyle& style);

}  // namespace glyphreel::player
