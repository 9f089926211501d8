#include "player/audio/audio_player.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "media/stream/audio_stream.h"

namespace glyphreel::player::audio_player_test {
namespace {

using TimePoint = AudioPlayer::TimePoint;
using std::chrono::milliseconds;

constexpr int Rate = present::AudioOutput::Rate;
constexpr int PacketFrames = 960;  // 20 ms
constexpr milliseconds Latency{50};

/// An audio device in simulated time. It outputs each sample 50 ms (`Latency`) after it pulls the sample.
class FakeOutput final : public present::AudioOutput {
 public:
  struct Device {
    present::AudioFeed* feed = nullptr;
    std::mutex mutex;  ///< locked while the feed is called, as in real devices
    std::atomic<TimePoint> now{TimePoint(std::chrono::hours(1))};
    std::atomic<bool> is_playing = false;
    std::atomic<bool> is_present = true;
    std::vector<float> pulled;  ///< left channel of all pulled frames
    TimePoint pulled_until{};   ///< when the next pulled frame is output
  };
  explicit FakeOutput(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  void pause() override {
    const std::lock_guard lock(device_->mutex);
    device_->is_playing = false;
  }
  void discard() override {}
  void play() override { device_->is_playing = true; }
  [[nodiscard]] bool is_present() const override { return device_->is_present; }
  [[nodiscard]] std::string description() const override { return "Fake"; }

 private:
  std::shared_ptr<Device> device_;
};

/// An AudioPlayer with a FakeOutput. Its PCM samples encode their media time: they rise by 1/65536 per frame
/// and restart at -1/4 each second.
class Player {
 public:
  Player() {
    auto stream = std::make_shared<media::AudioStream>();
    stream->parameters.reset(avcodec_parameters_alloc());
    AVCodecParameters& parameters = *stream->parameters;
    parameters.codec_type = AVMEDIA_TYPE_AUDIO;
    parameters.codec_id = AV_CODEC_ID_PCM_F32LE;
    parameters.format = AV_SAMPLE_FMT_FLT;
    parameters.sample_rate = Rate;
    av_channel_layout_default(&parameters.ch_layout, 2);
    stream->time_base = {1, Rate};
    auto opened = AudioPlayer::open(
        {.stream = stream,
         .read = [this] { return read(); },
         .stop_reading = [this] { stop_reading(); },
         .on_change = [this] { ++changes; },
         .open_output = [this](present::AudioFeed& feed) -> Result<std::unique_ptr<present::AudioOutput>> {
           device->feed = &feed;
           return std::unique_ptr<present::AudioOutput>(std::make_unique<FakeOutput>(device));
         },
         .now = [this] { return device->now.load(); }});
    EXPECT_TRUE(opened);
    audio = *std::move(opened);
  }

  static float sample_at(std::int64_t frame) { return static_cast<float>(frame % Rate) / 65536.0F - 0.25F; }
  static std::int64_t frame_in_second(float sample) { return std::llround((sample + 0.25F) * 65536.0F); }

  /// Offers the frames [from, to) in packets of 20 ms.
  void offer(std::uint32_t epoch, std::int64_t from, std::int64_t to, std::int64_t pts_shift = 0) {
    {
      const std::lock_guard lock(mutex_);
      is_waiting_ = false;
      if (is_at_end()) items_.pop_back();
      for (std::int64_t start = from; start < to; start += PacketFrames) {
        auto packet = std::make_shared<media::AudioPacket>();
        packet->packet = media::new_packet();
        packet->time_base = {1, Rate};
        packet->epoch = epoch;
        const auto frames = static_cast<int>(std::min<std::int64_t>(PacketFrames, to - start));
        EXPECT_EQ(av_new_packet(packet->packet.get(), frames * 8), 0);
        auto* samples = reinterpret_cast<float*>(packet->packet->data);
        for (int i = 0; i < frames; ++i) samples[2 * i] = samples[2 * i + 1] = sample_at(start + i);
        packet->packet->pts = packet->packet->dts = start + pts_shift;
        packet->packet->duration = frames;
        items_.emplace_back(std::move(packet));
      }
    }
    arrived_.notify_all();
  }
  void offer_end() {
    {
      const std::lock_guard lock(mutex_);
      is_waiting_ = false;
      items_.emplace_back(media::EndOfStream{});
    }
    arrived_.notify_all();
  }

