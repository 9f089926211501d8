#include "player/audio/audio_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/io/log.h"
#include "base/threads/thread.h"
#include "base/threads/thread_priority.h"

namespace glyphreel::player {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr int Rate = present::AudioOutput::Rate;
constexpr std::size_t RingFrames = Rate / 4;      // beyond the device's own buffer: bridges a busy CPU
constexpr std::size_t AheadFrames = Rate / 5;     // decoded before start(); fits into the ring
constexpr double SpeedRounding = 0.002;           // seconds that a change of speed may leave between blocks
constexpr std::uint64_t LatestFrames = Rate / 2;  // audio later than that is not skipped but played late
constexpr float GainStep = 1.0F / (Rate / 100);   // per frame: from silence to full in 10 ms
constexpr milliseconds FirstStartLatency{60};
constexpr milliseconds ResumeLatency{5};
constexpr double MaxVolume = 130;

/// Epochs count up and may wrap.
bool is_older(std::uint32_t epoch, std::uint32_t than) {
  return static_cast<std::int32_t>(epoch - than) < 0;
}

std::int64_t frames_of(double media_seconds, double speed) {
  return std::llround(media_seconds / speed * Rate);
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
      device_clock_(Rate),
      start_latency_ns_(nanoseconds(FirstStartLatency).count()) {}

AudioPlayer::~AudioPlayer() {
  if (thread_.joinable()) {
    thread_.request_stop();
    if (options_.stop_reading) options_.stop_reading();
    wake();
    thread_.join();
  }
  output_.reset();  // it calls back until it is destroyed
}

// ---- on the output's thread ----

void AudioPlayer::pull(std::span<float> samples) {
  const std::size_t written = ring_.read(samples);
  const bool is_empty = written * AudioRing::Channels < samples.size();
  if (is_empty && !was_empty_ && is_more_to_come_.load(std::memory_order_relaxed)) {
    underruns_.fetch_add(1, std::memory_order_relaxed);
  }
  was_empty_ = is_empty;
  const float wanted = wanted_gain_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < written * AudioRing::Channels; i += AudioRing::Channels) {
    gain_ += std::clamp(wanted - gain_, -GainStep, GainStep);
    samples[i] = std::clamp(samples[i] * gain_, -1.0F, 1.0F);
    samples[i + 1] = std::clamp(samples[i + 1] * gain_, -1.0F, 1.0F);
  }
  if (written == 0) gain_ = wanted;  // the step is inaudible
  wake();
}

void AudioPlayer::next_is_heard_at(TimePoint at) {
  const TimePoint guessed = device_clock_.origin();
  const bool is_first = !device_clock_.is_measured();
  device_clock_.add(ring_.reader(), at);
  if (is_first && std::exchange(learn_start_latency_, false)) {
    start_latency_ns_.fetch_add((device_clock_.origin() - guessed).count(), std::memory_order_relaxed);
  }
  origin_ns_.store(device_clock_.origin().time_since_epoch().count(), std::memory_order_release);
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
        output_->hold();
      }
    }
    if (has_ended && options_.on_change) options_.on_change();
    if (is_reading) {
      Result<void> taken = catching([&]() -> Result<void> {
        handle_item(options_.read(), request);
        return {};
      });
      if (!taken) stop_at_error(taken.error());
    } else {
      wakes_.wait(wakes, std::memory_order_acquire);
    }
  }
}

void AudioPlayer::stop_at_error(const Error& reason) {
  log::warn("The sound stopped: {}", reason.message);
  const MutexLock lock(mutex_);
  is_input_at_end_ = true;
  is_more_to_come_ = false;
}

void AudioPlayer::handle_item(Result<media::SourceItem> item, const ReadContext& request) {
  if (!item) log::warn("The sound stopped: {}", item.error().message);
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
    damaged_packets_.store(decoder_->damaged_packets(), std::memory_order_relaxed);
    return;
  }
  if (item && !std::holds_alternative<media::EndOfStream>(*item)) return;
  {
    // The end of the stream before a seek is not the end after it.
    const MutexLock lock(mutex_);
    if (request != ReadContext{epoch_, is_started_}) return;
  }
  accept(decoder_->drain(), request.epoch);
  decoder_->flush();
  const MutexLock lock(mutex_);
  if (request != ReadContext{epoch_, is_started_}) return;
  is_input_at_end_ = true;
  is_more_to_come_ = false;
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
    waiting_.push_back(std::move(block));
  }
}

