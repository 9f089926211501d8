#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../../threads_at_rest.h"
#include "fake_source.h"
#include "player/playback/playback.h"

namespace glyphreel::player {

using TimePoint = Playback::TimePoint;
using Visibility = Playback::Visibility;
using media::SeekMode;
using std::chrono::microseconds;
using std::chrono::milliseconds;

inline constexpr milliseconds Latency{50};  // from when the device pulls a sample until it outputs the sample

/// An audio device in simulated time.
struct FakeDevice {
  present::AudioFeed* feed = nullptr;
  std::atomic<bool> is_playing = false;
  std::atomic<bool> is_present = true;
  std::mutex mutex;  ///< locked while the feed is called
  TimePoint pulled_until{};
};

class FakeOutput final : public present::AudioOutput {
 public:
  explicit FakeOutput(std::shared_ptr<FakeDevice> device) : device_(std::move(device)) {}
  void pause() override {
    const std::lock_guard lock(device_->mutex);
    device_->is_playing = false;
  }
  void discard() override {}
  void play() override { device_->is_playing = true; }
  bool is_present() const override { return device_->is_present; }
  std::string description() const override { return "Fake"; }

 private:
  std::shared_ptr<FakeDevice> device_;
};

/// Plays a FakeSource in simulated time. Decoding and audio run on their own threads. Each step waits for
/// both threads, so that the result is the same on every machine.
class PlaybackSimulation {
 public:
  struct Shown {
    double pts = 0;  ///< in milliseconds
    double at = 0;   ///< when the frame was shown, in milliseconds of simulated time
  };

  explicit PlaybackSimulation(const FakeSource::Script& script, PlaybackControls controls = {},
                              cli::Settings wanted = {})
      : settings(std::move(wanted)) {
    auto owned = std::make_unique<FakeSource>(script);
    source = owned.get();
    Result<std::unique_ptr<Playback>> opened = Playback::open(
        settings,
        {.times = &times,
         .statistics = &statistics,
         .controls = controls,
         .source = std::move(owned),
         .open_audio = [this](AudioPlayer::Options options) -> Result<std::unique_ptr<AudioPlayer>> {
           if (!has_device) return Error{ErrorCode::NoDevice, "There is no sound device.", {}};
           options.now = [this] { return now.load(); };
           options.open_output =
               [this](present::AudioFeed& feed) -> Result<std::unique_ptr<present::AudioOutput>> {
             device->feed = &feed;
             return std::unique_ptr<present::AudioOutput>(std::make_unique<FakeOutput>(device));
           };
           return AudioPlayer::open(std::move(options));
         }});
    EXPECT_TRUE(opened);
    playback = *std::move(opened);
  }
  void begin() { playback->begin(nullptr); }

  /// Plays in steps of one millisecond of simulated time, for this duration or until the end or an error.
  void pass(milliseconds length) {
    for (milliseconds done{0}; done < length && !ended && !error; ++done) {
      wait_until_idle();
      step();
      if (std::fmod(elapsed(), 10) == 0) play_10_ms();
      now = now.load() + milliseconds(1);
    }
  }
  /// Plays until the end of the input. Sleeps between steps, since the decode thread may report the end late.
  void finish() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!ended && !error && std::chrono::steady_clock::now() < deadline) {
      pass(milliseconds(10));
      std::this_thread::sleep_for(microseconds(100));
    }
    EXPECT_TRUE(ended);
  }
  /// Calls step() until the seek completes. Does not advance simulated time between the calls.
  void finish_seek() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (playback->is_seeking() && !ended && !error && std::chrono::steady_clock::now() < deadline) {
      step();
      std::this_thread::sleep_for(microseconds(100));
    }
    EXPECT_FALSE(playback->is_seeking());
  }
  [[nodiscard]] std::vector<std::int64_t> shown_pts() const {
    std::vector<std::int64_t> pts;
    for (const Shown& each : shown) pts.push_back(std::llround(each.pts));
    return pts;
  }
  /// Returns the simulated time since the start, in milliseconds.
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double, std::milli>(now.load() - start).count();
  }
  [[nodiscard]] double position() const { return playback->position(now); }

  cli::Settings settings;
  StageTimes times;
  session::Statistics statistics;
  bool has_device = true;
  std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>();
  const TimePoint start{std::chrono::hours(1)};
  std::atomic<TimePoint> now{TimePoint(std::chrono::hours(1))};
  FakeSource* source = nullptr;
  Visibility visibility = Visibility::Visible;
  milliseconds show_cost{0};  ///< simulated time that showing a frame takes
  std::vector<Shown> shown;
  std::optional<Error> error;
  bool ended = false;

 private:
  void step() {
    Result<Playback::StepResult> result = playback->step(now, visibility);
    if (!result) {
      error = result.error();
      return;
    }
    ended = ended || result->ended;
    if (result->show == nullptr) return;
    for (milliseconds spent{0}; spent < show_cost; ++spent) {
      if (std::fmod(elapsed(), 10) == 0) play_10_ms();
      now = now.load() + milliseconds(1);
    }
    shown.push_back({static_cast<double>(result->show->pts), elapsed()});
    playback->shown(now);
  }
  void play_10_ms() {
    std::unique_lock lock(device->mutex);
    if (!device->is_playing) return;
    device->pulled_until = std::max(device->pulled_until, now.load() + Latency);
    device->feed->report_playback_time(device->pulled_until);
    std::array<float, 960> block{};
    device->feed->pull(block);
    device->pulled_until += milliseconds(10);
    lock.unlock();
    const auto deadline = std::chrono::steady_clock::now() + milliseconds(20);
    while (!playback->audio()->is_filled() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(microseconds(50));
    }
  }
  /// Waits until the decode thread and the audio thread have completed their work.
  void wait_until_idle() {
    if (playback->is_seeking()) finish_seek();
    const auto begin_of_wait = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin_of_wait < std::chrono::seconds(10)) {
      // Waits at most 20 ms for AudioPlayer's thread to complete its work. If the thread is not ready by
      // then, the next pull wakes it, and it continues.
      const bool is_audio_ready = playback->audio() == nullptr || playback->audio()->is_filled() ||
                                  std::chrono::steady_clock::now() - begin_of_wait > milliseconds(20);
      if (is_audio_ready && source->is_ahead_of(std::llround(position() * 1000), 4)) {
        // When read() returns the end or an error, the decode thread reports it and then sleeps.
        if (const std::uint64_t ends = source->ends(); std::exchange(awaited_ends_, ends) != ends)
          test::wait_until_others_sleep();
        return;
      }
      std::this_thread::sleep_for(microseconds(50));
    }
    ADD_FAILURE() << "Decoding hangs.";
  }

  std::uint64_t awaited_ends_ = 0;  ///< the value of source->ends() that wait_until_idle() last waited for

 public:
  std::unique_ptr<Playback> playback;  // last, so destroyed first: its threads use the other members
};

/// Returns the times of the frames in [from, to), in milliseconds.
inline std::vector<std::int64_t> frames(std::int64_t from, std::int64_t to, std::int64_t step = 40) {
  std::vector<std::int64_t> pts;
  for (std::int64_t time = from; time < to; time += step) pts.push_back(time);
  return pts;
}

}  // namespace glyphreel::player
