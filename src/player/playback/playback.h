#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "media/source.h"
#include "player/audio/audio_player.h"
#include "player/playback/decode_thread.h"
#include "player/playback/pacing.h"
#include "player/playback/phase.h"
#include "player/playback/presentation_clock.h"
#include "session/setup.h"
#include "session/statistics.h"

namespace glyphreel::player {

/// User settings that stay the same when the next input starts.
struct PlaybackControls {
  bool paused = false;
  double speed = 1;     ///< media seconds per second, MinSpeed to MaxSpeed
  double volume = 100;  ///< percent, 0 to MaxVolume
  bool muted = false;
  double audio_delay = 0;  ///< seconds by which audio is delayed

  static constexpr double MinSpeed = 0.25;
  static constexpr double MaxSpeed = 4;
  static constexpr double MaxVolume = 130;
};

/// Plays one input: decodes it, plays its audio, runs the clock, and decides which frame is due. Does not
/// draw: the owner calls step(), shows the frame that step() returns, and then calls shown().
///
/// Times are seconds from the stream's start. After a seek, the first frame is shown, and then the audio and
/// the clock start.
/// Thread-safety: the player's thread only.
class Playback {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    std::string url;
    StageTimes* times = nullptr;
    session::Statistics* statistics = nullptr;
    PlaybackControls controls = {};
    int audio_track = 0;  ///< see media::SourceOptions
    /// How many seconds a still image is shown; empty: until the user goes to another input.
    std::optional<double> still_seconds = std::nullopt;
    std::stop_token stop_opening = {};                            ///< a stop request interrupts open()
    std::function<void(const media::AudioBlock&)> on_audio = {};  ///< see AudioPlayer::Options::on_decoded
    std::function<void()> wake;  ///< ends the owner's wait; called on any thread
    /// Used instead of opening `url`. Only tests set this and `open_audio`.
    std::unique_ptr<media::Source> source = nullptr;
    std::function<Result<std::unique_ptr<AudioPlayer>>(AudioPlayer::Options)> open_audio = AudioPlayer::open;
  };
  /// Opens the input. Nothing is decoded before begin(). Errors: those of opening the input.
  [[nodiscard]] static Result<std::unique_ptr<Playback>> open(const cli::Settings& settings, Options options);
  ~Playback();
  Playback(const Playback&) = delete;
  Playback& operator=(const Playback&) = delete;

  /// Starts decoding. `memory`: where software decoders write frames, see media::SourceOptions; may be null;
  /// must outlive the Playback. `hardware`: the hardware decoders that may be used instead.
  void begin(HostMemory* memory, media::HwDecodeContext hardware = {});

  [[nodiscard]] const media::VideoFacts& facts() const { return source_->facts(); }
  [[nodiscard]] const PlaybackControls& controls() const { return controls_; }
  /// Returns the current position; during a seek, the target of the seek.
  [[nodiscard]] double position(TimePoint now) const;
  /// Returns the time at which the shown frame starts. An exact seek to this position shows the same frame
  /// again. Returns position() during a seek, and while the output is hidden.
  [[nodiscard]] double frame_position(TimePoint now) const;
  /// Returns where the input starts, see --start.
  [[nodiscard]] double start_seconds() const { return source_->range().start_seconds.value_or(0); }
  [[nodiscard]] std::optional<double> duration() const { return facts().duration_seconds; }
  [[nodiscard]] bool is_seeking() const { return std::holds_alternative<phase::Seeking>(phase_); }
  /// Whether the clock is running. False during a pause or a seek, and while playback waits for the audio or
  /// the network.
  [[nodiscard]] bool is_playing() const {
    return std::holds_alternative<phase::Playing>(phase_) && clock_.running();
  }
  /// Whether playback is waiting for the network.
  [[nodiscard]] bool is_buffering() const { return std::holds_alternative<phase::Buffering>(phase_); }
  [[nodiscard]] media::Source& source() { return *source_; }
  [[nodiscard]] media::ReadAhead read_ahead() const { return source_->read_ahead(); }
  /// How far the input has been played.
  struct Played {
    std::uint32_t epoch = 0;   ///< of last_frame()
    double media_seconds = 0;  ///< container time that playback has reached; a pending seek does not count
    double rate = 1;           ///< media seconds per second
  };
  /// Returns how far the input has been played; empty before the first frame.
  [[nodiscard]] std::optional<Played> played(TimePoint now) const;
  /// Returns the audio's media time when the last frame was shown, minus the media time of that frame, in
  /// milliseconds; empty without audio.
  [[nodiscard]] std::optional<double> av_offset_ms() const { return av_offset_ms_; }
  [[nodiscard]] const AudioPlayer* audio() const { return audio_.get(); }
  /// Returns why the input's audio cannot be played; empty if it can, or if the reason was returned before.
  [[nodiscard]] std::string take_audio_failure() { return std::exchange(audio_failure_, {}); }
  /// Returns a message for the user that is not about audio, for example why a seek failed. Returns each
  /// message only once; empty if there is no new message.
  [[nodiscard]] std::string take_notice() { return std::exchange(notice_, {}); }

