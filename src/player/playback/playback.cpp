#include "player/playback/playback.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/io/log.h"
#include "player/playback/pacing.h"

namespace glyphreel::player {
namespace {

constexpr double DecodedAheadSeconds = 0.25;  // how far the decode thread may be ahead of the waiting frames
constexpr double IdleWaitSeconds = 0.1;       // how soon Ctrl-C is noticed while nothing else happens
constexpr double SoundWaitSeconds = 0.5;      // how long the first picture waits for the sound to start
constexpr double ShortPictureSeconds = 0.1;   // positions within a picture shown longer are kept apart
constexpr double MinWaitSeconds = 0.001;
constexpr double StallSeconds = 0.3;      // how long a frame is overdue before playback waits for the network
constexpr std::size_t ResumeFrames = 8;   // this many frames end that wait
constexpr double ResumeSeconds = 0.4;     // or fewer that last this long
constexpr double BusyWaitSeconds = 0.02;  // for a screen that cannot take a frame yet

double duration_of(const Frame& frame) {
  return frame.duration > 0 ? static_cast<double>(frame.duration) * frame.time_base.value() : 0;
}

std::chrono::steady_clock::duration seconds_duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

}  // namespace

Result<std::unique_ptr<Playback>> Playback::open(const cli::Settings& settings, Options options) {
  auto memory = std::make_unique<session::DeferredHostMemory>();
  auto hardware = std::make_unique<media::DeferredHwDecode>();
  std::unique_ptr<media::Source> source = std::move(options.source);
  if (!source) {
    TRY_ASSIGN(source, session::open_input(settings, {.url = options.url,
                                                      .memory = memory.get(),
                                                      .times = options.times,
                                                      .audio = settings.audio ? media::AudioDelivery::Apart
                                                                              : media::AudioDelivery::None,
                                                      .audio_track = options.audio_track,
                                                      .want_subtitles = true,
                                                      .tells_skipped = true,
                                                      .stop = options.stop_opening,
                                                      .hardware = hardware.get()}));
  }
  return std::unique_ptr<Playback>(
      new Playback(settings, std::move(options), std::move(memory), std::move(hardware), std::move(source)));
}

void Playback::begin(HostMemory* memory, media::HwDecodeContext hardware) {
  memory_->bind(memory);
  hardware_->bind(std::move(hardware));
  open_sound();
  decoder_ = std::make_unique<DecodeThread>(
      DecodeThread::Options{.source = source_.get(), .on_change = options_.wake});
}

Playback::Playback(const cli::Settings& settings, Options options,
                   std::unique_ptr<session::DeferredHostMemory> memory,
                   std::unique_ptr<media::DeferredHwDecode> hardware, std::unique_ptr<media::Source> source)
    : settings_(settings),
      options_(std::move(options)),
      statistics_(*options_.statistics),
      memory_(std::move(memory)),
      hardware_(std::move(hardware)),
      source_(std::move(source)),
      origin_(static_cast<double>(source_->facts().start_pts) * source_->facts().time_base.value()),
      controls_(options_.controls),
      plays_left_(source_->input().play_count) {
  if (settings.loop_file) set_loop(settings.start_seconds.value_or(0), std::nullopt);
}

Playback::~Playback() {
  source_->interrupt();
}

void Playback::open_sound() {
  if (!source_->audio()) return;
  Result<std::unique_ptr<AudioPlayer>> opened =
      options_.open_sound({.stream = source_->audio(),
                           .read = [source = source_.get()] { return source->read_audio(); },
                           .stop_reading = [source = source_.get()] { source->interrupt(); },
                           .on_decoded = options_.on_sound,
                           .on_change = options_.wake});
  if (!opened) {
    sound_failure_ = opened.error().message;
    return;
  }
  sound_ = *std::move(opened);
  sound_->set_volume(controls_.volume);
  sound_->set_muted(controls_.muted);
  sound_->set_delay(controls_.audio_delay);
  sound_->set_speed(controls_.speed);
  if (controls_.paused) sound_->pause();
}

double Playback::position(TimePoint now) const {
  if (target_) return *target_;
  if (phase_ != Phase::Playing) return last_ ? last_->pts_seconds() - origin_ : 0;
  const double end = std::max(end_seconds_, last_ ? last_->pts_seconds() : 0);
  return std::clamp(clock_.seconds(now), last_ ? last_->pts_seconds() : origin_, std::max(end, origin_)) -
         origin_;
}

std::optional<Playback::Played> Playback::played(TimePoint now) const {
  if (!last_) return std::nullopt;
  double seconds = last_->pts_seconds();
  if (phase_ == Phase::Seeking) seconds = left_at_seconds_;
  if (phase_ == Phase::Playing) seconds = std::max(seconds, clock_.seconds(now));
  return Played{last_->epoch, seconds, clock_.rate()};
}

void Playback::seek(double seconds, media::SeekMode mode) {
  if (const std::optional<Played> before = played(std::chrono::steady_clock::now())) {
    left_at_seconds_ = before->media_seconds;
  }
  seconds = std::max(0.0, seconds);
  if (!source_->input().is_seekable && !decoder_->at_end()) {
    const std::optional<double> there = onward(seconds, mode);
    if (!there) {
      notice_ = "This input cannot seek backward.";
      return;
    }
    seconds = *there;
    mode = media::SeekMode::Exact;
  }
  if (duration()) seconds = std::min(seconds, *duration());
  ++epoch_;
  target_ = seconds;
  sought_at_ = std::chrono::steady_clock::now();
  phase_ = Phase::Seeking;
  step_pending_ = false;
  stepped_ = false;
  is_stepping_back_ = false;
  steps_back_ = 0;
  stalled_ = starts_after_stall_ = false;
  overdue_since_.reset();
  if (sound_) {
    sound_->expect(epoch_,
                   mode == media::SeekMode::Exact ? raw(seconds) : -std::numeric_limits<double>::infinity());
  }
  decoder_->seek({.seconds = seconds, .mode = mode, .epoch = epoch_});
}

void Playback::seek_by(double seconds, bool exact, TimePoint now) {
  exact = exact || !source_->input().is_seekable;
  const media::SeekMode mode = exact         ? media::SeekMode::Exact
                               : seconds > 0 ? media::SeekMode::KeyframeAfter
                                             : media::SeekMode::KeyframeBefore;
  seek((exact ? picture_position(now) : position(now)) + seconds, mode);
}

double Playback::picture_position(TimePoint now) const {
  const double here = position(now);
  if (target_ || !last_) return here;
  const double picture = last_->pts_seconds() - origin_;
  return here >= picture && here - picture < ShortPictureSeconds ? picture : here;
}

void Playback::set_paused(bool paused, TimePoint now) {
  if (paused == controls_.paused) return;
  controls_.paused = paused;
  if (phase_ == Phase::Seeking) {
    if (sound_) paused ? sound_->pause() : sound_->resume();
    return;
  }
  if (paused) {
    sync_sound(now);
    clock_.pause(now);
    if (sound_) sound_->pause();
  } else if (std::exchange(stepped_, false) && last_) {
    clock_.anchor(last_->pts_seconds(), now);
    start_clock(now);
  } else {
    clock_.resume(now);
    if (sound_) sound_->resume();
  }
}

void Playback::step_forward(TimePoint now) {
  set_paused(true, now);
  step_pending_ = true;
}

void Playback::step_back(TimePoint now) {
  set_paused(true, now);
  if (phase_ == Phase::Seeking && is_stepping_back_) {
    ++steps_back_;  // from the picture that the pending step leads to
    return;
  }
  const double from = target_ ? *target_ : last_ ? last_->pts_seconds() - origin_ : 0;
  seek(from, media::SeekMode::FrameBefore);
  is_stepping_back_ = phase_ == Phase::Seeking;
}

void Playback::set_speed(double speed, TimePoint now) {
  controls_.speed = std::clamp(speed, PlaybackControls::MinSpeed, PlaybackControls::MaxSpeed);
  clock_.set_rate(controls_.speed, now);
  if (sound_) sound_->set_speed(controls_.speed);
}

void Playback::set_volume(double percent) {
  controls_.volume = std::clamp(percent, 0.0, PlaybackControls::MaxVolume);
  if (sound_) sound_->set_volume(controls_.volume);
}

void Playback::set_muted(bool muted) {
  controls_.muted = muted;
  if (sound_) sound_->set_muted(muted);
}

void Playback::set_audio_delay(double seconds) {
  controls_.audio_delay = seconds;
  if (sound_) sound_->set_delay(seconds);
}

void Playback::set_loop(std::optional<double> a, std::optional<double> b) {
  loop_a_ = a;
  loop_b_ = b;
}

void Playback::goto_loop_start() {
  loop_is_fruitless_ = true;
  seek(loop_a_.value_or(settings_.start_seconds.value_or(0)), media::SeekMode::Exact);
  if (phase_ != Phase::Seeking) set_loop(std::nullopt, std::nullopt);  // it cannot; seek() left a notice
}

/// Returns how far ahead an input that is not seekable can be moved: at or after `seconds`, and past the
/// waiting frames, since a seek drops them. Empty: that point has passed.
std::optional<double> Playback::onward(double seconds, media::SeekMode mode) const {
  if (mode == media::SeekMode::FrameBefore || (last_ && seconds <= last_->pts_seconds() - origin_))
    return std::nullopt;
  const std::deque<Frame>& waiting = decoder_->waiting();
  if (waiting.empty()) return seconds;
  return std::max(seconds, waiting.back().pts_seconds() - origin_ + DecodedAheadSeconds);
}

Result<Playback::StepResult> Playback::step(TimePoint now, Visibility visibility) {
  decoder_->fetch();
  if (std::optional<Error> failed = decoder_->take_seek_error()) notice_ = failed->message;
  if (std::optional<Error> error = decoder_->take_error()) return *std::move(error);
  std::deque<Frame>& waiting = decoder_->waiting();
  if (phase_ == Phase::Seeking) {
    if (visibility == Visibility::NotYet) return StepResult{.wait_seconds = BusyWaitSeconds};
    if (decoder_->is_seeking()) return StepResult{.wait_seconds = IdleWaitSeconds};
    if (!waiting.empty()) return show_front(true);
    if (!decoder_->at_end()) return StepResult{.wait_seconds = IdleWaitSeconds};
    // The seek led past the last frame.
    target_.reset();
    sought_at_.reset();
    phase_ = Phase::Playing;
    return at_end(now);
  }
  // A live input was reopened: its timestamps are unrelated to the earlier ones.
  if (!waiting.empty() && waiting.front().epoch != epoch_) {
    if (sound_) sound_->expect(waiting.front().epoch);
    return show_front(true);
  }
  if (waits_for_network(now)) return StepResult{.wait_seconds = IdleWaitSeconds};
  sync_sound(now);
  if (controls_.paused) {
    if (step_pending_ && !waiting.empty()) return show_front(false);
    if (step_pending_ && decoder_->at_end()) step_pending_ = false;
    return StepResult{.wait_seconds = IdleWaitSeconds};
  }
  if (loop_a_ && loop_b_ && clock_.seconds(now) >= raw(*loop_b_)) {
    goto_loop_start();
    return StepResult{};
  }
  if (decoder_->at_end()) return at_end(now);
  if (waiting.empty()) return StepResult{.wait_seconds = IdleWaitSeconds};
  return show_due(now, visibility);
}

/// Returns whether playback waits for the network: sound and clock pause until enough frames have come.
bool Playback::waits_for_network(TimePoint now) {
  if (stalled_) {
    if (!is_stocked() && !controls_.paused) return true;
    end_stall(now);
    return false;
  }
  if (!is_overdue(now)) {
    overdue_since_.reset();
    return false;
  }
  if (!overdue_since_) overdue_since_ = now;
  // If the last frame came late too, the network is as fast as the video but behind it: every frame would
  // be late from now on.
  const bool is_behind = late_seconds_ > LateToleranceSeconds && source_->read_ahead().is_starved;
  if (!is_behind && now - *overdue_since_ <= seconds_duration(StallSeconds)) return false;
  stalled_ = true;
  sync_sound(now);
  clock_.pause(now);
  if (sound_) sound_->pause();
  return true;
}

/// Whether the frame that follows the shown one is due and the network has not delivered it.
bool Playback::is_overdue(TimePoint now) const {
  return decoder_->waiting().empty() && !decoder_->at_end() && !controls_.paused &&
         source_->input().is_network() && clock_.seconds(now) >= end_seconds_;
}

/// Whether enough frames wait to play for a while, or no more will come.
bool Playback::is_stocked() const {
  const std::deque<Frame>& waiting = decoder_->waiting();
  if (decoder_->is_complete() || decoder_->is_full() || waiting.size() >= ResumeFrames) return true;
  if (waiting.empty()) return false;
  const Frame& last = waiting.back();
  return last.epoch != waiting.front().epoch ||
         last.pts_seconds() + duration_of(last) - waiting.front().pts_seconds() >= ResumeSeconds;
}

void Playback::end_stall(TimePoint now) {
  const std::deque<Frame>& waiting = decoder_->waiting();
  stalled_ = false;
  late_seconds_ = 0;
  overdue_since_.reset();
  bool starts = std::exchange(starts_after_stall_, false);
  if (!starts && !waiting.empty() &&
      clock_.seconds(now) > waiting.front().pts_seconds() + LateToleranceSeconds) {
    // The clock ran on before the stall was noticed: the next frame is not late.
    clock_.anchor(waiting.front().pts_seconds(), now);
    starts = true;
  }
  if (controls_.paused) {
    stepped_ = starts || stepped_;  // then sound and clock restart when playback resumes
  } else if (starts) {
    start_clock(now);
  } else {
    clock_.resume(now);
    if (sound_) sound_->resume();
  }
}

/// Shows the front frame whether it is due or not: for the first frame of an epoch (`is_new`), or a step.
Playback::StepResult Playback::show_front(bool is_new) {
  std::deque<Frame>& waiting = decoder_->waiting();
  last_ = std::move(waiting.front());
  waiting.pop_front();
  ++statistics_.decoded;
  end_seconds_ = last_->pts_seconds() + duration_of(*last_);
  on_screen_seconds_ = last_->pts_seconds();
  late_seconds_ = 0;
  loop_is_fruitless_ = false;
  if (source_->input().is_still_image) {
    end_seconds_ =
        last_->pts_seconds() + options_.still_seconds.value_or(std::numeric_limits<double>::infinity());
  }
  if (is_new) {
    target_.reset();
    epoch_ = last_->epoch;
    phase_ = Phase::Starting;
    // A live input would fall behind at once if the clock started with no frames ready.
    stalled_ = starts_after_stall_ = source_->input().may_come_back();
    overdue_since_.reset();
  } else {
    step_pending_ = false;
    stepped_ = true;
  }
  return StepResult{.show = &*last_};
}

Playback::StepResult Playback::show_due(TimePoint now, Visibility visibility) {
  std::deque<Frame>& waiting = decoder_->waiting();
  times_seconds_.clear();
  for (const Frame& frame : waiting) {
    if (frame.epoch == epoch_) times_seconds_.push_back(frame.pts_seconds());
  }
  if (settings_.untimed) clock_.anchor(times_seconds_.front(), now);
  if (last_ && is_jump(end_seconds_, times_seconds_.front()) && clock_.seconds(now) >= end_seconds_ &&
      !(sound_ && sound_->clock())) {
    clock_.anchor(times_seconds_.front(), now);
  }
  const double media_now = clock_.seconds(now);
  PacingDecision decision =
      decide({.next = on_screen_at(now), .interval = refresh_interval(), .last = on_screen_seconds_},
             times_seconds_);
  if (visibility == Visibility::Hidden) {
    // Drop frames as their time passes, without any work.
    decision = {.wait_seconds = IdleWaitSeconds};
    while (static_cast<std::size_t>(decision.drop) < times_seconds_.size() &&
           times_seconds_[static_cast<std::size_t>(decision.drop)] <= media_now) {
      ++decision.drop;
    }
  }
  for (int i = 0; i < decision.drop; ++i) drop_front();
  statistics_.dropped += decision.drop - decision.skip;
  statistics_.skipped += decision.skip;
  if (!decision.show) {
    return StepResult{.wait_seconds =
                          std::clamp(decision.wait_seconds / clock_.rate(), MinWaitSeconds, IdleWaitSeconds)};
  }
  if (visibility == Visibility::NotYet) return StepResult{.wait_seconds = BusyWaitSeconds};
  last_ = std::move(waiting.front());
  waiting.pop_front();
  ++statistics_.decoded;
  end_seconds_ = last_->pts_seconds() + duration_of(*last_);
  return StepResult{.show = &*last_};
}

void Playback::drop_front() {
  std::deque<Frame>& waiting = decoder_->waiting();
  end_seconds_ = waiting.front().pts_seconds() + duration_of(waiting.front());
  waiting.pop_front();
  ++statistics_.decoded;
}

void Playback::shown(TimePoint at) {
  if (phase_ == Phase::Starting) {
    // The first picture may wait for the driver to compile shaders: the clock starts once it is shown, so
    // that the frames after it are not late.
    clock_.anchor(last_->pts_seconds(), at);
    clock_.set_rate(controls_.speed, at);
    phase_ = Phase::Playing;
    if (const std::optional<TimePoint> sought = std::exchange(sought_at_, std::nullopt)) {
      statistics_.seeks_ms.add(std::chrono::duration<double, std::milli>(at - *sought).count());
    }
    if (stalled_) {
      clock_.pause(at);
    } else {
      start_clock(at);
    }
    if (const int steps = std::exchange(steps_back_, 0); steps > 0) {
      step_back(at);
      steps_back_ = steps - 1;
    }
    return;
  }
  if (stepped_) {
    clock_.anchor(last_->pts_seconds(), at);
    return;
  }
  on_screen_seconds_ = on_screen_at(at);
  const double late = on_screen_seconds_ - last_->pts_seconds();
  const double interval = refresh_interval() > 0 ? refresh_interval() : duration_of(*last_);
  statistics_.repeated += repeats(late - std::exchange(late_seconds_, late), interval);
  statistics_.pacing_errors_ms.add(late * 1000);
  if (const double duration = duration_of(*last_); duration > 0 && late > duration) ++statistics_.late;
  if (!sound_) return;
  if (const std::optional<AudioPlayer::Reading> heard = sound_->clock()) {
    const double sound_now =
        heard->media_seconds +
        (std::chrono::duration<double>(at - heard->at).count() + refresh_seconds_ / 2) * heard->rate;
    av_offset_ms_ = (sound_now - last_->pts_seconds()) * 1000;
    statistics_.av_offsets_ms.add(*av_offset_ms_);
  }
}

/// Starts sound and clock together from the shown picture; they stay paused if playback is.
void Playback::start_clock(TimePoint at) {
  const double from = clock_.seconds(at);
  clock_.pause(at);
  if (sound_) {
    sound_->start(epoch_, from);
    if (!controls_.paused) sound_->resume();
  }
  if (controls_.paused) return;
  if (sound_ && !settings_.untimed) {
    sound_deadline_ = at + seconds_duration(SoundWaitSeconds);
  } else {
    clock_.resume(at);
  }
}

/// Follows the sound, which is the master clock if there is any. The clock waits for it, but not forever.
void Playback::sync_sound(TimePoint now) {
  if (!sound_ || controls_.paused || settings_.untimed) return;
  if (const std::optional<AudioPlayer::Reading> heard = sound_->clock()) {
    clock_.resume(now);
    clock_.set_rate(heard->rate, now);
    clock_.anchor(heard->media_seconds + std::chrono::duration<double>(now - heard->at).count() * heard->rate,
                  now);
  } else if (!clock_.running() && (now >= sound_deadline_ || sound_->ended())) {
    clock_.set_rate(controls_.speed, now);
    clock_.resume(now);
  }
}

Result<Playback::StepResult> Playback::at_end(TimePoint now) {
  // The last frame stays for its duration, and until the sound ends.
  const double media_now = clock_.seconds(now);
  const bool is_sounding = sound_ && !settings_.untimed && !sound_->ended() && sound_->clock().has_value();
  if (phase_ == Phase::Playing && last_ && (media_now < end_seconds_ || is_sounding)) {
    const double left =
        media_now < end_seconds_ ? (end_seconds_ - media_now) / clock_.rate() : IdleWaitSeconds;
    return StepResult{.wait_seconds = std::clamp(left, MinWaitSeconds, IdleWaitSeconds)};
  }
  const bool plays_again = loop_a_.has_value() || plays_left_ != 1;
  if (plays_again && !loop_is_fruitless_) {
    if (plays_left_ > 1) --plays_left_;
    goto_loop_start();
    return StepResult{};
  }
  return StepResult{.ended = true};
}

}  // namespace glyphreel::player
