#include "player/audio/audio_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/io/log.h"
#include "base/threads/thread.h"

namespace glyphreel::player {
namespace {

constexpr int Rate = present::AudioOutput::Rate;
// A quarter of a second, in addition to the device's buffer, so that a busy CPU causes no gap.
constexpr std::size_t RingFrames = Rate / 4;
constexpr std::size_t AheadFrames = Rate / 5;    // frames to decode before start(); less than RingFrames
constexpr float GainStep = 1.0F / (Rate / 100);  // per frame; silence to full volume takes 10 ms

/// Whether `epoch` is older than `than`. Epochs count up and may wrap.
bool is_older(std::uint32_t epoch, std::uint32_t than) {
  return static_cast<std::int32_t>(epoch - than) < 0;
}

}  // namespace

Result<std::unique_ptr<AudioPlayer>> AudioPlayer::open(Options options) {
  TRY_ASSIGN(auto decoder, media::AudioDecoder::open(*options.stream, Rate));
  std::unique_ptr<AudioPlayer> self(new AudioPlayer(std::move(options), std::move(decoder)));
  TRY_ASSIGN(self->output_, self->options_.open_output(*self));
  TRY_ASSIGN(self->thread_, start_thread("sound", [player = self.get()](const std::stop_token& stop) {
               player->run(stop);
             }));
  return self;
}

AudioPlayer::AudioPlayer(Options options, std::unique_ptr<media::AudioDecoder> decoder)
    : options_(std::move(options)),
      decoder_(std::move(decoder)),
      codec_(decoder_->codec()),
      ring_(RingFrames),
      clock_(Rate),
      queue_(ring_, Rate) {}

AudioPlayer::~AudioPlayer() {
  if (thread_.joinable()) {
    thread_.request_stop();
    if (options_.stop_reading) options_.stop_reading();
    wake();
    thread_.join();
  }
  output_.reset();  // the output calls pull() until it is destroyed
}

// ---- on the output's thread ----

void AudioPlayer::pull(std::span<float> samples) {
  const std::size_t written = ring_.read(samples);
  const float wanted = wanted_gain_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < written * AudioRing::Channels; i += AudioRing::Channels) {
    gain_ += std::clamp(wanted - gain_, -GainStep, GainStep);
    samples[i] = std::clamp(samples[i] * gain_, -1.0F, 1.0F);
    samples[i + 1] = std::clamp(samples[i + 1] * gain_, -1.0F, 1.0F);
  }
  if (written == 0) gain_ = wanted;  // no audio is playing, so a jump in volume is inaudible
  wake();
}

void AudioPlayer::report_playback_time(TimePoint at) {
  clock_.add(ring_.reader(), at);
}

// ---- on AudioPlayer's thread ----

void AudioPlayer::wake() {
  wakes_.fetch_add(1, std::memory_order_release);
  wakes_.notify_one();
}

void AudioPlayer::run(const std::stop_token& stop) {
  raise_thread_priority();
  while (!stop.stop_requested()) {
    const std::uint32_t wakes = wakes_.load(std::memory_order_acquire);
    bool is_reading = false;
    bool has_ended = false;
    ReadContext request;
    {
      const MutexLock lock(mutex_);
      fill_ring();
      is_reading = wants_packets();
      request = {epoch_, is_started_};
      if (!is_ended_ && has_played_all(options_.now())) {
        is_ended_ = has_ended = true;
        output_->pause();
      }
    }
    if (has_ended && options_.on_change) options_.on_change();
    if (is_reading) {
      Result<void> taken = catching([&]() -> Result<void> {
        handle_item(options_.read(), request);
        return {};
      });
      if (!taken) {
        log::warn("Playback continues without sound: {}", taken.error().message);
        const MutexLock lock(mutex_);
        is_input_at_end_ = true;
      }
    } else {
      wakes_.wait(wakes, std::memory_order_acquire);
    }
  }
}

void AudioPlayer::handle_item(Result<media::SourceItem> item, const ReadContext& request) {
  if (!item) log::warn("Playback continues without sound: {}", item.error().message);
  const auto* packet = item ? std::get_if<std::shared_ptr<const media::AudioPacket>>(&*item) : nullptr;
  if (packet != nullptr) {
    const std::uint32_t epoch = media::epoch_of(**packet);
    {
      const MutexLock lock(mutex_);
      if (is_older(epoch, epoch_)) return;
      if (epoch != epoch_) begin_epoch(epoch, -std::numeric_limits<double>::infinity());
    }
    decoder_->set_speed(speed_.load(std::memory_order_relaxed));
    accept(decoder_->decode(**packet), epoch);
    return;
  }
  if (item && !std::holds_alternative<media::EndOfStream>(*item)) return;
  {
    // Ignore the end of the stream if seek() or start() was called after the packet was requested.
    const MutexLock lock(mutex_);
    if (request != ReadContext{epoch_, is_started_}) return;
  }
  accept(decoder_->drain(), request.epoch);
  decoder_->flush();
  const MutexLock lock(mutex_);
  if (request == ReadContext{epoch_, is_started_}) is_input_at_end_ = true;
}

