#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "media/source.h"
#include "media/stream/audio_stream.h"
#include "media/stream/input_facts.h"

namespace glyphreel::player {

/// A hardware surface without content. `alive` counts the surfaces in use.
class FakeSurface final : public Surface {
 public:
  explicit FakeSurface(std::shared_ptr<std::atomic<int>> alive) : alive_(std::move(alive)) { ++*alive_; }
  ~FakeSurface() override { --*alive_; }
  FakeSurface(const FakeSurface&) = delete;
  FakeSurface& operator=(const FakeSurface&) = delete;
  Result<Frame> download(const Frame& frame, HostMemory*) const override {
    Frame host = frame;
    host.surface = nullptr;
    return host;
  }

 private:
  std::shared_ptr<std::atomic<int>> alive_;
};

/// An input whose audio is constant and whose frames have no pixels. The test chooses the frames' times, in
/// milliseconds. After set_gate(false), read() blocks like a stalled input, and seek() blocks midway. A live
/// input delivers each frame when release_frames() allows it, and may reconnect with another epoch.
class FakeSource : public media::Source {
 public:
  static constexpr int AudioRate = 48000;
  static constexpr int PacketFrames = 960;  // 20 ms

  struct Script {
    std::vector<std::int64_t> pts = {};
    std::int64_t frame_duration = 40;
    std::size_t gop = 10;                      ///< distance between keyframes, in frames
    std::optional<double> audio_seconds = {};  ///< duration of the audio; empty: no audio
    std::optional<std::size_t> fails_at = {};  ///< reading this frame fails
    bool seeks_fail = false;
    bool is_pipe = false;      ///< not seekable
    bool is_hardware = false;  ///< frames are hardware surfaces
    bool is_network = false;
    bool is_live = false;
    std::optional<std::size_t> reconnects_at = {};  ///< first frame after a reconnection, with a new epoch
  };
  /// Returns `count` frames with this `duration`, beginning at 0.
  static Script regular(std::size_t count, std::int64_t duration = 40) {
    Script script{.frame_duration = duration};
    for (std::size_t i = 0; i < count; ++i) script.pts.push_back(static_cast<std::int64_t>(i) * duration);
    return script;
  }

  explicit FakeSource(Script script) : script_(std::move(script)) {
    facts_.time_base = {1, 1000};
    if (script_.is_network) input_.kind = media::InputKind::Network;
    input_.is_live = script_.is_live;
    input_.is_seekable = !script_.is_pipe;
    facts_.duration_seconds = static_cast<double>(script_.pts.back() + script_.frame_duration) / 1000;
    if (!script_.audio_seconds) return;
    auto stream = std::make_shared<media::AudioStream>();
    stream->parameters.reset(avcodec_parameters_alloc());
    AVCodecParameters& parameters = *stream->parameters;
    parameters.codec_type = AVMEDIA_TYPE_AUDIO;
    parameters.codec_id = AV_CODEC_ID_PCM_F32LE;
    parameters.format = AV_SAMPLE_FMT_FLT;
    parameters.sample_rate = AudioRate;
    av_channel_layout_default(&parameters.ch_layout, 2);
    stream->time_base = {1, AudioRate};
    audio_ = std::move(stream);
  }

  const media::VideoFacts& facts() const override { return facts_; }
  std::shared_ptr<const media::AudioStream> audio() const override { return audio_; }

  Result<media::SourceItem> read() override {
    std::unique_lock lock(mutex_);
    ++reads_;
    is_waiting_ = true;
    changed_.wait(lock, [this] {
      return (is_open_ && (next_ < come_ || come_ >= script_.pts.size())) || is_interrupted_;
    });
    is_waiting_ = false;
    if (is_interrupted_) return media::SourceItem{media::EndOfStream{}};
    if (script_.fails_at && next_ >= *script_.fails_at) {
      is_at_end_ = true;
      ++ends_;
      return Error{ErrorCode::Failed, "The disk is gone.", {}};
    }
    if (to_skip_ > 0) {
      --to_skip_;
      return media::SourceItem{media::Skipped{}};
    }
    if (next_ >= script_.pts.size()) {
      is_at_end_ = true;
      ++ends_;
      return media::SourceItem{media::EndOfStream{}};
    }
    if (script_.reconnects_at == next_) ++epoch_;
    Frame frame;
    frame.pts = script_.pts[next_++];
    frame.duration = script_.frame_duration;
    frame.time_base = {1, 1000};
    frame.epoch = epoch_;
    if (script_.is_hardware) frame.surface = std::make_shared<FakeSurface>(surfaces_);
    return media::SourceItem{std::move(frame)};
  }

  Result<media::SourceItem> read_audio() override {
    const std::lock_guard lock(mutex_);
    if (static_cast<double>(audio_at_) >= *script_.audio_seconds * AudioRate) {
      return media::SourceItem{media::EndOfStream{}};
    }
    auto packet = std::make_shared<media::AudioPacket>();
    packet->packet = media::new_packet();
    packet->time_base = {1, AudioRate};
    packet->epoch = epoch_;
    if (av_new_packet(packet->packet.get(), PacketFrames * 8) != 0)
      return Error{ErrorCode::Failed, "No memory.", {}};
    std::fill_n(reinterpret_cast<float*>(packet->packet->data), PacketFrames * 2, 0.25F);
    packet->packet->pts = packet->packet->dts = audio_at_;
    packet->packet->duration = PacketFrames;
    audio_at_ += PacketFrames;
    return media::SourceItem{std::shared_ptr<const media::AudioPacket>(std::move(packet))};
  }

