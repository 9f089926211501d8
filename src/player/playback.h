#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "cli/settings.h"
#include "media/source.h"
#include "player/decode_thread.h"
#include "player/presentation_clock.h"
#include "player/setup.h"
#include "player/sound.h"
#include "player/statistics.h"

namespace glyphreel::player {

/// What stays as the user set it from one input to the next.
struct PlaybackControls {
  bool paused = false;
  double speed = 1;     ///< media seconds per second, LeastSpeed to MostSpeed
  double volume = 100;  ///< percent, 0 to MostVolume
  bool muted = false;
  double audio_delay = 0;  ///< seconds by which sound comes later

  static constexpr double LeastSpeed = 0.25;
  static constexpr double MostSpeed = 4;
  static constexpr double MostVolume = 130;
};

/// One input being played: decoding, sound, the clock, and which frame is due. Knows no screen: its owner
/// calls turn(), shows the frame that it is told to, and says so by shown().
///
/// Times are seconds from the stream's start. Seeks show their picture first; sound and clock start with it.
/// Thread-safety: the player's thread alone.
class Playback {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    std::string url;
    StageTimes* times = nullptr;
    Statistics* statistics = nullptr;
    PlaybackControls controls = {};
    int audio_track = 0;  ///< see media::SourceOptions
    std::optional<double> still_seconds =
        std::nullopt;                   ///< how long a still image is shown; empty: until the user goes on
    std::stop_token stop_opening = {};  ///< a request ends open() soon
    std::function<void(const media::AudioBlock&)> on_sound = {};  ///< see Sound::Options::on_decoded
    std::function<void()> wake;                                   ///< ends the owner's wait; any thread
    std::unique_ptr<media::Source> source = nullptr;  ///< instead of the url's: for tests, as is the next
    std::function<Result<std::unique_ptr<Sound>>(Sound::Options)> open_sound = Sound::open;
  };
  /// Opens the input; nothing is decoded before begin(). Errors: the input's.
  [[nodiscard]] static Result<std::unique_ptr<Playback>> open(const cli::Settings& settings, Options options);
  ~Playback();
  Playback(const Playback&) = delete;
  Playback& operator=(const Playback&) = delete;

  /// Starts to decode, to `memory` (see media::SourceOptions; may be null), which outlives the Playback, or
  /// by `hardware`.
  void begin(HostMemory* memory, media::HardwareOffer hardware = {});

  [[nodiscard]] const media::VideoFacts& facts() const { return source_->facts(); }
  [[nodiscard]] const PlaybackControls& controls() const { return controls_; }
  /// Where playing is now; while a seek is under way, where it leads to.
  [[nodiscard]] double position(TimePoint now) const;
  /// position(), or where the picture that is shown begins unless it stands for long: an exact seek to there
  /// leads to that picture, not to the next.
  [[nodiscard]] double picture_position(TimePoint now) const;
  [[nodiscard]] std::optional<double> duration() const { return facts().duration_seconds; }
  [[nodiscard]] bool is_seeking() const { return phase_ == Phase::Seeking; }
  /// Playing waits for the network.
  [[nodiscard]] bool is_buffering() const { return stalled_; }
  [[nodiscard]] media::Source& source() { return *source_; }
  [[nodiscard]] media::ReadAhead read_ahead() const { return source_->read_ahead(); }
  /// How far was played.
  struct Played {
    std::uint32_t epoch = 0;   ///< that of last_frame()
    double media_seconds = 0;  ///< as Frame::pts_seconds(); while a seek is under way, where it began
    double rate = 1;           ///< media seconds per second
  };
  /// Empty before the first frame.
  [[nodiscard]] std::optional<Played> played(TimePoint now) const;
  /// Sound minus picture as heard and shown last, milliseconds; empty without sound.
  [[nodiscard]] std::optional<double> av_offset_ms() const { return av_offset_ms_; }
  [[nodiscard]] const Sound* sound() const { return sound_.get(); }
  /// Why the input's sound cannot be heard; empty: it can, or that was said.
  [[nodiscard]] std::string take_sound_failure() { return std::exchange(sound_failure_, {}); }
  /// What else the user should know once, such as that a seek failed; empty: nothing new.
  [[nodiscard]] std::string take_notice() { return std::exchange(notice_, {}); }

  /// An input that cannot go elsewhere plays on to there, exactly, or to what is not decoded yet; back it
  /// stays where it is, with a notice, and nothing of it is lost.
  void seek(double seconds, media::SeekMode mode);
  /// Relative to position(), which adds up while keys repeat. Exact: relative to picture_position(). Not
  /// exact: to the next key frame in that direction.
  void seek_by(double seconds, bool exact, TimePoint now);
  void set_paused(bool paused, TimePoint now);
  void step_forward(TimePoint now);
  void step_back(TimePoint now);
  void set_speed(double speed, TimePoint now);
  void set_volume(double percent);
  void set_muted(bool muted);
  void set_audio_delay(double seconds);
  /// Plays from `b` on from `a` again; both empty: no loop. `b` empty: from the end.
  void set_loop(std::optional<double> a, std::optional<double> b);

