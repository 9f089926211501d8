#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "media/audio_decoder.h"
#include "media/source.h"
#include "player/sound_ring.h"
#include "player/sound_timeline.h"
#include "present/audio_output.h"

namespace glyphreel::player {

/// Plays one audio stream, and tells which picture belongs to what is heard: the master clock while there is
/// sound.
///
/// The player's loop at a seek:
///   sound.expect(epoch, target);       // silent at once; packets of the new epoch are decoded ahead
///   ... the first picture of the epoch is there and shown ...
///   sound.start(epoch, its time);      // heard from exactly there on
///   ... clock() says where the sound is; empty: the player's own clock goes on ...
///
/// Thread-safety: every member may be called from any thread, but open and destruction. None blocks on the
/// input.
class Sound final : private present::AudioFeed {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    std::shared_ptr<const media::AudioStream> stream;
    /// The next AudioPacket, with its epoch, or EndOfStream. May block; called on Sound's own thread alone.
    /// After EndOfStream it is called again only once a new epoch was announced.
    std::function<Result<media::SourceItem>()> read;
    /// Called at destruction: makes a blocked read() return soon, with anything. May be empty where read()
    /// never blocks for long.
    std::function<void()> stop_reading;
    /// Called on Sound's thread with each block that was decoded, ahead of its time. May be empty.
    std::function<void(const media::AudioBlock&)> on_decoded;
    /// Called on Sound's thread where ended() has become true: a wake-up, no more. May be empty.
    std::function<void()> on_change;
    /// How the device is opened, and the clock: for tests.
    std::function<Result<std::unique_ptr<present::AudioOutput>>(present::AudioFeed&)> open_output =
        present::open_audio_output;
    std::function<TimePoint()> now = [] { return std::chrono::steady_clock::now(); };
  };

  /// Errors: BadInput where the stream cannot be decoded, NoDevice where there is nothing to play on.
  [[nodiscard]] static Result<std::unique_ptr<Sound>> open(Options options);
  ~Sound() override;
  Sound(const Sound&) = delete;
  Sound& operator=(const Sound&) = delete;

  /// A seek has begun: silent at once, until start(). Packets of older epochs are thrown away; sound before
  /// `from_seconds` is not kept. An epoch older than the current one has no effect.
  void expect(std::uint32_t epoch, double from_seconds = -std::numeric_limits<double>::infinity())
      EXCLUDES(mutex_);
  /// Sound of this epoch is heard from `media_seconds` on, sample-exactly, as soon as the device can; silence
  /// first where the sound begins later. An epoch older than the current one has no effect.
  void start(std::uint32_t epoch, double media_seconds) EXCLUDES(mutex_);

  void pause() EXCLUDES(mutex_);
  void resume() EXCLUDES(mutex_);
  /// Media seconds per second, 0.25 to 4. Heard once what is made already has been heard: after about a third
  /// of a second.
  void set_speed(double speed) { speed_.store(speed, std::memory_order_relaxed); }
  /// As people hear it: the amplitude is (percent / 100) cubed; 0 to 130.
  void set_volume(double percent);
  void set_muted(bool is_muted);
  /// Media seconds by which sound is later than the picture that it belongs to.
  void set_delay(double seconds) EXCLUDES(mutex_);

  struct Reading {
    double media_seconds =
        0;  ///< the picture that belongs to what is heard at `at`; the delay is taken into account
    TimePoint at;
    double rate = 1;  ///< media seconds per second
  };
  /// Empty: nothing is heard now (not started, paused, ended, no device), and the player's clock goes on
  /// alone. Just after start() the reading lies before its time, by as long as the device takes.
  [[nodiscard]] std::optional<Reading> clock() const EXCLUDES(mutex_);