// ---- waiting blocks, and where they go ----

bool AudioPlayer::wants_packets() const {
  if (is_input_at_end_) return false;
  if (is_started_) return waiting_.empty() && gap_frames_ == 0 && ring_.room() > 0;
  std::size_t frames = 0;
  for (const media::AudioBlock& block : waiting_) frames += block.frames();
  return frames < AheadFrames;
}

/// Places the first waiting block. Returns false if all of it is too early: the caller then drops it.
bool AudioPlayer::place_front() {
  media::AudioBlock& block = waiting_.front();
  const std::uint64_t end = ring_.end();
  const PositionToPts::Place here = map_.at(static_cast<double>(end));
  const double difference = block.media_seconds - here.media_seconds;
  const double frame_seconds = block.speed / Rate;
  const bool is_near = std::abs(difference) <= MaxAudioGap;
  front_done_ = 0;
  gap_frames_ = 0;
  if (difference < 0 && (is_first_block_ || (is_near && difference < -SpeedRounding))) {
    front_done_ = static_cast<std::size_t>(frames_of(-difference, block.speed));
    if (front_done_ >= block.frames()) return false;
  } else if (difference > 0 && (is_first_block_ || (is_near && difference > SpeedRounding))) {
    gap_frames_ = static_cast<std::uint64_t>(frames_of(difference, block.speed));
    if (here.seconds_per_frame != frame_seconds) map_.add(end, here.media_seconds, frame_seconds);
  }
  std::uint64_t position = end + gap_frames_;
  if (ring_.reader() > position + LatestFrames) {
    ring_.skip_to(ring_.reader());
    position = ring_.end();
    gap_frames_ = 0;
  }
  map_.add(position, block.media_seconds + static_cast<double>(front_done_) * frame_seconds, frame_seconds);
  is_first_block_ = false;
  is_more_to_come_ = !is_input_at_end_;
  return true;
}

/// Moves waiting blocks to the ring while it has room. Skips what the device has already passed, which
/// keeps the rest in its place.
void AudioPlayer::fill_ring() {
  if (!is_started_) return;
  while (!waiting_.empty()) {
    if (!is_front_placed_ && !place_front()) {
      waiting_.pop_front();
      continue;
    }
    is_front_placed_ = true;
    const media::AudioBlock& block = waiting_.front();
    const std::uint64_t left = block.frames() - front_done_;
    const std::uint64_t reader = ring_.reader();
    if (reader > ring_.end()) {
      const std::uint64_t passed = std::min(gap_frames_ > 0 ? gap_frames_ : left, reader - ring_.end());
      ring_.skip_to(ring_.end() + passed);
      if (gap_frames_ > 0) {
        gap_frames_ -= passed;
        continue;
      }
      front_done_ += static_cast<std::size_t>(passed);
    } else {
      const auto count = static_cast<std::size_t>(
          std::min<std::uint64_t>(gap_frames_ > 0 ? gap_frames_ : left, ring_.room()));
      if (count == 0) return;
      if (gap_frames_ > 0) {
        ring_.write_silence(count);
        gap_frames_ -= count;
        continue;
      }
      ring_.write(
          std::span(block.samples).subspan(front_done_ * AudioRing::Channels, count * AudioRing::Channels));
      front_done_ += count;
    }
    if (front_done_ == block.frames()) {
      waiting_.pop_front();
      is_front_placed_ = false;
    }
  }
}

void AudioPlayer::begin_epoch(std::uint32_t epoch, double from_seconds) {
  output_->hold();
  output_->discard();
  ring_.reset_to_reader();
  epoch_ = epoch;
  from_seconds_ = from_seconds;
  is_started_ = is_input_at_end_ = is_ended_ = false;
  is_more_to_come_ = false;
  map_.clear();
  waiting_.clear();
  is_front_placed_ = false;
  gap_frames_ = 0;
}

