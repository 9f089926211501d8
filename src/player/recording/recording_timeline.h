#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "media/decode/audio_decoder.h"

namespace glyphreel::player {

/// A part of an input that is played without a seek. Both numbers count up and may wrap.
struct PlaybackSegment {
  std::uint32_t input = 0;  ///< the number of the opened input
  std::uint32_t epoch = 0;  ///< see Frame::epoch
  bool operator==(const PlaybackSegment&) const = default;
};

/// Cuts what is played together without gaps: where in the recording each frame lies, and which audio
/// belongs to it.
///
/// A recording has no pauses; a seek, a loop and the next input are cuts, and at twice the speed it runs
/// twice as fast. Frames and audio are placed by their media time only, so that they match to the sample
/// however early or late the player had them. Where there is audio, it determines the speed, which changes
/// between two samples, seconds after the key was pressed. Audio that was decoded ahead and never reached
/// is left out, and where there is no audio there is silence.
///
/// Times are seconds; media seconds as the container counts. Thread-safety: one thread at a time.
class RecordingTimeline {
 public:
  static constexpr int Rate = 48000;  ///< of the audio, Hz
  static constexpr int Channels = media::AudioBlock::Channels;

  /// Adds the frame that is now on the screen, from this time of the segment, and returns where in the
  /// recording it begins. A segment that is not playing yet begins with it; the previous one ends at the
  /// point it has reached. `rate`: media seconds per second, by the player's clock.
  double push_frame(PlaybackSegment segment, double media_seconds, double rate);
  /// Notes that the segment has been played up to there. Does nothing if another segment is playing.
  void advance_to(PlaybackSegment segment, double media_seconds);
  /// Adds decoded audio at Rate, in order; it may belong to segments that have not begun yet.
  void push_audio(PlaybackSegment segment, std::shared_ptr<const media::AudioBlock> block);

  /// Sets how long, in seconds of the recording, audio may come after its frame; later than that, silence
  /// takes its place.
  void set_audio_timeout(double seconds) { audio_timeout_ = seconds; }

  /// Returns the length of the recording.
  [[nodiscard]] double seconds() const { return segment_ ? recording_time(played_until_) : 0; }
  /// Returns the interleaved audio that is final, from where the last call ended.
  [[nodiscard]] std::vector<float> take_audio();
  /// Ends the recording: returns the rest of its audio, up to seconds().
  [[nodiscard]] std::vector<float> take_last_audio();

 private:
  /// Where media time from `media_seconds` on lies in the recording.
  struct Piece {
    double media_seconds;
    double recording_seconds;  ///< from the recording's start
    double speed;
  };
  struct Waiting {
    PlaybackSegment segment;
    std::shared_ptr<const media::AudioBlock> block;
  };
  /// What happens where no audio has arrived.
  enum class Missing { Waits, Silence };

  void cut_to(PlaybackSegment segment, double media_seconds, double rate);
  [[nodiscard]] double recording_time(double media_seconds) const;
  [[nodiscard]] std::int64_t sample_at(double media_seconds) const;
  void note_audio(const media::AudioBlock& block);
  void change_speed(double media_seconds, double speed);
  void finalize(Missing missing);
  [[nodiscard]] bool finalize_front(std::int64_t limit);
  void add_silence_until(std::int64_t sample);
  void drop_front();

  std::optional<PlaybackSegment> segment_;  ///< the segment that is playing
  std::vector<Piece> pieces_;               ///< of it, by time
  double played_until_ = 0;                 ///< how far it has been played
  double shown_ = 0;                        ///< time of its last frame
  double audio_end_ = 0;                    ///< its audio is known up to there
  double audio_timeout_ = 1;

  std::deque<Waiting> waiting_;
  std::size_t waiting_frames_ = 0;
  std::size_t front_done_ = 0;  ///< frames of the first waiting block that are final or cut off
  bool is_front_placed_ = false;
  bool is_first_block_ = true;        ///< of the segment; it is placed exactly
  std::vector<float> final_samples_;  ///< not taken yet
  std::int64_t final_end_ = 0;        ///< samples final since the recording's start
};

}  // namespace glyphreel::player