  /// Advances simulated time in steps of 10 ms. Before each step, waits until AudioPlayer's thread is idle.
  void pass(milliseconds length) {
    for (auto done = milliseconds(0); done < length; done += milliseconds(10)) {
      wait_until_idle();
      play_10_ms();
      device->now = device->now.load() + milliseconds(10);
    }
    wait_until_idle();
  }
  void play_10_ms() {
    const std::lock_guard lock(device->mutex);
    if (!device->is_playing) return;
    device->pulled_until = std::max(device->pulled_until, device->now.load() + Latency);
    device->feed->report_playback_time(device->pulled_until);
    std::array<float, 960> block{};
    device->feed->pull(block);
    for (std::size_t i = 0; i < block.size(); i += 2) device->pulled.push_back(block[i]);
    device->pulled_until += milliseconds(10);
  }
  /// Waits until AudioPlayer's thread is idle. From time to time, pulls zero samples from the feed, because
  /// each pull wakes that thread. A real device also pulls while there is no audio to play.
  void wait_until_idle() {
    for (int looks = 1;; ++looks) {
      {
        const std::lock_guard lock(mutex_);
        if (is_waiting_) return;
      }
      if (audio->is_filled()) return;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (looks % 100 != 0) continue;
      const std::lock_guard lock(device->mutex);
      if (device->is_playing) device->feed->pull({});
    }
  }
  void stop_reading() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    arrived_.notify_all();
  }
  [[nodiscard]] double clock_error(double media_seconds) const {
    const auto reading = audio->clock();
    EXPECT_TRUE(reading);
    return reading ? reading->media_seconds - media_seconds : 1e9;
  }

  std::shared_ptr<FakeOutput::Device> device = std::make_shared<FakeOutput::Device>();
  std::atomic<int> changes = 0;

