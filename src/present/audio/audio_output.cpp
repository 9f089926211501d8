#include "present/audio/audio_output.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <ratio>
#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "base/threads/thread.h"
#include "present/audio/pulse_library.h"

namespace glyphreel::present {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr pa_sample_spec Format{PA_SAMPLE_FLOAT32NE, AudioOutput::Rate, AudioOutput::Channels};
constexpr std::size_t FrameBytes = sizeof(float) * AudioOutput::Channels;
constexpr milliseconds BufferLength{150};  // bridges CPU load peaks; longer buffers delay volume changes
constexpr milliseconds PrebufferLength{20};
constexpr milliseconds RequestLength{15};
constexpr milliseconds TickLength{50};       // interval between queries of the device's time
constexpr milliseconds PlainTickLength{10};  // tick interval during playback while state_ is not Present
constexpr milliseconds SettleLength{300};    // after this, a reconnected device reports its time reliably
constexpr milliseconds LongestSettleLength{3000};
// A device that has just started may report a latency of several seconds, but the latency soon falls below
// this value. Until then, join() writes silence, for at most LongestSettleLength after the device returned.
constexpr milliseconds UsualLatency{250};
constexpr milliseconds RetryLength{1000};
constexpr milliseconds OpenLimit{3000};
constexpr milliseconds LongestCatchUp{2000};

/// Returns PulseAudio's functions. open_audio_output() has loaded them.
const PulseLibrary& pulse() {
  return *PulseLibrary::get();
}

/// A duration in audio frames (one sample for each channel).
using AudioFrames = std::chrono::duration<std::int64_t, std::ratio<1, AudioOutput::Rate>>;

std::uint32_t bytes(milliseconds length) {
  return static_cast<std::uint32_t>(pulse().usec_to_bytes(microseconds(length).count(), &Format));
}

Clock::duration duration_of(std::int64_t frames) {
  return std::chrono::duration_cast<Clock::duration>(AudioFrames(frames));
}

std::int64_t frames_in(Clock::duration length) {
  return std::chrono::duration_cast<AudioFrames>(length).count();
}

class Locked {
 public:
  explicit Locked(pa_threaded_mainloop* loop) : loop_(loop) { pulse().threaded_mainloop_lock(loop_); }
  ~Locked() { pulse().threaded_mainloop_unlock(loop_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  pa_threaded_mainloop* loop_;
};

void free_operation(pa_operation* operation) {
  if (operation != nullptr) pulse().operation_unref(operation);
}

/// Implements AudioOutput with PulseAudio's asynchronous API. The main loop's lock guards all members except
/// `state_`; the main loop's thread holds that lock during callbacks.
class PulseOutput final : public AudioOutput {
 public:
  PulseOutput(AudioFeed& feed, std::string device) : feed_(feed), device_(std::move(device)) {}
  ~PulseOutput() override {
    if (loop_ == nullptr) return;
    {
      const Locked lock(loop_);
      if (tick_ != nullptr) pulse().threaded_mainloop_get_api(loop_)->time_free(tick_);
      disconnect();
      if (timer_ != nullptr) pulse().context_unref(timer_);
    }
    pulse().threaded_mainloop_stop(loop_);
    pulse().threaded_mainloop_free(loop_);
  }

  [[nodiscard]] Result<void> open() {
    const Error none{ErrorCode::NoDevice,
                     "No PulseAudio or PipeWire server responds; start one, or use --audio no."};
    loop_ = pulse().threaded_mainloop_new();
    CHECK(loop_ != nullptr, "out of memory");
    pulse().threaded_mainloop_set_name(loop_, "audio out");
    if (pulse().threaded_mainloop_start(loop_) < 0) return none;
    const Locked lock(loop_);
    timer_ = pulse().context_new(pulse().threaded_mainloop_get_api(loop_), "glyphreel");
    CHECK(timer_ != nullptr, "out of memory");
    connect();
    // The tick also wakes the wait below, so the loop ends even if the server never answers.
    schedule_tick(TickLength);
    const Clock::time_point limit = Clock::now() + OpenLimit;
    while (context_ != nullptr && Clock::now() < limit) {
      if (stream_ != nullptr && pulse().stream_get_state(stream_) == PA_STREAM_READY) {
        state_ = State::Present;
        return {};
      }
      if (stream_error_ != PA_OK && !device_.empty()) {
        return Error{
            ErrorCode::NoDevice,
            fmt::format("There is no sound device {}; 'pactl list short sinks' lists devices.", device_),
            pulse().strerror(stream_error_)};
      }
      pulse().threaded_mainloop_wait(loop_);
    }
    return none;
  }

  void pause() override {
    const Locked lock(loop_);
    if (!is_playing_) return;
    if (state_ != State::Present) play_without_device();
    is_playing_ = false;
    paused_lead_ = next_play_time_ - Clock::now();
    if (state_ == State::Joining) state_ = State::Present;
    if (stream_ != nullptr) free_operation(pulse().stream_cork(stream_, 1, nullptr, nullptr));
  }

  void discard() override {
    const Locked lock(loop_);
    paused_lead_ = {};
    if (stream_ != nullptr) free_operation(pulse().stream_flush(stream_, nullptr, nullptr));
  }

  void play() override {
    const Locked lock(loop_);
    if (is_playing_) return;
    is_playing_ = true;
    next_play_time_ = Clock::now() + paused_lead_;
    pulse().gettimeofday(&stale_before_);
    if (stream_ == nullptr || state_ == State::Lost) {
      handle_device_loss();
      return;
    }
    if (const std::size_t room = pulse().stream_writable_size(stream_); room != static_cast<std::size_t>(-1))
      request(room);
    free_operation(pulse().stream_cork(stream_, 0, nullptr, nullptr));
    request_timing();
  }

  bool is_present() const override { return state_ == State::Present; }
  std::string description() const override { return "PulseAudio"; }

 private:
  /// Lost: there is no device. Joining: the device has returned and plays silence until it reports its time
  /// reliably. Present: the device plays the feed.
  enum class State { Lost, Joining, Present };

  template <void (PulseOutput::*Method)(), typename Source>
  static void callback(Source*, void* self) {
    (static_cast<PulseOutput*>(self)->*Method)();
  }

  void connect() {
    retry_at_ = Clock::now() + RetryLength;
    context_ = pulse().context_new(pulse().threaded_mainloop_get_api(loop_), "glyphreel");
    CHECK(context_ != nullptr, "out of memory");
    pulse().context_set_state_callback(context_, callback<&PulseOutput::context_changed, pa_context>, this);
    if (pulse().context_connect(context_, nullptr, PA_CONTEXT_NOFLAGS, nullptr) < 0) disconnect();
  }

  void disconnect_stream() {
    if (stream_ == nullptr) return;
    pulse().stream_set_state_callback(stream_, nullptr, nullptr);
    pulse().stream_set_write_callback(stream_, nullptr, nullptr);
    pulse().stream_set_suspended_callback(stream_, nullptr, nullptr);
    pulse().stream_set_latency_update_callback(stream_, nullptr, nullptr);
    pulse().stream_disconnect(stream_);
    pulse().stream_unref(stream_);
    stream_ = nullptr;
  }

  void disconnect() {
    disconnect_stream();
    if (context_ == nullptr) return;
    pulse().context_set_state_callback(context_, nullptr, nullptr);
    pulse().context_disconnect(context_);
    pulse().context_unref(context_);
    context_ = nullptr;
  }

  void context_changed() {
    const pa_context_state_t state = pulse().context_get_state(context_);
    if (state == PA_CONTEXT_READY) {
      create_stream();
    } else if (!PA_CONTEXT_IS_GOOD(state)) {
      log::debug("audio: {}", pulse().strerror(pulse().context_errno(context_)));
      disconnect();
      handle_device_loss();
    }
    pulse().threaded_mainloop_signal(loop_, 0);
  }

  void create_stream() {
    retry_at_ = Clock::now() + RetryLength;
    pa_proplist* properties = pulse().proplist_new();
    pulse().proplist_sets(properties, PA_PROP_MEDIA_ROLE, "video");
    stream_ = pulse().stream_new_with_proplist(context_, "video", &Format, nullptr, properties);
    pulse().proplist_free(properties);
    if (stream_ == nullptr) return;
    pulse().stream_set_state_callback(stream_, callback<&PulseOutput::stream_changed, pa_stream>, this);
    pulse().stream_set_suspended_callback(stream_, callback<&PulseOutput::suspension_changed, pa_stream>,
                                          this);
    pulse().stream_set_latency_update_callback(stream_, callback<&PulseOutput::timing_arrived, pa_stream>,
                                               this);
    const auto wants_samples = [](pa_stream*, std::size_t byte_count, void* self) {
      static_cast<PulseOutput*>(self)->request(byte_count);
    };
    pulse().stream_set_write_callback(stream_, wants_samples, this);
    const pa_buffer_attr buffer{.maxlength = static_cast<std::uint32_t>(-1),
                                .tlength = bytes(BufferLength),
                                .prebuf = bytes(PrebufferLength),
                                .minreq = bytes(RequestLength),
                                .fragsize = static_cast<std::uint32_t>(-1)};
    // PulseAudio's interpolation of the device's time is off, because it overshoots after the timing changes.
    // Instead, the feed smooths the raw times that the device reports (see player::DeviceClock).
    constexpr auto Flags = static_cast<pa_stream_flags_t>(PA_STREAM_START_CORKED | PA_STREAM_ADJUST_LATENCY);
    const char* device = device_.empty() ? nullptr : device_.c_str();
    if (pulse().stream_connect_playback(stream_, device, &buffer, Flags, nullptr, nullptr) < 0)
      disconnect_stream();
  }

  void stream_changed() {
    const pa_stream_state_t state = pulse().stream_get_state(stream_);
    if (state == PA_STREAM_READY) {
      is_timing_requested_ = false;
      if (pulse().stream_is_suspended(stream_) <= 0) handle_device_return();
    } else if (!PA_STREAM_IS_GOOD(state)) {
      stream_error_ = pulse().context_errno(context_);
      disconnect_stream();
      handle_device_loss();
    }
    pulse().threaded_mainloop_signal(loop_, 0);
  }

  void suspension_changed() {
    if (pulse().stream_get_state(stream_) != PA_STREAM_READY) return;
    if (pulse().stream_is_suspended(stream_) > 0) {
      // While paused, the server may suspend the unused device. No samples are lost, and play() wakes the
      // device.
      if (is_playing_) handle_device_loss();
    } else if (state_ == State::Lost) {
      handle_device_return();
    }
  }

  void handle_device_loss() {
    if (state_ == State::Present) {
      // The clock continues without the device. Samples that were pulled but not played are dropped, and so
      // are the samples that are due before the device returns.
      log::debug("audio: the device was lost");
    }
    state_ = State::Lost;
    if (is_playing_) play_without_device();
  }

  void handle_device_return() {
    if (state_ != State::Lost || stream_ == nullptr) return;
    log::debug("audio: the device has returned");
    back_since_ = Clock::now();
    pulse().gettimeofday(&stale_before_);
    if (!is_playing_) {
      // While paused, the device need not catch up with the clock. play() will start the device.
      free_operation(pulse().stream_flush(stream_, nullptr, nullptr));
      state_ = State::Present;
      return;
    }
    state_ = State::Joining;
    free_operation(pulse().stream_cork(stream_, 1, nullptr, nullptr));
    free_operation(pulse().stream_flush(stream_, nullptr, nullptr));
    free_operation(pulse().stream_cork(stream_, 0, nullptr, nullptr));
    if (const std::size_t room = pulse().stream_writable_size(stream_); room != static_cast<std::size_t>(-1))
      request(room);
  }

  void request(std::size_t byte_count) {
    byte_count -= byte_count % FrameBytes;
    if (byte_count == 0 || !is_playing_) return;
    if (state_ == State::Present) {
      write(byte_count, false);
    } else if (state_ == State::Joining) {
      const auto at = Clock::now() - back_since_ > SettleLength ? device_play_time() : std::nullopt;
      if (at) {
        join(*at, byte_count);
      } else {
        write(byte_count, true);
      }
    }
  }

  void write(std::size_t byte_count, bool is_silent) {
    while (byte_count > 0) {
      void* target = nullptr;
      std::size_t size = byte_count;
      if (pulse().stream_begin_write(stream_, &target, &size) < 0 || target == nullptr) return;
      size = std::min(size, byte_count);
      size -= size % FrameBytes;
      const std::span<float> samples(static_cast<float*>(target), size / sizeof(float));
      if (is_silent) {
        std::ranges::fill(samples, 0.0F);
      } else {
        feed_.pull(samples);
        next_play_time_ += duration_of(static_cast<std::int64_t>(size / FrameBytes));
      }
      if (pulse().stream_write(stream_, target, size, nullptr, 0, PA_SEEK_RELATIVE) < 0) return;
      byte_count -= size;
    }
  }

  /// Switches from the clock to the device, which has played silence so far. `device_next`: when the device
  /// will play the next frame that is written. Drops the feed's samples that are due before that time, or
  /// writes silence until the feed's next sample is due. While the device still reports an unusually long
  /// latency (see UsualLatency), writes only silence.
  void join(Clock::time_point device_next, std::size_t byte_count) {
    play_without_device();
    std::int64_t late = frames_in(device_next - next_play_time_);
    if (late > frames_in(UsualLatency) && Clock::now() - back_since_ < LongestSettleLength) {
      write(byte_count, true);
      return;
    }
    if (late > 0) {
      drop_samples(late);
    } else {
      const auto silence = std::min<std::size_t>(byte_count, static_cast<std::size_t>(-late) * FrameBytes);
      write(silence, true);
      byte_count -= silence;
      if (byte_count == 0) return;  // the next sample is not due yet
    }
    state_ = State::Present;
    log::debug("audio: the device plays again; it was {:.1f} ms behind the clock",
               static_cast<double>(late) * 1e3 / Rate);
    write(byte_count, false);
  }

  void drop_samples(std::int64_t frames) {
    std::array<float, 480 * Channels> dropped{};
    while (frames > 0) {
      const std::int64_t count = std::min<std::int64_t>(frames, dropped.size() / Channels);
      feed_.pull(std::span(dropped).first(static_cast<std::size_t>(count) * Channels));
      next_play_time_ += duration_of(count);
      frames -= count;
    }
  }

  /// Pulls and drops the samples whose playback time the clock has passed.
  void play_without_device() {
    const Clock::time_point now = Clock::now();
    // If the machine was suspended for hours, pulling all samples of that time would take too long.
    if (now - next_play_time_ > LongestCatchUp) next_play_time_ = now;
    if (now > next_play_time_) drop_samples(frames_in(now - next_play_time_));
    feed_.report_playback_time(next_play_time_);
  }

  /// Returns when the device will play the next frame that is written, computed from the timing that the
  /// device reported last; empty if unknown.
  std::optional<Clock::time_point> device_play_time() const {
    const pa_timing_info* timing = pulse().stream_get_timing_info(stream_);
    if (timing == nullptr || timing->write_index_corrupt != 0 || timing->read_index_corrupt != 0)
      return std::nullopt;
    if (timing->playing == 0 || pulse().timeval_cmp(&timing->timestamp, &stale_before_) <= 0)
      return std::nullopt;
    const std::int64_t queued_bytes = timing->write_index - timing->read_index;
    if (queued_bytes < 0) return std::nullopt;
    const microseconds age(pulse().timeval_age(&timing->timestamp));
    return Clock::now() - age + duration_of(queued_bytes / static_cast<std::int64_t>(FrameBytes)) +
           microseconds(timing->sink_usec);
  }

  void timing_arrived() {
    is_timing_requested_ = false;
    if (state_ != State::Present || !is_playing_) return;
    if (const auto at = device_play_time()) {
      next_play_time_ = *at;
      feed_.report_playback_time(*at);
    }
  }

  void request_timing() {
    if (stream_ == nullptr || is_timing_requested_ || pulse().stream_get_state(stream_) != PA_STREAM_READY)
      return;
    pa_operation* operation = pulse().stream_update_timing_info(stream_, nullptr, nullptr);
    is_timing_requested_ = operation != nullptr;
    free_operation(operation);
  }

  void tick() {
    if (!std::exchange(has_priority_, true)) raise_thread_priority();
    const Clock::time_point now = Clock::now();
    if (stream_ == nullptr && now >= retry_at_) {
      if (context_ == nullptr) {
        connect();
      } else if (pulse().context_get_state(context_) == PA_CONTEXT_READY) {
        create_stream();
      }
    }
    if (is_playing_) {
      request_timing();
      if (state_ != State::Present) play_without_device();
    }
    schedule_tick(is_playing_ && state_ != State::Present ? PlainTickLength : TickLength);
    pulse().threaded_mainloop_signal(loop_, 0);
  }

  void schedule_tick(milliseconds delay) {
    const pa_usec_t at = pulse().rtclock_now() + static_cast<pa_usec_t>(microseconds(delay).count());
    if (tick_ != nullptr) {
      pulse().context_rttime_restart(timer_, tick_, at);
      return;
    }
    const auto ticked = [](pa_mainloop_api*, pa_time_event*, const timeval*, void* self) {
      static_cast<PulseOutput*>(self)->tick();
    };
    tick_ = pulse().context_rttime_new(timer_, at, ticked, this);
    CHECK(tick_ != nullptr, "out of memory");
  }

  AudioFeed& feed_;
  const std::string device_;  ///< empty: the default device
  int stream_error_ = PA_OK;  ///< why the last stream failed
  pa_threaded_mainloop* loop_ = nullptr;
  pa_context* timer_ = nullptr;  ///< never connected; PulseAudio needs a context for monotonic timers
  pa_context* context_ = nullptr;
  pa_stream* stream_ = nullptr;
  pa_time_event* tick_ = nullptr;
  std::atomic<State> state_ = State::Lost;  ///< atomic because any thread may call is_present()
  bool is_playing_ = false;
  bool has_priority_ = false;         ///< whether the loop's thread has raised its priority
  bool is_timing_requested_ = false;  ///< whether a query of the device's time is in flight
  timeval stale_before_{};            ///< device timings that are not newer than this are ignored
  Clock::time_point back_since_{};
  Clock::time_point retry_at_{};
  /// When the next frame to be pulled will be played: estimated from the device's time, or from the clock
  /// while there is no device.
  Clock::time_point next_play_time_{};
  Clock::duration paused_lead_{};  ///< next_play_time_ minus the time at which pause() was called
};

}  // namespace

Result<std::unique_ptr<AudioOutput>> open_audio_output(AudioFeed& feed, const std::string& device) {
  if (PulseLibrary::get() == nullptr) {
    return Error{ErrorCode::NoDevice, "Sound needs the library libpulse; install it, or use --audio no.", {}};
  }
  auto output = std::make_unique<PulseOutput>(feed, device);
  TRY(output->open());
  return std::unique_ptr<AudioOutput>(std::move(output));
}

}  // namespace glyphreel::present