// ---- for the player ----

void AudioPlayer::expect(std::uint32_t epoch, double from_seconds) {
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
    output_->hold();
    output_->discard();
    ring_.reset_to_reader();
    is_started_ = true;
    is_ended_ = false;
    // An end seen earlier may be that of the packets before the seek. If it is the end after it, it is
    // reported again.
    is_input_at_end_ = false;
    is_first_block_ = true;
    is_front_placed_ = false;
    gap_frames_ = 0;
    map_.clear();
    map_.add(ring_.end(), media_seconds - delay_seconds_, speed_.load(std::memory_order_relaxed) / Rate);
    fill_ring();
    paused_position_ = static_cast<double>(ring_.reader());
    predict_position(paused_position_, nanoseconds(start_latency_ns_.load(std::memory_order_relaxed)));
    learn_start_latency_ = true;
    if (!is_paused_) output_->play();
  }
  wake();
}

void AudioPlayer::pause() {
  const MutexLock lock(mutex_);
  if (is_paused_) return;
  is_paused_ = true;
  output_->hold();
  paused_position_ = played_position(options_.now());
}

void AudioPlayer::resume() {
  const MutexLock lock(mutex_);
  if (!is_paused_) return;
  is_paused_ = false;
  if (!is_started_ || is_ended_) return;
  predict_position(paused_position_, ResumeLatency);
  output_->play();
}

/// Sets a guess while the output is held; the device's first report replaces it.
void AudioPlayer::predict_position(double position, nanoseconds from_now) {
  device_clock_.predict(position, options_.now() + from_now);
  origin_ns_.store(device_clock_.origin().time_since_epoch().count(), std::memory_order_release);
}

double AudioPlayer::played_position(TimePoint now) const {
  const nanoseconds origin(origin_ns_.load(std::memory_order_acquire));
  return std::chrono::duration<double>(now.time_since_epoch() - origin).count() * Rate;
}

bool AudioPlayer::has_played_all(TimePoint now) const {
  return is_started_ && !is_paused_ && is_input_at_end_ && waiting_.empty() &&
         played_position(now) >= static_cast<double>(ring_.end());
}

std::optional<AudioPlayer::Reading> AudioPlayer::clock() const {
  const MutexLock lock(mutex_);
  if (!is_started_ || is_paused_ || is_ended_ || !output_->is_present()) return std::nullopt;
  const TimePoint now = options_.now();
  const double position = played_position(now);
  map_.forget_before(position - Rate);
  const PositionToPts::Place place = map_.at(position);
  return Reading{place.media_seconds + delay_seconds_, now, place.seconds_per_frame * Rate};
}

bool AudioPlayer::ended() const {
  const MutexLock lock(mutex_);
  return is_ended_;
}

bool AudioPlayer::is_filled() const {
  const MutexLock lock(mutex_);
  const bool is_end_due = has_played_all(options_.now()) && !is_ended_;
  return !wants_packets() && !is_end_due && (!is_started_ || waiting_.empty() || ring_.room() == 0);
}

std::string AudioPlayer::description() const {
  return fmt::format("{}, {} Hz, {} channels, {}", output_->description(), Rate,
                     present::AudioOutput::Channels, codec_);
}

void AudioPlayer::set_volume(double percent) {
  volume_.store(std::clamp(percent, 0.0, MaxVolume), std::memory_order_relaxed);
  set_gain();
}

void AudioPlayer::set_muted(bool is_muted) {
  is_muted_.store(is_muted, std::memory_order_relaxed);
  set_gain();
}

void AudioPlayer::set_gain() {
  const double part = volume_.load(std::memory_order_relaxed) / 100;
  wanted_gain_.store(
      is_muted_.load(std::memory_order_relaxed) ? 0.0F : static_cast<float>(part * part * part),
      std::memory_order_relaxed);
}

void AudioPlayer::set_delay(double seconds) {
  const MutexLock lock(mutex_);
  delay_seconds_ = seconds;
}

}  // namespace glyphreel::player
