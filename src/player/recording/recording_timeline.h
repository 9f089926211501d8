#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "media/decode/audio_decoder.h"

namespace glyphreel::player {

/// A part of an input that is played without a seek. `input` and `epoch` increase over time and may wrap.
struct PlaybackSegment {
  std::uint32_t input = 0;  ///< the number of the opened input
  std::uint32_t epoch = 0;  ///< see Frame::epoch
  bool operator==(const PlaybackSegment&) const = default;
};

/// Timeline of a recording: places the played segments one after another without gaps, and computes the
/// position of each frame and its audio in the recording.
///
/// Pauses are left out. A seek, a loop and a change of the input are cuts. The recording has the speed of
/// playback. The position of frames and audio depends only on their media time, not on when they were decoded
/// or shown, so their sync is sample-accurate. Where there is audio, the recording uses the speed for which
/// the audio was decoded. When the user changes the speed, some audio has already been decoded for the old
/// speed. The recording's speed changes after this audio, which may be seconds later. Audio that was decoded
/// ahead but not played is left out. Missing audio becomes silence.
///
/// All times are in seconds. Media times are on the container's clock.
/// Thread-safety: one thread at a time.
class RecordingTimeline {
 public:
  static constexpr int Rate = 48000;  ///< audio sample rate, Hz
  static constexpr int Channels = media::AudioBlock::Channels;

  /// Adds a frame that is on the screen from `media_seconds` on. Returns the frame's position in the
  /// recording. If `segment` is new, it begins with this frame, and the previous segment ends at the position
  /// that playback had reached.
  /// `rate`: media seconds per second of the player's clock.
  double push_frame(PlaybackSegment segment, double media_seconds, double rate);
  /// Notes that the segment has been played up to `media_seconds`. Does nothing if a different segment is
  /// playing.
  void advance_to(PlaybackSegment segment, double media_seconds);
  /// Adds decoded audio, whose sample rate must be Rate. Blocks must be added in playback order. `segment`
  /// may be one that has not begun yet.
  void push_audio(PlaybackSegment segment, std::shared_ptr<const media::AudioBlock> block);

  /// Sets how long to wait for missing audio: if audio has not arrived when the recording is this many
  /// seconds past the audio's position, silence replaces it.
  void set_audio_timeout(double seconds) { audio_timeout_ = seconds; }

  /// Returns the duration of the recording so far.
  [[nodiscard]] double seconds() const { return segment_ ? recording_time(played_until_) : 0; }
  /// Returns the next interleaved samples, up to the first audio that is still missing.
  [[nodiscard]] std::vector<float> take_audio();
  /// Ends the recording: returns the rest of its audio, up to seconds().
  [[nodiscard]] std::vector<float> take_last_audio();

 private:
  /// A part of segment_ that has constant speed. The part begins at the media time `media_seconds`, which is
  /// at `recording_seconds` in the recording.
  struct Piece {
    double media_seconds;
    double recording_seconds;  ///< from the recording's start
    double speed;
  };
  struct Waiting {
    PlaybackSegment segment;
    std::shared_ptr<const media::AudioBlock> block;
  };
  /// What to do about missing audio: wait for it, or replace it with silence.
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
  std::vector<Piece> pieces_;               ///< pieces of segment_, in the order of time
  double played_until_ = 0;                 ///< media time up to which segment_ has been played
  double shown_ = 0;                        ///< media time of the last frame of segment_
  double audio_end_ = 0;                    ///< media time up to which audio of segment_ has arrived
  double audio_timeout_ = 1;

  std::deque<Waiting> waiting_;
  std::size_t waiting_frames_ = 0;
  std::size_t front_done_ = 0;  ///< audio frames of the first waiting block that were output or skipped
  bool is_front_placed_ = false;
  /// True until the first audio block of segment_ is placed. The first block is placed exactly at its
  /// timestamp. A later block directly follows the previous block if the gap or overlap between the two is
  /// only a rounding error.
  bool is_first_block_ = true;
  std::vector<float> final_samples_;  ///< output samples that take_audio() has not returned yet
  std::int64_t final_end_ = 0;        ///< number of audio frames that were output so far
};

}  // namespace glyphreel::player