  /// Seeks to `seconds`. An input that is not seekable can only skip forward: to `seconds` or to the first
  /// position that is not decoded yet, whichever is later. If playback of such an input has already passed
  /// `seconds`, playback just continues, and take_notice() returns the reason. Returns whether the position
  /// changes.
  bool seek(double seconds, media::SeekMode mode);
  /// `Frame`: seek_by() starts from frame_position(), and seeks to the exact frame. `Keyframe`: it starts
  /// from position(), and seeks to a keyframe. The keyframe is at or after the target time if `seconds` is
  /// positive; otherwise, the keyframe is at or before the target time.
  enum class SeekUnit { Frame, Keyframe };
  /// Seeks relative to the current position or to the target of a pending seek, so that repeated keys add up.
  /// If the input is not seekable, always uses SeekUnit::Frame.
  void seek_by(double seconds, SeekUnit unit, TimePoint now);
  void set_paused(bool paused, TimePoint now);
  void step_forward(TimePoint now);
  void step_back(TimePoint now);
  void set_speed(double speed, TimePoint now);
  void set_volume(double percent);
  void set_muted(bool muted);
  void set_audio_delay(double seconds);
  /// Sets a loop: when playback reaches `b`, it continues at `a`. If `b` is empty, playback continues at `a`
  /// after the end of the input. If `a` and `b` are empty, there is no loop.
  void set_loop(std::optional<double> a, std::optional<double> b) {
    loop_.a = a;
    loop_.b = b;
  }
  /// Whether the input will play again because of --loop-file N.
  [[nodiscard]] bool will_repeat() const { return settings_.playback.repeats > 0 && loop_.plays_left > 1; }
  void end_repeats() {
    if (will_repeat()) loop_.plays_left = 1;
  }

  void set_screen_timing(const ScreenTiming& screen) { screen_ = screen; }

  /// Whether the output can show a frame now.
  enum class Visibility {
    Visible,
    Pending,  ///< the last frame is still being presented: a due frame waits, and may be dropped
    Hidden,   ///< the output is hidden: time advances, and frames are dropped
  };
  struct StepResult {
    const Frame* show = nullptr;  ///< a new frame to show now; null: nothing new. Valid until the next step()
    double wait_seconds = 0;      ///< seconds until the next step() is needed
    bool ended = false;
  };
  /// Decides what to show now. Errors: the error that ended decoding early.
  [[nodiscard]] Result<StepResult> step(TimePoint now, Visibility visibility);
  /// Reports that the frame of the last step() is on the screen.
  void shown(TimePoint at);
  /// Returns the last frame shown; null before the first.
  [[nodiscard]] const Frame* last_frame() const { return last_ ? &*last_ : nullptr; }

 private:
  Playback(const cli::Settings& settings, Options options);
  void open_audio();
  [[nodiscard]] std::optional<double> next_reachable(double seconds, media::SeekMode mode) const;
  void goto_loop_start();

  [[nodiscard]] StepResult step_seeking(TimePoint now, Visibility visibility);
  [[nodiscard]] StepResult step_paused(phase::Paused& paused, Visibility visibility);
  [[nodiscard]] StepResult show_first();
  [[nodiscard]] StepResult show_due(TimePoint now, Visibility visibility);
  [[nodiscard]] StepResult step_at_end(TimePoint now);
  [[nodiscard]] Frame pop_front();
  void set_last(Frame frame);
  void take_front_unpaced();

  void start(const phase::Seeking& seek, TimePoint at);
  void start_clock(TimePoint at);
  void resume_clock(TimePoint now);
  void stop_clock(TimePoint now);
  void sync_clock(TimePoint now);
  [[nodiscard]] bool waits_for_network(TimePoint now);
  [[nodiscard]] bool is_overdue(TimePoint now) const;
  [[nodiscard]] bool has_buffered() const;
  void end_buffering(bool restarts, TimePoint now);

  [[nodiscard]] double refresh_interval() const {
    return settings_.playback.untimed ? 0 : screen_.interval * clock_.rate();
  }
  [[nodiscard]] double on_screen_at(TimePoint at) const {
    return clock_.seconds(at) + (settings_.playback.untimed ? 0 : screen_delay(screen_) * clock_.rate());
  }
  void measure_av_offset(TimePoint at);

  /// If `a` is set, playback continues at position `a` when it reaches position `b` or the end of the input.
  struct Loop {
    std::optional<double> a, b;
    int plays_left = 1;              ///< remaining plays of the input; 0: loops forever
    bool is_without_frames = false;  ///< no frame was shown since the last seek to the loop's start
  };

  const cli::Settings& settings_;
  Options options_;
  session::Statistics& statistics_;
  session::DeferredHostMemory memory_;
  media::DeferredHwDecode hardware_;
  std::unique_ptr<media::Source> source_;  ///< null only while the input is being opened
  double origin_ = 0;                      ///< container time at position 0, seconds
  PlaybackControls controls_;
  std::unique_ptr<AudioPlayer> audio_;  // destroyed before the source that it reads
  std::unique_ptr<DecodeThread> decoder_;
  std::uint32_t epoch_ = 0;  ///< epoch of the frames to show; a seek or a reopened live input changes it
  PresentationClock clock_;
  Phase phase_;
  Loop loop_;

  std::optional<Frame> last_;     ///< the last frame returned by step()
  bool is_past_last_ = false;     ///< whether frames after last_ were dropped because the output was hidden
  double end_seconds_ = 0;        ///< container time at the end of the last frame returned or dropped
  double on_screen_seconds_ = 0;  ///< container time of clock_ when last_ appeared on the screen
  double late_seconds_ = 0;       ///< how late last_ was
  ScreenTiming screen_;
  std::optional<double> av_offset_ms_;
  std::string audio_failure_, notice_;
  std::vector<double> times_seconds_;  ///< times of the waiting frames; a member to avoid repeated allocation
};

}  // namespace glyphreel::player