 private:
  Result<media::SourceItem> read() {
    std::unique_lock lock(mutex_);
    is_waiting_ = items_.empty();
    arrived_.wait(lock, [this] { return !items_.empty() || is_stopped_; });
    is_waiting_ = false;
    if (items_.empty()) return media::SourceItem(media::EndOfStream{});
    if (is_at_end() && items_.size() == 1)
      return media::SourceItem(media::EndOfStream{});  // the end stays in the queue for later calls
    media::SourceItem item = std::move(items_.front());
    items_.pop_front();
    return item;
  }
  [[nodiscard]] bool is_at_end() const {
    return !items_.empty() && std::holds_alternative<media::EndOfStream>(items_.back());
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<media::SourceItem> items_;
  bool is_stopped_ = false;
  bool is_waiting_ = false;

 public:
  std::unique_ptr<AudioPlayer> audio;  // last, so destroyed first: its thread uses the other members
};

TEST(AudioPlayer, IsSilentUntilStartThenSampleExact) {
  Player player;
  player.offer(0, 0, Rate);
  player.pass(milliseconds(50));
  EXPECT_FALSE(player.audio->clock());
  EXPECT_TRUE(player.device->pulled.empty());
  player.audio->start(0, 0.1234375);  // frame 5925
  player.pass(milliseconds(100));
  ASSERT_EQ(player.device->pulled.size(), 4800U);
  for (int i = 0; i < 4800; ++i)
    ASSERT_EQ(player.device->pulled[static_cast<std::size_t>(i)], Player::sample_at(5925 + i));
  EXPECT_NEAR(player.clock_error(0.1234375 + 0.1 - 0.05), 0, 1e-6);
  EXPECT_EQ(player.audio->description(), "Fake, 48000 Hz, 2 channels, pcm_f32le");
}

TEST(AudioPlayer, PlaysSilenceBeforeLateAudio) {
  Player player;
  player.offer(0, Rate / 4, Rate);
  player.audio->start(0, 0.2);
  player.pass(milliseconds(150));
  ASSERT_GE(player.device->pulled.size(), 7200U);
  for (std::size_t i = 0; i < 2400; ++i) ASSERT_EQ(player.device->pulled[i], 0) << i;
  for (std::size_t i = 2400; i < 7200; ++i) {
    ASSERT_EQ(player.device->pulled[i], Player::sample_at(Rate / 4 + static_cast<int>(i) - 2400)) << i;
  }
}

TEST(AudioPlayer, ClockRunsThroughPauseAndDelay) {
  Player player;
  player.offer(0, 0, 2 * Rate);
  player.audio->start(0, 0);
  player.pass(milliseconds(500));
  EXPECT_NEAR(player.clock_error(0.45), 0, 1e-6);
  player.audio->set_delay(0.2);
  EXPECT_NEAR(player.clock_error(0.65), 0, 1e-6);
  player.audio->set_delay(0);
  player.audio->pause();
  EXPECT_FALSE(player.audio->clock());
  const std::size_t pulled = player.device->pulled.size();
  player.pass(milliseconds(3000));
  EXPECT_EQ(player.device->pulled.size(), pulled);
  player.audio->resume();
  EXPECT_NEAR(player.clock_error(0.45), 0, 0.006);
  player.pass(milliseconds(100));
  EXPECT_EQ(Player::frame_in_second(player.device->pulled[pulled]), static_cast<std::int64_t>(pulled));
}

TEST(AudioPlayer, SkipsLateAudioToStayInSync) {
  Player player;
  player.offer(0, 0, Rate / 5);
  player.audio->start(0, 0);
  player.pass(milliseconds(300));  // 200 ms of audio, then 100 ms of silence
  EXPECT_NEAR(player.clock_error(0.25), 0, 1e-6);
  player.offer(0, Rate / 5, Rate);
  player.pass(milliseconds(100));
  EXPECT_EQ(Player::frame_in_second(player.device->pulled.back()), Rate * 4 / 10 - 1);
  EXPECT_NEAR(player.clock_error(0.35), 0, 1e-6);
}

TEST(AudioPlayer, PlaysVeryLateAudioAndReportsOffset) {
  Player player;
  player.offer(0, 0, Rate / 5);
  player.audio->start(0, 0);
  player.pass(milliseconds(1500));
  player.offer(0, Rate / 5, 2 * Rate);
  player.pass(milliseconds(200));
  const double last = static_cast<double>(Player::frame_in_second(player.device->pulled.back())) / Rate;
  EXPECT_NEAR(last, 0.4, 0.03);
  EXPECT_NEAR(player.clock_error(last - 0.05), 0, 0.001);
}

TEST(AudioPlayer, SpeedChangeKeepsClockContinuous) {
  Player player;
  player.offer(0, 0, 8 * Rate);
  player.audio->start(0, 0);
  player.pass(milliseconds(500));
  double last = 0.45;
  for (const double speed : {2.0, 0.5, 4.0, 1.0}) {
    player.audio->set_speed(speed);
    for (int i = 0; i < 70; ++i) {
      player.pass(milliseconds(10));
      const auto reading = player.audio->clock();
      ASSERT_TRUE(reading);
      const double step = reading->media_seconds - last;
      EXPECT_GE(step, 0.01 * 0.5 - 0.004) << "speed " << speed << " step " << i;
      EXPECT_LE(step, 0.01 * 4 + 0.004) << "speed " << speed << " step " << i;
      last = reading->media_seconds;
    }
    EXPECT_NEAR(player.audio->clock()->rate, speed, 1e-9);
  }
}

TEST(AudioPlayer, SeekStressLeavesNoStaleAudio) {
  Player player;
  for (std::uint32_t epoch = 1; epoch <= 40; ++epoch) {
    player.offer(epoch - 1, Rate / 2, Rate);  // packets from before the seek
    player.audio->seek(epoch, 0);
    player.offer(epoch, 0, Rate / 4);
  }
  player.audio->start(17, 0);  // an older epoch has no effect
  EXPECT_FALSE(player.audio->clock());
  player.audio->start(40, 0.05);
  player.pass(milliseconds(100));
  ASSERT_GE(player.device->pulled.size(), 2400U);
  for (std::size_t i = 0; i < 2400; ++i) {
    ASSERT_TRUE(player.device->pulled[i] == 0 ||
                player.device->pulled[i] == Player::sample_at(2400 + static_cast<int>(i)));
  }
  EXPECT_EQ(Player::frame_in_second(player.device->pulled.back()), 2400 + 4800 - 1);
}

TEST(AudioPlayer, EndsAfterLastSampleAndResumesOnSeek) {
  Player player;
  player.offer(0, 0, Rate / 5);
  player.offer_end();
  player.audio->start(0, 0);
  player.pass(milliseconds(200));
  EXPECT_FALSE(player.audio->ended());  // pulled, but not output yet
  player.pass(milliseconds(80));
  EXPECT_TRUE(player.audio->ended());
  EXPECT_EQ(player.changes, 1);
  EXPECT_FALSE(player.audio->clock());
  EXPECT_FALSE(player.device->is_playing);
  player.offer(1, 0, Rate);
  player.audio->seek(1);
  EXPECT_FALSE(player.audio->ended());
  player.audio->start(1, 0);
  player.pass(milliseconds(100));
  EXPECT_NEAR(player.clock_error(0.05), 0, 1e-6);
}

TEST(AudioPlayer, HasNoClockWithoutDevice) {
  Player player;
  player.offer(0, 0, Rate);
  player.audio->start(0, 0);
  player.pass(milliseconds(100));
  player.device->is_present = false;
  EXPECT_FALSE(player.audio->clock());
  player.pass(milliseconds(200));  // playback continues as if the device had pulled
  player.device->is_present = true;
  EXPECT_NEAR(player.clock_error(0.25), 0, 1e-6);
}

TEST(AudioPlayer, VolumeIsCubicAndRamped) {
  Player player;
  player.offer(0, 0, 2 * Rate);
  player.audio->start(0, 0);
  player.audio->set_volume(50);
  player.pass(milliseconds(50));
  EXPECT_NEAR(player.device->pulled.back(), Player::sample_at(2399) / 8, 1e-6);
  player.audio->set_volume(0);
  player.pass(milliseconds(50));
  EXPECT_EQ(player.device->pulled.back(), 0);
  player.audio->set_volume(130);
  player.pass(milliseconds(50));
  EXPECT_NEAR(player.device->pulled.back(), Player::sample_at(7199) * 2.197, 1e-5);
  for (std::size_t i = 1; i < player.device->pulled.size(); ++i) {
    ASSERT_LT(std::abs(player.device->pulled[i] - player.device->pulled[i - 1]), 0.002) << i;
  }
}

TEST(AudioPlayer, CanBeDestroyedWhileReaderWaits) {
  for (int i = 0; i < 20; ++i) {
    Player player;
    if (i % 2 == 0) player.offer(0, 0, i * 1000);
    if (i % 3 == 0) player.audio->start(0, 0);
    player.audio.reset();
  }
}

}  // namespace
}  // namespace glyphreel::player::audio_player_test
