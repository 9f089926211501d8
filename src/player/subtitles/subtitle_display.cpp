#include "player/subtitles/subtitle_display.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "player/subtitles/subtitle_layout.h"

namespace glyphreel::player {
namespace {

// Limit for the undecoded packets of an unselected bitmap track: enough for the packets read ahead of
// playback, and for some that playback has passed.
constexpr std::size_t MaxWaitingPacketBytes = 4UL * 1024 * 1024;

}  // namespace

void SubtitleDisplay::open(const cli::Settings& settings, media::Source& source, const std::string& url) {
  source_ = &source;
  origin_ = static_cast<double>(source.facts().start_pts) * source.facts().time_base.value();
  delay_ = settings.subtitles.delay;
  notice_.clear();
  std::vector<media::SubtitleTrackInfo> infos = source.subtitle_tracks();
  for (media::SubtitleTrackInfo& file : media::find_subtitle_files(url)) infos.push_back(std::move(file));
  if (!settings.subtitles.file.empty()) infos.push_back({.path = settings.subtitles.file});
  for (const media::SubtitleTrackInfo& info : infos) tracks_.push_back({.info = info});

  int wanted = settings.subtitles.track;
  if (wanted == 0 && !settings.subtitles.file.empty()) wanted = track_count();
  if (wanted == 0) {
    const std::optional<std::size_t> suggested =
        media::default_subtitle_track(infos, source.facts().audio_language, settings.subtitles.languages);
    if (suggested) wanted = static_cast<int>(*suggested) + 1;
  }
  if (wanted <= 0) return;
  if (Result<void> selected = select(wanted); !selected) notice_ = selected.error().message;
}

void SubtitleDisplay::set_memory(HostMemory* memory) {
  memory_ = memory;
  bitmaps_ = std::make_unique<media::BitmapOverlay>(memory);
}

void SubtitleDisplay::close() {
  bitmaps_.reset();
  tracks_.clear();
  selected_ = 0;
}

std::string SubtitleDisplay::selected_name() const {
  if (selected_ == 0) return "no";
  const media::SubtitleTrackInfo& info = tracks_[static_cast<std::size_t>(selected_ - 1)].info;
  std::string name = fmt::format("{}", selected_);
  const auto add = [&](const std::string& part, const char* between) {
    if (!part.empty()) name += between + part;
  };
  add(info.is_file() ? info.path.substr(info.path.find_last_of('/') + 1) : info.codec, ": ");
  add(info.language, ", ");
  add(info.title, ", ");
  return name;
}

Result<void> SubtitleDisplay::select(int number) {
  selected_ = 0;
  if (number == 0) return {};
  if (number > track_count()) {
    return Error{
        ErrorCode::BadInput,
        track_count() == 0
            ? "This video has no subtitles; add some with --sub-file."
            : fmt::format("There is no subtitle track {}; choose a number from 1 to {}, or \"no\" for none.",
                          number, track_count()),
        {}};
  }
  Track& track = tracks_[static_cast<std::size_t>(number - 1)];
  TRY(load(track));
  selected_ = number;
  for (const auto& packet : track.waiting)
    track.events->add(track.decoder->decode(*packet), media::epoch_of(*packet));
  track.waiting.clear();
  track.waiting_bytes = 0;
  return {};
}

void SubtitleDisplay::queue_packet(Track& track, std::shared_ptr<const media::SubtitlePacket> packet) {
  if (!track.waiting.empty() && media::epoch_of(*track.waiting.back()) != media::epoch_of(*packet)) {
    track.waiting.clear();
    track.waiting_bytes = 0;
  }
  track.waiting_bytes += media::bytes_of(*packet);
  track.waiting.push_back(std::move(packet));
  while (track.waiting_bytes > MaxWaitingPacketBytes) {
    track.waiting_bytes -= media::bytes_of(*track.waiting.front());
    track.waiting.pop_front();
  }
}

Result<void> SubtitleDisplay::load(Track& track) {
  if (track.events) return {};
  if (track.info.is_file()) {
    TRY_ASSIGN(std::vector<media::SubtitleEvent> events, media::load_subtitle_file(track.info.path, {}));
    track.events = SubtitleTrack::of_file(std::move(events));
    return {};
  }
  TRY_ASSIGN(track.decoder, source_->open_subtitles(track.info.stream_index, {}));
  track.events.emplace();
  return {};
}

void SubtitleDisplay::read() {
  for (Track& track : tracks_) {
    if (track.info.is_file()) continue;
    while (std::shared_ptr<const media::SubtitlePacket> packet =
               source_->try_read_subtitle(track.info.stream_index)) {
      // Text is cheap to decode, so all text tracks are decoded, and a newly selected text track is shown at
      // once. Bitmaps are decoded only for the selected track.
      if (track.info.is_bitmap && &track != selected_track()) {
        queue_packet(track, std::move(packet));
        continue;
      }
      if (!load(track)) continue;
      track.events->add(track.decoder->decode(*packet), media::epoch_of(*packet));
    }
  }
}

std::optional<SubtitleDisplay::Change> SubtitleDisplay::update(std::optional<double> seconds,
                                                               std::optional<GridSize> grid) {
  read();
  std::vector<EventPtr> visible;
  if (const Track* track = selected_track(); is_visible_ && seconds && grid && track != nullptr) {
    visible = track->events->visible_at((track->info.is_file() ? *seconds : *seconds + origin_) - delay_);
  }
  if (visible == shown_ && (shown_.empty() || grid == grid_)) return std::nullopt;
  const auto is_bitmap = [](const EventPtr& event) { return event->bitmap != nullptr; };
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
  for (const EventPtr& event : shown_) {
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
