#include "player/playback/playback.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace glyphreel::player {
namespace {

constexpr double DecodedAheadSeconds = 0.25;  // how far the decode thread may be ahead of the waiting frames

}  // namespace

Result<std::unique_ptr<Playback>> Playback::open(const cli::Settings& settings, Options options) {
  std::unique_ptr<Playback> self(new Playback(settings, std::move(options)));
  if (!self->source_) {
    TRY_ASSIGN(self->source_,
               session::open_input(settings, {.url = self->options_.url,
                                              .memory = &self->memory_,
                                              .audio = settings.audio.enabled ? media::AudioDelivery::Apart
                                                                              : media::AudioDelivery::None,
                                              .audio_track = self->options_.audio_track,
                                              .want_subtitles = true,
                                              .reports_skipped = true,
                                              .stop = self->options_.stop_opening,
                                              .times = self->options_.times,
                                              .hardware = &self->hardware_}));
  }
  const media::VideoFacts& facts = self->facts();
  self->origin_ = static_cast<double>(facts.start_pts) * facts.time_base.value();
  self->loop_.plays_left = self->source_->input().play_count;
  if (settings.playback.repeats > 0) self->loop_.plays_left = settings.playback.repeats + 1;
  if (settings.playback.repeats == cli::PlaybackSettings::RepeatForever)
    self->set_loop(self->start_seconds(), std::nullopt);
  return self;
}

void Playback::begin(HostMemory* memory, media::HwDecodeContext hardware) {
  memory_.bind(memory);
  hardware_.bind(std::move(hardware));
  decoder_ = std::make_unique<DecodeThread>(*source_, options_.wake);
  open_audio();  // the first frame is decoded meanwhile
}

Playback::Playback(const cli::Settings& settings, Options options)
    : settings_(settings),
      options_(std::move(options)),
      statistics_(*options_.statistics),
      source_(std::move(options_.source)),
      controls_(options_.controls) {}

Playback::~Playback() {
  if (source_) source_->interrupt();
}

void Playback::open_audio() {
  if (!source_->audio()) return;
  Result<std::unique_ptr<AudioPlayer>> opened = options_.open_audio(
      {.stream = source_->audio(),
       .read = [source = source_.get()] { return source->read_audio(); },
       .stop_reading = [source = source_.get()] { source->interrupt(); },
       .on_decoded = options_.on_audio,
       .on_change = options_.wake,
       .open_output = [device = settings_.audio.device](
                          present::AudioFeed& feed) { return present::open_audio_output(feed, device); }});
  if (!opened) {
    audio_failure_ = opened.error().message;
    return;
  }
  audio_ = *std::move(opened);
  set_muted(controls_.muted);
  audio_->set_delay(controls_.audio_delay);
  audio_->set_speed(controls_.speed);
  if (controls_.paused) audio_->pause();
}

double Playback::position(TimePoint now) const {
  if (const auto* seeking = std::get_if<phase::Seeking>(&phase_)) return seeking->target.value_or(0);
  const double frame = last_ ? last_->pts_seconds() : origin_;
  if (std::holds_alternative<phase::Starting>(phase_)) return frame - origin_;
  return std::clamp(clock_.seconds(now), frame, std::max({end_seconds_, frame, origin_})) - origin_;
}

std::optional<Playback::Played> Playback::played(TimePoint now) const {
  if (!last_) return std::nullopt;
  double seconds = last_->pts_seconds();
  if (const auto* seeking = std::get_if<phase::Seeking>(&phase_)) {
    seconds = seeking->left_at_seconds;
  } else if (!std::holds_alternative<phase::Starting>(phase_)) {
    seconds = std::max(seconds, clock_.seconds(now));
  }
  return Played{last_->epoch, seconds, clock_.rate()};
}

bool Playback::seek(double seconds, media::SeekMode mode) {
  const TimePoint now = std::chrono::steady_clock::now();
  const std::optional<Played> before = played(now);
  seconds = std::max(0.0, seconds);
  if (!source_->input().is_seekable && !decoder_->at_end()) {
    const std::optional<double> reachable = next_reachable(seconds, mode);
    if (!reachable) {
      notice_ = "This input cannot seek backward.";
      return false;
    }
    seconds = *reachable;
    mode = media::SeekMode::Exact;
  }
  if (facts().duration_seconds) seconds = std::min(seconds, *facts().duration_seconds);
  ++epoch_;
  if (audio_) {
    const bool is_exact = mode == media::SeekMode::Exact;
    audio_->seek(epoch_, is_exact ? seconds + origin_ : -std::numeric_limits<double>::infinity());
  }
  decoder_->seek({.seconds = seconds, .mode = mode, .epoch = epoch_});
  phase_ = phase::Seeking{
      .target = seconds, .requested_at = now, .left_at_seconds = before ? before->media_seconds : 0};
  return true;
}

