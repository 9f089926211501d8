#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/settings.h"
#include "media/source.h"
#include "player/subtitles.h"

namespace glyphreel::player {

/// The subtitles of one input: its tracks and the files beside it, which of them is chosen, and what that
/// shows now. Thread-safety: the player's thread alone.
class SubtitleChoice {
 public:
  /// `source` outlives it. `settings`: --sid, --sub-file, --sub-delay.
  SubtitleChoice(const cli::Settings& settings, media::Source& source, const std::string& url);
  ~SubtitleChoice();
  SubtitleChoice(const SubtitleChoice&) = delete;
  SubtitleChoice& operator=(const SubtitleChoice&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(tracks_.size()); }
  /// From 1; 0: none.
  [[nodiscard]] int chosen() const { return chosen_; }
  /// For people: "2: subrip, eng"; "no" where none is chosen.
  [[nodiscard]] std::string chosen_name() const;
  /// Errors: BadInput where the track cannot be read; then none is chosen.
  [[nodiscard]] Result<void> choose(int number);

  void set_delay(double seconds);
  [[nodiscard]] double delay() const { return delay_; }

  /// Decodes what has been read of the input's tracks.
  void read();
  using EventPtr = SubtitleTrack::EventPtr;
  /// What the chosen track shows at a time from the stream's start.
  [[nodiscard]] std::vector<EventPtr> visible_at(double seconds) const;
  /// What is wrong with --sid or --sub-file, once; empty: nothing.
  [[nodiscard]] std::string take_notice() { return std::exchange(notice_, {}); }

 private:
  struct Track {
    media::SubtitleTrackInfo info;
    std::unique_ptr<media::SubtitleDecoder> decoder;  ///< of a stream; null: not opened
    std::unique_ptr<SubtitleTrack> events;            ///< null: not loaded
    std::deque<std::shared_ptr<const media::SubtitlePacket>>
        waiting;  ///< pictures, not decoded until it is chosen
    std::size_t waiting_bytes = 0;
  };
  [[nodiscard]] Result<void> load(Track& track);
  static void keep(Track& track, std::shared_ptr<const media::SubtitlePacket> packet);

  media::Source& source_;
  double origin_ = 0;  ///< of the container's time, where the stream's start is
  std::vector<Track> tracks_;
  int chosen_ = 0;
  double delay_ = 0;
  std::string notice_;
};

}  // namespace glyphreel::player