void AudioPlayer::accept(std::vector<media::AudioBlock> blocks, std::uint32_t epoch) {
  if (options_.on_decoded) {
    for (const media::AudioBlock& block : blocks) options_.on_decoded(block);
  }
  const MutexLock lock(mutex_);
  if (epoch != epoch_) return;
  for (media::AudioBlock& block : blocks) {
    if (block.epoch != epoch) continue;
    const double end = block.media_seconds + static_cast<double>(block.frames()) * block.speed / Rate;
    if (!is_started_ && end < from_seconds_) continue;
    queue_.push(std::move(block));
  }
}

bool AudioPlayer::wants_packets() const {
  if (is_input_at_end_) return false;
  return is_started_ ? queue_.empty() && ring_.room() > 0 : queue_.frames() < AheadFrames;
}

void AudioPlayer::fill_ring() {
  if (is_started_) queue_.fill();
}

void AudioPlayer::begin_epoch(std::uint32_t epoch, double from_seconds) {
  silence();
  queue_.clear();
  epoch_ = epoch;
  from_seconds_ = from_seconds;
  is_started_ = false;
}

/// Stops the output, discards its audio, and clears is_input_at_end_ and is_ended_.
void AudioPlayer::silence() {
  output_->pause();
  output_->discard();
  is_input_at_end_ = is_ended_ = false;
}

// ---- called by the player ----

void AudioPlayer::seek(std::uint32_t epoch, double from_seconds) {
  {
    const MutexLock lock(mutex_);
    if (is_older(epoch, epoch_)) return;
    begin_epoch(epoch, from_seconds - std::max(0.0, delay_seconds_));
  }
  wake();
}

void AudioPlayer::start(std::uint32_t epoch, double media_seconds) {
  {
    const MutexLock lock(mutex_);
    if (is_older(epoch, epoch_)) return;
    if (epoch != epoch_) begin_epoch(epoch, -std::numeric_limits<double>::infinity());
    // silence() also clears is_input_at_end_, which may have been set earlier in this epoch. If the input
    // is still at its end, read() returns EndOfStream again.
    silence();
    is_started_ = true;
    queue_.start(media_seconds - delay_seconds_, speed_.load(std::memory_order_relaxed));
    fill_ring();
    paused_position_ = static_cast<double>(ring_.reader());
    clock_.predict_start(paused_position_, options_.now());
    if (!is_paused_) output_->play();
  }
  wake();
}

void AudioPlayer::pause() {
  const MutexLock lock(mutex_);
  if (is_paused_) return;
  is_paused_ = true;
  output_->pause();
  paused_position_ = clock_.position(options_.now());
}

void AudioPlayer::resume() {
  const MutexLock lock(mutex_);
  if (!is_paused_) return;
  is_paused_ = false;
  if (!is_started_ || is_ended_) return;
  clock_.predict_resume(paused_position_, options_.now());
  output_->play();
}

bool AudioPlayer::has_played_all(TimePoint now) const {
  return is_started_ && !is_paused_ && is_input_at_end_ && queue_.empty() &&
         clock_.position(now) >= static_cast<double>(ring_.end());
}

std::optional<AudioPlayer::Reading> AudioPlayer::clock() const {
  const MutexLock lock(mutex_);
  if (!is_started_ || is_paused_ || is_ended_ || !output_->is_present()) return std::nullopt;
  const TimePoint now = options_.now();
  const PositionToPts::MediaTiming timing = queue_.at(clock_.position(now));
  return Reading{timing.media_seconds + delay_seconds_, now, timing.seconds_per_frame * Rate};
}

bool AudioPlayer::ended() const {
  const MutexLock lock(mutex_);
  return is_ended_;
}

bool AudioPlayer::is_filled() const {
  const MutexLock lock(mutex_);
  const bool is_end_due = has_played_all(options_.now()) && !is_ended_;
  return !wants_packets() && !is_end_due && (!is_started_ || queue_.empty() || ring_.room() == 0);
}

std::string AudioPlayer::description() const {
  return fmt::format("{}, {} Hz, {} channels, {}", output_->description(), Rate,
                     present::AudioOutput::Channels, codec_);
}

void AudioPlayer::set_volume(double percent) {
  const double part = percent / 100;
  wanted_gain_.store(static_cast<float>(part * part * part), std::memory_order_relaxed);
}

void AudioPlayer::set_delay(double seconds) {
  const MutexLock lock(mutex_);
  delay_seconds_ = seconds;
}

}  // namespace glyphreel::player
