#include "player/subtitles/subtitle_display.h"

#include <algorithm>
#include <utility>

#include "base/io/log.h"
#include "player/subtitles/subtitle_layout.h"

namespace glyphreel::player {

void SubtitleDisplay::open(const cli::Settings& settings, media::Source& source, const std::string& url) {
  tracks_ = std::make_unique<SubtitleChoice>(settings, source, url);
}

void SubtitleDisplay::set_memory(HostMemory* memory) {
  memory_ = memory;
  bitmaps_ = std::make_unique<media::BitmapOverlay>(memory);
}

void SubtitleDisplay::close() {
  bitmaps_.reset();
  tracks_.reset();
}

std::optional<SubtitleDisplay::Change> SubtitleDisplay::update(std::optional<double> seconds,
                                                               std::optional<GridSize> grid) {
  tracks_->read();
  std::vector<SubtitleChoice::EventPtr> visible;
  if (is_visible_ && seconds && grid) visible = tracks_->visible_at(*seconds);
  if (visible == shown_ && (shown_.empty() || grid == grid_)) return std::nullopt;
  const auto is_bitmap = [](const SubtitleChoice::EventPtr& event) { return event->bitmap != nullptr; };
  Change change;
  change.has_bitmap = std::any_of(visible.begin(), visible.end(), is_bitmap) ||
                      std::any_of(shown_.begin(), shown_.end(), is_bitmap);
  shown_ = std::move(visible);
  grid_ = grid;
  if (grid) change.text = layout_subtitles(shown_, *grid);
  return change;
}

Frame SubtitleDisplay::composited(const Frame& frame, std::optional<GridSize> grid) {
  std::vector<std::shared_ptr<const media::BitmapSubtitle>> bitmaps;
  for (const SubtitleChoice::EventPtr& event : shown_) {
    if (event->bitmap) bitmaps.push_back(event->bitmap);
  }
  if (bitmaps.empty() || !grid) return frame;
  const Result<Frame> host = on_host(frame, memory_);
  if (!host) {
    log::warn("{}", host.error().message);
    return frame;
  }
  return bitmaps_->over(*host, bitmaps, media::readable_in_rows(grid->rows));
}

}  // namespace glyphreel::player
