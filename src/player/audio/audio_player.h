#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/result.h"
#include "media/decode/audio_decoder.h"
#include "media/stream/source_item.h"
#include "player/audio/audio_queue.h"
#include "player/audio/audio_ring.h"
#include "player/audio/audio_timeline.h"
#include "present/audio/audio_output.h"

namespace glyphreel::player {

/// Plays one audio stream. While audio plays, it is the master clock: clock() returns the media time of the
/// video frame that belongs to the sample being played. Each seek begins a new epoch, see Frame::epoch.
///
/// To seek, the player's loop calls:
///   audio.seek(epoch, target);         // silences the output; packets of the new epoch are decoded ahead
///   ... show the first video frame of the epoch ...
///   audio.start(epoch, frame_time);    // plays from exactly the frame's time on
///   ... follow clock(); while clock() is empty, the player's own clock continues ...
///
/// Thread-safety: every member may be called from any thread, except open() and the destructor. No member
/// waits for input data.
class AudioPlayer final : private present::AudioFeed {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    std::shared_ptr<const media::AudioStream> stream;
    /// Returns the next AudioPacket, with its epoch, or EndOfStream. May block. Called only on AudioPlayer's
    /// thread. After EndOfStream, AudioPlayer calls it again only after seek() or start().
    std::function<Result<media::SourceItem>()> read;
    /// Called at destruction. Makes a blocked read() return soon, with any result. May be empty if read()
    /// never blocks for long.
    std::function<void()> stop_reading;
    /// Called on AudioPlayer's thread with each decoded block, before the block is played. May be empty.
    std::function<void(const media::AudioBlock&)> on_decoded;
    /// Called on AudioPlayer's thread when ended() becomes true. Must do nothing except wake the player. May
    /// be empty.
    std::function<void()> on_change;
    /// `open_output` opens the audio device, and `now` reads the clock. Tests replace both functions.
    std::function<Result<std::unique_ptr<present::AudioOutput>>(present::AudioFeed&)> open_output =
        [](present::AudioFeed& feed) { return present::open_audio_output(feed); };
    std::function<TimePoint()> now = [] { return std::chrono::steady_clock::now(); };
  };

  /// Opens the decoder and the audio device. Errors: BadInput if the stream cannot be decoded; NoDevice if
  /// there is no audio device.
  [[nodiscard]] static Result<std::unique_ptr<AudioPlayer>> open(Options options);
  ~AudioPlayer() override;
  AudioPlayer(const AudioPlayer&) = delete;
  AudioPlayer& operator=(const AudioPlayer&) = delete;

  /// Announces a seek: silences the output from now until start(). Discards packets of older epochs, and
  /// audio before `from_seconds`. Does nothing if `epoch` is older than the current epoch.
  void seek(std::uint32_t epoch, double from_seconds = -std::numeric_limits<double>::infinity())
      EXCLUDES(mutex_);
  /// Plays the audio of this epoch as soon as the device is ready, starting exactly at `media_seconds`. If
  /// the epoch's audio begins after `media_seconds`, plays silence until then. Does nothing if `epoch` is
  /// older than the current epoch.
  void start(std::uint32_t epoch, double media_seconds) EXCLUDES(mutex_);

  void pause() EXCLUDES(mutex_);
  void resume() EXCLUDES(mutex_);
  /// Sets the playback speed in media seconds per real second, 0.25 to 4. The change is audible after about a
  /// third of a second, once the buffered audio has been played.
  void set_speed(double speed) { speed_.store(speed, std::memory_order_relaxed); }
  /// Sets the perceived volume, 0 to PlaybackControls::MaxVolume percent: the amplitude is (percent / 100)
  /// cubed.
  void set_volume(double percent);
  /// Delays the audio relative to the video by this many media seconds; negative: plays the audio earlier.
  void set_delay(double seconds) EXCLUDES(mutex_);

  struct Reading {
    /// Media time of the video frame that belongs to the sample played at `at`; includes the audio delay.
    double media_seconds = 0;
    TimePoint at;
    double rate = 1;  ///< media seconds per second
    [[nodiscard]] double seconds_at(TimePoint then) const {
      return media_seconds + std::chrono::duration<double>(then - at).count() * rate;
    }
  };
  /// Returns the media time being played. Empty if no audio is playing (not started, paused, ended, no
  /// device); the player then uses its own clock. Just after start() the reading is earlier than the start
  /// time by the latency of the device.
  [[nodiscard]] std::optional<Reading> clock() const EXCLUDES(mutex_);

  /// Whether all of the epoch's audio has been played.
  [[nodiscard]] bool ended() const EXCLUDES(mutex_);
  /// Returns a description of the device and the stream, such as "PulseAudio, 48000 Hz, 2 channels, aac".
  [[nodiscard]] std::string description() const;
  /// Whether AudioPlayer's thread is idle until the device plays more audio, or until seek() or start() is
  /// called. Used by tests.
  [[nodiscard]] bool is_filled() const EXCLUDES(mutex_);

 private:
  AudioPlayer(Options options, std::unique_ptr<media::AudioDecoder> decoder);

  // Called on the output's thread.
  void pull(std::span<float> samples) override;
  void report_playback_time(TimePoint at) override;

  /// State at the time when a packet was requested.
  struct ReadContext {
    std::uint32_t epoch = 0;
    bool is_started = false;
    bool operator==(const ReadContext&) const = default;
  };

  // Called on AudioPlayer's thread; wake() and the functions below it are also called on other threads.
  void run(const std::stop_token& stop);
  void handle_item(Result<media::SourceItem> item, const ReadContext& request);
  void accept(std::vector<media::AudioBlock> blocks, std::uint32_t epoch) EXCLUDES(mutex_);

  void wake();
  void begin_epoch(std::uint32_t epoch, double from_seconds) REQUIRES(mutex_);
  void silence() REQUIRES(mutex_);
  void fill_ring() REQUIRES(mutex_);
  [[nodiscard]] bool wants_packets() const REQUIRES(mutex_);
  [[nodiscard]] bool has_played_all(TimePoint now) const REQUIRES(mutex_);

  const Options options_;
  const std::unique_ptr<media::AudioDecoder> decoder_;  ///< used on AudioPlayer's thread
  const std::string codec_;

  AudioRing ring_;     ///< written under mutex_, read by the output's thread
  OutputClock clock_;  ///< predict_*() are called under mutex_, while pull() is not running
  float gain_ = 1;     ///< used on the output's thread
  std::atomic<float> wanted_gain_ = 1;
  std::atomic<double> speed_ = 1;
  std::atomic<std::uint32_t> wakes_ = 0;

  mutable Mutex mutex_;
  std::unique_ptr<present::AudioOutput> output_;  ///< play(), pause() and discard() are called under mutex_
  std::uint32_t epoch_ GUARDED_BY(mutex_) = 0;
  double from_seconds_ GUARDED_BY(mutex_) = -std::numeric_limits<double>::infinity();
  double delay_seconds_ GUARDED_BY(mutex_) = 0;
  bool is_started_ GUARDED_BY(mutex_) = false;
  bool is_paused_ GUARDED_BY(mutex_) = false;
  bool is_input_at_end_ GUARDED_BY(mutex_) = false;
  bool is_ended_ GUARDED_BY(mutex_) = false;
  double paused_position_ GUARDED_BY(mutex_) = 0;
  mutable AudioQueue queue_ GUARDED_BY(mutex_);  ///< blocks that wait for room in the ring, or for start()

  std::jthread thread_;  // declared last, so that it ends before the members that it uses
};

}  // namespace glyphreel::player
