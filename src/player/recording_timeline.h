#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "media/audio_decoder.h"

namespace glyphreel::player {

/// A part of an input that is played without a seek. Both numbers count up and may wrap.
struct Passage {
  std::uint32_t input = 0;  ///< which of those opened
  std::uint32_t epoch = 0;  ///< see Frame::epoch
  bool operator==(const Passage&) const = default;
};

/// What is played, cut together without gaps: where each picture lies in a recording, and the sound that
/// belongs to it.
///
/// A recording has no pauses; a seek, a loop and the next input are cuts, and at twice the speed it runs
/// twice as fast. Pictures and sound are placed by their media time alone, so that they fit to the sample
/// however early or late the player had them. The sound tells the speed wherever there is some: it changes
/// between two samples, seconds after the key. Sound that was decoded ahead and never reached is left out,
/// and where there is none there is silence.
///
/// Times are seconds; media seconds as the container counts. Thread-safety: one thread at a time.
class RecordingTimeline {
 public:
  static constexpr int Rate = 48000;  ///< of the sound, Hz
  static constexpr int Channels = media::AudioBlock::Channels;

  /// The picture at this time of the passage is on the screen: the place in the recording at which it begins.
  /// A passage that does not play yet begins with it; the one before ends where it has been reached. `rate`:
  /// media seconds per second, by the player's clock.
  double show(Passage passage, double media_seconds, double rate);
  /// The passage has been played up to there. Nothing where another one plays.
  void reach(Passage passage, double media_seconds);
  /// Decoded sound at Rate, in order; it may be of passages that are yet to begin.
  void hear(Passage passage, std::shared_ptr<const media::AudioBlock> block);

  /// So long, in seconds of the recording, sound may come after its picture; then there is silence in its
  /// place.
  void set_patience(double seconds) { patience_ = seconds; }

  /// So long the recording is.
  [[nodiscard]] double seconds() const { return passage_ ? place(reached_) : 0; }
  /// Interleaved sound that is settled, from where the last call ended.
  [[nodiscard]] std::vector<float> take_sound();
  /// The recording ends here: the rest of its sound, up to seconds().
  [[nodiscard]] std::vector<float> take_last_sound();

 private:
  /// From `media_seconds` on.
  struct Piece {
    double media_seconds;
    double place;  ///< in the recording
    double speed;
  };
  struct Waiting {
    Passage passage;
    std::shared_ptr<const media::AudioBlock> block;
  };
  /// What becomes of places for which no sound has come.
  enum class Missing { Waits, Silence };

  void cut_to(Passage passage, double media_seconds, double rate);
  [[nodiscard]] double place(double media_seconds) const;
  [[nodiscard]] std::int64_t sample_at(double media_seconds) const;
  void note_sound(const media::AudioBlock& block);
  void change_speed(double media_seconds, double speed);
  void settle(Missing missing);
  [[nodiscard]] bool take_front(std::int64_t limit);
  void add_silence_until(std::int64_t sample);
  void drop_front();

  std::optional<Passage> passage_;  ///< that plays
  std::vector<Piece> pieces_;       ///< of it, by time
  double reached_ = 0;              ///< of it
  double shown_ = 0;                ///< time of its last picture
  double sound_end_ = 0;            ///< its sound is known up to there
  double patience_ = 1;

  std::deque<Waiting> waiting_;
  std::size_t waiting_frames_ = 0;
  std::size_t front_done_ = 0;  ///< frames of the first waiting block that are settled or cut off
  bool is_front_placed_ = false;
  bool is_first_block_ = true;    ///< of the passage: placed exactly
  std::vector<float> settled_;    ///< not taken yet
  std::int64_t settled_end_ = 0;  ///< samples settled since the recording's beginning
};

}  // namespace glyphreel::player