  /// All of the epoch's sound has been heard.
  [[nodiscard]] bool ended() const EXCLUDES(mutex_);
  /// For example "PulseAudio, 48000 Hz, 2 channels, aac".
  [[nodiscard]] std::string description() const;
  /// How often the device found nothing to play where there was something to come.
  [[nodiscard]] std::uint64_t underruns() const { return underruns_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t damaged_packets() const {
    return damaged_packets_.load(std::memory_order_relaxed);
  }
  /// Whether nothing is left to do until more is read, or heard.
  [[nodiscard]] bool is_filled() const EXCLUDES(mutex_);
  /// Frames that wait for the device.
  [[nodiscard]] std::size_t buffered_frames() const EXCLUDES(mutex_);

 private:
  Sound(Options options, std::unique_ptr<media::AudioDecoder> decoder);

  // On the output's thread.
  void pull(std::span<float> samples) override;
  void next_is_heard_at(TimePoint at) override;

  /// What was so when a packet was asked for.
  struct Asked {
    std::uint32_t epoch = 0;
    bool is_started = false;
    bool operator==(const Asked&) const = default;
  };

  // On Sound's thread.
  void run(const std::stop_token& stop);
  void take(Result<media::SourceItem> item, const Asked& asked);
  void stop_here(const Error& reason) EXCLUDES(mutex_);
  void accept(std::vector<media::AudioBlock> blocks, std::uint32_t epoch) EXCLUDES(mutex_);

  void wake();
  void begin_epoch(std::uint32_t epoch, double from_seconds) REQUIRES(mutex_);
  void fill_ring() REQUIRES(mutex_);
  [[nodiscard]] bool place_front() REQUIRES(mutex_);
  [[nodiscard]] bool wants_packets() const REQUIRES(mutex_);
  [[nodiscard]] double heard_position(TimePoint now) const;
  [[nodiscard]] bool is_all_heard(TimePoint now) const REQUIRES(mutex_);
  void guess_heard(double position, std::chrono::nanoseconds from_now);
  void set_gain();

  const Options options_;
  const std::unique_ptr<media::AudioDecoder> decoder_;  ///< of Sound's thread
  const std::string codec_;

  SoundRing ring_;                           ///< written under mutex_, read by the output's thread
  HeardTimes heard_;                         ///< of the output's thread; of others while the output is held
  bool is_first_answer_a_lesson_ = false;    ///< as heard_
  std::atomic<std::int64_t> origin_ns_ = 0;  ///< heard_'s
  std::atomic<std::int64_t> start_latency_ns_;  ///< from start() to being heard, as learned
  float gain_ = 1;                              ///< of the output's thread
  std::atomic<float> wanted_gain_ = 1;
  std::atomic<double> volume_ = 100;
  std::atomic<bool> is_muted_ = false;
  std::atomic<double> speed_ = 1;
  std::atomic<bool> is_more_to_come_ = false;  ///< an empty ring is an underrun
  bool was_empty_ = false;                     ///< of the output's thread
  std::atomic<std::uint64_t> underruns_ = 0;
  std::atomic<std::uint64_t> damaged_packets_ = 0;
  std::atomic<std::uint32_t> wakes_ = 0;

  mutable std::mutex mutex_;
  std::unique_ptr<present::AudioOutput> output_;  ///< its control functions are called under mutex_
  std::uint32_t epoch_ GUARDED_BY(mutex_) = 0;
  double from_seconds_ GUARDED_BY(mutex_) = -std::numeric_limits<double>::infinity();
  double delay_seconds_ GUARDED_BY(mutex_) = 0;
  bool is_started_ GUARDED_BY(mutex_) = false;
  bool is_paused_ GUARDED_BY(mutex_) = false;
  bool is_input_at_end_ GUARDED_BY(mutex_) = false;
  bool is_ended_ GUARDED_BY(mutex_) = false;
  double paused_position_ GUARDED_BY(mutex_) = 0;
  mutable MediaMap map_ GUARDED_BY(mutex_);
  std::deque<media::AudioBlock> waiting_ GUARDED_BY(mutex_);  ///< for room in the ring, or for start()
  std::size_t front_done_ GUARDED_BY(mutex_) =
      0;  ///< frames of the first waiting block that are in the ring or passed
  std::uint64_t gap_frames_ GUARDED_BY(mutex_) = 0;  ///< of silence before it
  bool is_front_placed_ GUARDED_BY(mutex_) = false;
  bool is_first_block_ GUARDED_BY(mutex_) = true;  ///< since start(): placed exactly

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace glyphreel::player