  Result<void> seek(double seconds, media::SeekMode mode, std::uint32_t epoch) override {
    std::unique_lock lock(mutex_);
    ++seeks_;
    changed_.wait(lock, [this] { return is_open_ || is_interrupted_; });
    epoch_ = epoch;
    if (script_.seeks_fail) return Error{ErrorCode::Failed, "This input does not support seeking.", {}};
    const auto target = static_cast<std::int64_t>(std::llround(seconds * 1000));
    const auto& pts = script_.pts;
    auto index = static_cast<std::size_t>(std::lower_bound(pts.begin(), pts.end(), target) - pts.begin());
    if (mode == media::SeekMode::FrameBefore && index > 0) --index;
    const bool is_on_target = index < pts.size() && pts[index] == target;
    const std::size_t key = (is_on_target || index == 0 ? index : index - 1) / script_.gop * script_.gop;
    if (mode == media::SeekMode::KeyframeBefore) index = key;
    if (mode == media::SeekMode::KeyframeAfter) {
      const std::size_t after = (index + script_.gop - 1) / script_.gop * script_.gop;
      index = after < pts.size() ? after : key;
    }
    to_skip_ = index - std::min(index, key);
    next_ = index;
    is_at_end_ = false;
    audio_at_ = std::llround(seconds * AudioRate) / PacketFrames * PacketFrames;
    return {};
  }

  media::ReadAhead read_ahead() const override {
    const std::lock_guard lock(mutex_);
    return {.is_starved = is_waiting_ && next_ >= come_};
  }
  const media::InputFacts& input() const override { return input_; }
  const std::vector<media::SubtitleTrackInfo>& subtitle_tracks() const override { return subtitle_tracks_; }
  Result<std::unique_ptr<media::SubtitleDecoder>> open_subtitles(int, const std::string&) const override {
    return Error{ErrorCode::BadInput, "This input has no subtitles.", {}};
  }
  std::shared_ptr<const media::SubtitlePacket> try_read_subtitle(int) override { return nullptr; }
  void set_background(std::uint32_t) override {}
  void interrupt() override {
    {
      const std::lock_guard lock(mutex_);
      is_interrupted_ = true;
    }
    changed_.notify_all();
  }
  std::uint64_t damaged_packets() const override { return 0; }

  /// Returns the number of surfaces in use.
  [[nodiscard]] int surfaces() const { return *surfaces_; }

  void set_gate(bool open) {
    {
      const std::lock_guard lock(mutex_);
      is_open_ = open;
    }
    changed_.notify_all();
  }
  /// Makes the first `count` frames available, as if they had arrived. PlaybackSimulation waits until all
  /// available frames are read, so `count` may exceed the number of shown frames by at most 16
  /// (DecodeThread::Capacity). If the test never calls this, all frames and the end are available.
  void release_frames(std::size_t count) {
    {
      const std::lock_guard lock(mutex_);
      come_ = count;
    }
    changed_.notify_all();
  }
  [[nodiscard]] bool is_open() const {
    const std::lock_guard lock(mutex_);
    return is_open_;
  }
  /// Whether more than `count` frames whose pts is greater than `time` have been read, or no more frames can
  /// be read now.
  [[nodiscard]] bool is_ahead_of(std::int64_t time, std::size_t count) const {
    const std::lock_guard lock(mutex_);
    if (!is_open_ || is_at_end_) return true;
    if (come_ < script_.pts.size()) return is_waiting_ && next_ >= come_;
    const auto& pts = script_.pts;
    const auto after = std::upper_bound(pts.begin(), pts.end(), time);
    return next_ > static_cast<std::size_t>(after - pts.begin()) + count;
  }
  /// Returns how many times read() has returned the end or an error.
  [[nodiscard]] std::uint64_t ends() const {
    const std::lock_guard lock(mutex_);
    return ends_;
  }
  [[nodiscard]] std::uint64_t reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
  }
  [[nodiscard]] std::uint64_t seeks() const {
    const std::lock_guard lock(mutex_);
    return seeks_;
  }

 private:
  const Script script_;
  std::shared_ptr<std::atomic<int>> surfaces_ = std::make_shared<std::atomic<int>>(0);
  media::VideoFacts facts_;
  media::InputFacts input_;
  std::shared_ptr<const media::AudioStream> audio_;
  std::vector<media::SubtitleTrackInfo> subtitle_tracks_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
  bool is_interrupted_ = false;
  std::uint64_t ends_ = 0;
  bool is_at_end_ = false;  ///< whether read() has returned the end or an error since the last seek
  bool is_waiting_ = false;
  std::size_t next_ = 0;
  std::size_t come_ = std::numeric_limits<std::size_t>::max();
  std::size_t to_skip_ = 0;
  std::int64_t audio_at_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t seeks_ = 0;
};

}  // namespace glyphreel::player
