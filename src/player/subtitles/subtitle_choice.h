#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/settings.h"
#include "media/source.h"
#include "player/subtitles/subtitles.h"

namespace glyphreel::player {

/// The subtitles of one input: the tracks inside it and the files next to it, which one is selected, and
/// what it shows now.
/// Thread-safety: the player's thread only.
class SubtitleChoice {
 public:
  /// `source` must outlive this object. `settings`: --sid, --sub-file, --sub-delay.
  SubtitleChoice(const cli::Settings& settings, media::Source& source, const std::string& url);
  ~SubtitleChoice() = default;
  SubtitleChoice(const SubtitleChoice&) = delete;
  SubtitleChoice& operator=(const SubtitleChoice&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(tracks_.size()); }
  /// Number of the selected track, from 1; 0: none.
  [[nodiscard]] int chosen() const { return chosen_; }
  /// As shown to the user: "2: subrip, eng"; "no" if none is selected.
  [[nodiscard]] std::string chosen_name() const;
  /// Selects a track. Errors: BadInput if the track cannot be read; then none is selected.
  [[nodiscard]] Result<void> choose(int number);

  /// Sets the seconds by which everything is shown later; negative: earlier.
  void set_delay(double seconds) { delay_ = seconds; }
  [[nodiscard]] double delay() const { return delay_; }

  /// Decodes the packets that have been read from the input's tracks.
  void read();
  using EventPtr = SubtitleTrack::EventPtr;
  /// Returns what the selected track shows at a time from the stream's start.
  [[nodiscard]] std::vector<EventPtr> visible_at(double seconds) const;
  /// Returns what is wrong with --sid or --sub-file, the first time it is called; empty: nothing.
  [[nodiscard]] std::string take_notice() { return std::exchange(notice_, {}); }

 private:
  struct Track {
    media::SubtitleTrackInfo info;
    std::unique_ptr<media::SubtitleDecoder> decoder;  ///< for a track of the input; null: not opened
    std::optional<SubtitleTrack> events;              ///< empty: not loaded
    std::deque<std::shared_ptr<const media::SubtitlePacket>>
        waiting;  ///< packets of an unselected bitmap track, not decoded yet
    std::size_t waiting_bytes = 0;
  };
  [[nodiscard]] Result<void> load(Track& track);
  static void queue_packet(Track& track, std::shared_ptr<const media::SubtitlePacket> packet);

  media::Source& source_;
  double origin_ = 0;  ///< the stream's start on the container's clock, in seconds
  std::vector<Track> tracks_;
  int chosen_ = 0;
  double delay_ = 0;
  std::string notice_;
};

}  // namespace glyphreel::player