  /// Seconds from one refresh of the screen to the next, where pictures wait for it; 0: unknown, or they do
  /// not.
  void set_refresh_interval(double seconds) { refresh_seconds_ = seconds; }

  /// Whether a frame that were shown now could be seen.
  enum class Visibility {
    Seen,
    NotYet,  ///< what was shown last is still on its way: a frame that is due waits, until the next one takes
             ///< its place
    Hidden,  ///< time goes on, and frames pass unseen
  };
  struct Turn {
    const Frame* show = nullptr;  ///< a new frame to show now; null: nothing new. Valid until the next turn()
    double wait_seconds = 0;      ///< for so long nothing is due
    bool ended = false;
  };
  /// Errors: decoding came to an early end.
  [[nodiscard]] Result<Turn> turn(TimePoint now, Visibility visibility);
  /// The frame of the last turn() is on the screen.
  void shown(TimePoint at);
  /// The frame that was shown last; null before the first.
  [[nodiscard]] const Frame* last_frame() const { return last_ ? &*last_ : nullptr; }

 private:
  enum class Phase {
    Seeking,   ///< until the first frame comes
    Starting,  ///< that frame is being shown, and sound begins
    Playing,
  };

  Playback(const cli::Settings& settings, Options options, std::unique_ptr<LateHostMemory> memory,
           std::unique_ptr<media::LateHardware> hardware, std::unique_ptr<media::Source> source);
  void open_sound();
  [[nodiscard]] double raw(double seconds) const { return seconds + origin_; }
  void start_clock(TimePoint at);
  void follow_sound(TimePoint now);
  [[nodiscard]] Turn show_front(bool is_new);
  [[nodiscard]] Turn show_due(TimePoint now, Visibility visibility);
  [[nodiscard]] Result<Turn> at_end(TimePoint now);
  void drop_front();
  [[nodiscard]] double refresh_interval() const {
    return settings_.untimed ? 0 : refresh_seconds_ * clock_.rate();
  }
  [[nodiscard]] double on_screen_at(TimePoint at) const {
    return clock_.seconds(at) + refresh_interval() / 2;
  }
  void goto_loop_start();
  [[nodiscard]] std::optional<double> onward(double seconds, media::SeekMode mode) const;
  [[nodiscard]] bool waits_for_network(TimePoint now);
  [[nodiscard]] bool is_overdue(TimePoint now) const;
  [[nodiscard]] bool is_stocked() const;
  void end_stall(TimePoint now);

  const cli::Settings& settings_;
  Options options_;
  Statistics& statistics_;
  std::unique_ptr<LateHostMemory> memory_;
  std::unique_ptr<media::LateHardware> hardware_;
  std::unique_ptr<media::Source> source_;
  double origin_ = 0;  ///< of the container's time, where position 0 is
  PlaybackControls controls_;
  std::unique_ptr<Sound> sound_;  // destroyed before the source that it reads
  std::unique_ptr<DecodeThread> decoder_;
  PresentationClock clock_;

  Phase phase_ = Phase::Seeking;
  std::uint32_t epoch_ = 0;
  std::optional<double> target_;        ///< of the seek under way
  double left_at_seconds_ = 0;          ///< raw: where the seek under way began
  std::optional<TimePoint> sought_at_;  ///< when the seek was asked for whose picture is not there yet
  TimePoint sound_deadline_{};          ///< Starting: so long the clock waits for the sound
  bool step_pending_ = false;
  bool is_stepping_back_ = false;  ///< the seek under way is a step
  int steps_back_ = 0;             ///< to be taken after it
  bool stalled_ = false;
  bool starts_after_stall_ = false;  ///< sound and clock begin anew then, from the picture that is shown
  std::optional<TimePoint> overdue_since_;  ///< the network's next frame should have been shown then
  int plays_left_ = 1;                      ///< of an animation; 0: for ever
  bool stepped_ = false;                    ///< frames were stepped through: the sound is elsewhere
  std::optional<Frame> last_;
  double end_seconds_ = 0;  ///< of last_, raw
  double refresh_seconds_ = 0;
  double on_screen_seconds_ = 0;  ///< clock when last_ came on the screen, raw
  double late_seconds_ = 0;       ///< of last_
  std::optional<double> loop_a_, loop_b_;
  bool loop_is_fruitless_ = false;  ///< no frame has come since it began anew
  std::optional<double> av_offset_ms_;
  std::string sound_failure_, notice_;
  std::vector<double> times_seconds_;
};

}  // namespace glyphreel::player