/// For an input that is not seekable: returns the nearest position at or after `seconds` that playback can
/// skip to. The position is also after the waiting frames, because a seek drops them. Returns empty if
/// playback has already passed `seconds`, and for a backward step.
std::optional<double> Playback::next_reachable(double seconds, media::SeekMode mode) const {
  const bool has_passed = last_ && seconds <= last_->pts_seconds() - origin_;
  if (mode == media::SeekMode::FrameBefore || has_passed) return std::nullopt;
  const std::deque<Frame>& waiting = decoder_->waiting();
  if (waiting.empty()) return seconds;
  return std::max(seconds, waiting.back().pts_seconds() - origin_ + DecodedAheadSeconds);
}

void Playback::seek_by(double seconds, SeekUnit unit, TimePoint now) {
  const bool exact = unit == SeekUnit::Frame || !source_->input().is_seekable;
  const media::SeekMode mode = exact         ? media::SeekMode::Exact
                               : seconds > 0 ? media::SeekMode::KeyframeAfter
                                             : media::SeekMode::KeyframeBefore;
  seek((exact ? frame_position(now) : position(now)) + seconds, mode);
}

double Playback::frame_position(TimePoint now) const {
  return is_seeking() || !last_ || is_past_last_ ? position(now) : last_->pts_seconds() - origin_;
}

void Playback::set_paused(bool paused, TimePoint now) {
  if (paused == controls_.paused) return;
  controls_.paused = paused;
  if (is_seeking() || std::holds_alternative<phase::Starting>(phase_)) {
    if (audio_) paused ? audio_->pause() : audio_->resume();
  } else if (paused) {
    const auto* buffering = std::get_if<phase::Buffering>(&phase_);
    stop_clock(now);
    phase_ = buffering == nullptr ? phase::Paused{}
                                  : phase::Paused{.restarts = buffering->restarts, .buffers = true};
  } else if (const phase::Paused before = std::get<phase::Paused>(phase_); before.buffers) {
    phase_ = phase::Buffering{.restarts = before.restarts};
  } else if (before.restarts) {
    clock_.anchor(last_->pts_seconds(), now);
    start_clock(now);
  } else {
    resume_clock(now);
  }
}

void Playback::step_forward(TimePoint now) {
  set_paused(true, now);
  if (auto* seeking = std::get_if<phase::Seeking>(&phase_)) seeking->steps_forward = true;
  if (auto* paused = std::get_if<phase::Paused>(&phase_)) paused->steps_forward = true;
}

void Playback::step_back(TimePoint now) {
  set_paused(true, now);
  auto* seeking = std::get_if<phase::Seeking>(&phase_);
  if (seeking != nullptr && seeking->is_step_back) {
    ++seeking->more_steps_back;  // start() makes this step after the pending step has reached its frame
    return;
  }
  double from = last_ ? last_->pts_seconds() - origin_ : 0;
  if (seeking != nullptr && seeking->target) from = *seeking->target;
  if (seek(from, media::SeekMode::FrameBefore)) std::get<phase::Seeking>(phase_).is_step_back = true;
}

void Playback::set_speed(double speed, TimePoint now) {
  controls_.speed = std::clamp(speed, PlaybackControls::MinSpeed, PlaybackControls::MaxSpeed);
  clock_.set_rate(controls_.speed, now);
  if (audio_) audio_->set_speed(controls_.speed);
}

void Playback::set_volume(double percent) {
  controls_.volume = std::clamp(percent, 0.0, PlaybackControls::MaxVolume);
  set_muted(controls_.muted);
}

void Playback::set_muted(bool muted) {
  controls_.muted = muted;
  if (audio_) audio_->set_volume(muted ? 0 : controls_.volume);
}

void Playback::set_audio_delay(double seconds) {
  controls_.audio_delay = seconds;
  if (audio_) audio_->set_delay(seconds);
}

void Playback::goto_loop_start() {
  loop_.is_without_frames = true;
  const double start = loop_.a.value_or(start_seconds());
  if (!seek(start, media::SeekMode::Exact)) set_loop(std::nullopt, std::nullopt);
}

}  // namespace glyphreel::player
