#include "player/subtitles/subtitle_choice.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace glyphreel::player {
namespace {

// Limit for an unselected bitmap track: covers the packets read ahead of playback and some already past.
constexpr std::size_t MaxWaitingBytes = 4UL * 1024 * 1024;

}  // namespace

SubtitleChoice::SubtitleChoice(const cli::Settings& settings, media::Source& source, const std::string& url)
    : source_(source),
      origin_(static_cast<double>(source.facts().start_pts) * source.facts().time_base.value()),
      delay_(settings.subtitle_delay) {
  std::vector<media::SubtitleTrackInfo> infos = source.subtitle_tracks();
  for (media::SubtitleTrackInfo& file : media::find_subtitle_files(url)) infos.push_back(std::move(file));
  if (!settings.subtitle_file.empty()) infos.push_back({.path = settings.subtitle_file});
  for (media::SubtitleTrackInfo& info : infos)
    tracks_.push_back({.info = info, .decoder = nullptr, .events = {}});

  int wanted = settings.subtitle_track;
  if (wanted == 0 && !settings.subtitle_file.empty()) wanted = count();
  if (wanted == 0) {
    const std::optional<std::size_t> suggested =
        media::default_subtitle_track(infos, source.facts().audio_language);
    if (suggested) wanted = static_cast<int>(*suggested) + 1;
  }
  if (wanted <= 0) return;
  if (Result<void> chosen = choose(wanted); !chosen) notice_ = chosen.error().message;
}

std::string SubtitleChoice::chosen_name() const {
  if (chosen_ == 0) return "no";
  const media::SubtitleTrackInfo& info = tracks_[static_cast<std::size_t>(chosen_ - 1)].info;
  std::string name = fmt::format("{}", chosen_);
  const std::string& file = info.path;
  const auto add = [&](const std::string& part, const char* between) {
    if (!part.empty()) name += between + part;
  };
  add(info.is_file() ? file.substr(file.find_last_of('/') + 1) : info.codec, ": ");
  add(info.language, ", ");
  add(info.title, ", ");
  return name;
}

Result<void> SubtitleChoice::choose(int number) {
  chosen_ = 0;
  if (number == 0) return {};
  if (number > count()) {
    return Error{ErrorCode::BadInput,
                 fmt::format("There is no subtitle track {}: there {} {}.", number,
                             count() == 1 ? "is" : "are", count()),
                 {}};
  }
  Track& track = tracks_[static_cast<std::size_t>(number - 1)];
  TRY(load(track));
  chosen_ = number;
  for (const auto& packet : track.waiting)
    track.events->add(track.decoder->decode(*packet), media::epoch_of(*packet));
  track.waiting.clear();
  track.waiting_bytes = 0;
  return {};
}

void SubtitleChoice::queue_packet(Track& track, std::shared_ptr<const media::SubtitlePacket> packet) {
  if (!track.waiting.empty() && media::epoch_of(*track.waiting.back()) != media::epoch_of(*packet)) {
    track.waiting.clear();
    track.waiting_bytes = 0;
  }
  track.waiting_bytes += media::bytes_of(*packet);
  track.waiting.push_back(std::move(packet));
  while (track.waiting_bytes > MaxWaitingBytes) {
    track.waiting_bytes -= media::bytes_of(*track.waiting.front());
    track.waiting.pop_front();
  }
}

Result<void> SubtitleChoice::load(Track& track) {
  if (track.events) return {};
  if (track.info.is_file()) {
    TRY_ASSIGN(std::vector<media::SubtitleEvent> events, media::load_subtitle_file(track.info.path, {}));
    track.events = SubtitleTrack::of_file(std::move(events));
    return {};
  }
  TRY_ASSIGN(track.decoder, source_.open_subtitles(track.info.stream_index, {}));
  track.events.emplace();
  return {};
}

void SubtitleChoice::read() {
  for (Track& track : tracks_) {
    if (track.info.is_file()) continue;
    while (std::shared_ptr<const media::SubtitlePacket> packet =
               source_.try_read_subtitle(track.info.stream_index)) {
      // Text is cheap to decode, so a change of track shows at once; bitmaps are decoded only for the
      // selected track.
      const bool is_chosen = chosen_ > 0 && &track == &tracks_[static_cast<std::size_t>(chosen_ - 1)];
      if (track.info.is_bitmap && !is_chosen) {
        queue_packet(track, std::move(packet));
        continue;
      }
      if (!load(track)) continue;
      track.events->add(track.decoder->decode(*packet), media::epoch_of(*packet));
    }
  }
}

std::vector<SubtitleChoice::EventPtr> SubtitleChoice::visible_at(double seconds) const {
  if (chosen_ == 0) return {};
  const Track& track = tracks_[static_cast<std::size_t>(chosen_ - 1)];
  return track.events->visible_at((track.info.is_file() ? seconds : seconds + origin_) - delay_);
}

}  // namespace glyphreel::player
