// The part of Playback that decides which frame is due, runs the clock, and waits for the network.

#include <algorithm>
#include <limits>
#include <utility>

#include "player/playback/pacing.h"
#include "player/playback/playback.h"

namespace glyphreel::player {
namespace {

constexpr double IdleWaitSeconds = 0.1;   // maximum wait, so that Ctrl-C is handled soon
constexpr double AudioWaitSeconds = 0.5;  // maximum time that the clock waits for the audio to start
constexpr double MinWaitSeconds = 0.001;
constexpr double StallSeconds = 0.3;      // how long a frame is overdue before playback waits for the network
constexpr std::size_t ResumeFrames = 8;   // buffering ends once this many frames are waiting
constexpr double ResumeSeconds = 0.4;     // buffering also ends once the waiting frames last this long
constexpr double BusyWaitSeconds = 0.02;  // time until the next step() if the screen cannot show a frame yet

double duration_of(const Frame& frame) {
  return frame.duration > 0 ? static_cast<double>(frame.duration) * frame.time_base.value() : 0;
}

std::chrono::steady_clock::duration seconds_duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

}  // namespace

Result<Playback::StepResult> Playback::step(TimePoint now, Visibility visibility) {
  decoder_->fetch();
  if (std::optional<Error> failed = decoder_->take_seek_error()) notice_ = failed->message;
  if (std::optional<Error> error = decoder_->take_error()) return *std::move(error);
  const std::deque<Frame>& waiting = decoder_->waiting();
  if (is_seeking()) return step_seeking(now, visibility);
  // A new epoch means that a live input was reopened. The new timestamps are unrelated to the old timestamps.
  if (!waiting.empty() && waiting.front().epoch != epoch_) {
    if (visibility == Visibility::Pending) return StepResult{.wait_seconds = BusyWaitSeconds};
    if (audio_) audio_->seek(waiting.front().epoch);
    return show_first();
  }
  if (auto* paused = std::get_if<phase::Paused>(&phase_)) return step_paused(*paused, visibility);
  if (waits_for_network(now)) return StepResult{.wait_seconds = IdleWaitSeconds};
  sync_clock(now);
  if (loop_.a && loop_.b && clock_.seconds(now) >= *loop_.b + origin_) {
    goto_loop_start();
    return StepResult{};
  }
  if (decoder_->at_end()) return step_at_end(now);
  if (waiting.empty()) return StepResult{.wait_seconds = IdleWaitSeconds};
  return show_due(now, visibility);
}

Playback::StepResult Playback::step_seeking(TimePoint now, Visibility visibility) {
  if (visibility == Visibility::Pending) return StepResult{.wait_seconds = BusyWaitSeconds};
  if (decoder_->is_seeking()) return StepResult{.wait_seconds = IdleWaitSeconds};
  if (!decoder_->waiting().empty()) return show_first();
  if (!decoder_->at_end()) return StepResult{.wait_seconds = IdleWaitSeconds};
  // The seek target is after the last frame.
  phase_ = controls_.paused ? Phase(phase::Paused{}) : Phase(phase::Playing{});
  return step_at_end(now);
}

Playback::StepResult Playback::step_paused(phase::Paused& paused, Visibility visibility) {
  if (paused.steps_forward && !decoder_->waiting().empty()) {
    if (visibility == Visibility::Pending) return StepResult{.wait_seconds = BusyWaitSeconds};
    paused.steps_forward = false;
    paused.restarts = true;
    take_front_unpaced();
    return StepResult{.show = &*last_};
  }
  if (decoder_->at_end()) paused.steps_forward = false;
  return StepResult{.wait_seconds = IdleWaitSeconds};
}

/// Returns whether playback waits for the network. Stops the audio and the clock when the wait begins, and
/// restarts them when enough frames have arrived.
bool Playback::waits_for_network(TimePoint now) {
  if (const auto* buffering = std::get_if<phase::Buffering>(&phase_)) {
    if (!has_buffered()) return true;
    end_buffering(buffering->restarts, now);
    return false;
  }
  std::optional<TimePoint>& overdue_since = std::get<phase::Playing>(phase_).overdue_since;
  if (!is_overdue(now)) {
    overdue_since.reset();
    return false;
  }
  if (!overdue_since) overdue_since = now;
  // If the last frame was late and the decoder still waits for data, the clock is ahead of the network. Even
  // if frames arrive at the video's rate, each of them would be late, so stop the clock at once.
  const bool is_behind = late_seconds_ > LateToleranceSeconds && source_->read_ahead().is_starved;
  if (!is_behind && now - *overdue_since <= seconds_duration(StallSeconds)) return false;
  sync_clock(now);
  stop_clock(now);
  phase_ = phase::Buffering{};
  return true;
}

/// Whether the frame after the shown frame is due but the network has not delivered it.
bool Playback::is_overdue(TimePoint now) const {
  return decoder_->waiting().empty() && !decoder_->at_end() && source_->input().is_network() &&
         clock_.seconds(now) >= end_seconds_;
}

/// Whether buffering can end: enough frames are waiting, or no more will arrive.
bool Playback::has_buffered() const {
  const std::deque<Frame>& waiting = decoder_->waiting();
  if (decoder_->is_complete() || decoder_->is_full() || waiting.size() >= ResumeFrames) return true;
  if (waiting.empty()) return false;
  const Frame& last = waiting.back();
  return last.epoch != waiting.front().epoch ||
         last.pts_seconds() + duration_of(last) - waiting.front().pts_seconds() >= ResumeSeconds;
}

/// Ends phase Buffering and continues playback.
void Playback::end_buffering(bool restarts, TimePoint now) {
  const std::deque<Frame>& waiting = decoder_->waiting();
  late_seconds_ = 0;
  if (!restarts && !waiting.empty() &&
      clock_.seconds(now) > waiting.front().pts_seconds() + LateToleranceSeconds) {
    // The clock kept running until the stall was detected. Set the clock back, so that the next frame is not
    // late.
    clock_.anchor(waiting.front().pts_seconds(), now);
    restarts = true;
  }
  if (restarts) {
    start_clock(now);
  } else {
    resume_clock(now);
  }
}

/// Shows the first frame of an epoch, whether it is due or not.
Playback::StepResult Playback::show_first() {
  const auto* seeking = std::get_if<phase::Seeking>(&phase_);
  phase_ = phase::Starting{seeking != nullptr ? *seeking : phase::Seeking{}};
  take_front_unpaced();
  epoch_ = last_->epoch;
  return StepResult{.show = &*last_};
}

/// Moves the first waiting frame to last_, to be shown at once regardless of its time.
void Playback::take_front_unpaced() {
  set_last(pop_front());
  on_screen_seconds_ = last_->pts_seconds();
  late_seconds_ = 0;
  loop_.is_without_frames = false;
  if (source_->input().is_still_image) {
    end_seconds_ =
        last_->pts_seconds() + options_.still_seconds.value_or(std::numeric_limits<double>::infinity());
  }
}

void Playback::set_last(Frame frame) {
  last_ = std::move(frame);
  is_past_last_ = false;
}

Frame Playback::pop_front() {
  std::deque<Frame>& waiting = decoder_->waiting();
  Frame front = std::move(waiting.front());
  waiting.pop_front();
  ++statistics_.frames.decoded;
  end_seconds_ = front.pts_seconds() + duration_of(front);
  return front;
}

Playback::StepResult Playback::show_due(TimePoint now, Visibility visibility) {
  times_seconds_.clear();
  for (const Frame& frame : decoder_->waiting()) {
    if (frame.epoch == epoch_) times_seconds_.push_back(frame.pts_seconds());
  }
  if (settings_.playback.untimed) clock_.anchor(times_seconds_.front(), now);
  if (last_ && is_discontinuity(end_seconds_, times_seconds_.front()) &&
      clock_.seconds(now) >= end_seconds_ && !(audio_ && audio_->clock())) {
    clock_.anchor(times_seconds_.front(), now);
  }
  const double media_now = clock_.seconds(now);
  PacingDecision decision =
      decide({.next = on_screen_at(now), .interval = refresh_interval(), .last = on_screen_seconds_},
             times_seconds_);
  if (visibility == Visibility::Hidden) {
    // While the output is hidden, drop each frame when it is due, without mapping it.
    decision = {.wait_seconds = IdleWaitSeconds};
    while (static_cast<std::size_t>(decision.drop) < times_seconds_.size() &&
           times_seconds_[static_cast<std::size_t>(decision.drop)] <= media_now) {
      ++decision.drop;
    }
    is_past_last_ = is_past_last_ || decision.drop > 0;
  }
  for (int i = 0; i < decision.drop; ++i) static_cast<void>(pop_front());
  statistics_.frames.dropped += decision.drop - decision.skip;
  statistics_.frames.skipped += decision.skip;
  if (!decision.show) {
    return StepResult{.wait_seconds =
                          std::clamp(decision.wait_seconds / clock_.rate(), MinWaitSeconds, IdleWaitSeconds)};
  }
  if (visibility == Visibility::Pending) return StepResult{.wait_seconds = BusyWaitSeconds};
  set_last(pop_front());
  return StepResult{.show = &*last_};
}

void Playback::shown(TimePoint at) {
  if (const auto* starting = std::get_if<phase::Starting>(&phase_)) {
    start(phase::Seeking(starting->seek), at);
    return;
  }
  if (std::holds_alternative<phase::Paused>(phase_)) {
    clock_.anchor(last_->pts_seconds(), at);
    return;
  }
  on_screen_seconds_ = on_screen_at(at);
  const double late = on_screen_seconds_ - last_->pts_seconds();
  const double interval = refresh_interval() > 0 ? refresh_interval() : duration_of(*last_);
  statistics_.frames.repeated += repeats(late - std::exchange(late_seconds_, late), interval);
  statistics_.pacing_errors_ms.add(late * 1000);
  if (const double duration = duration_of(*last_); duration > 0 && late > duration) ++statistics_.frames.late;
  measure_av_offset(at);
}

void Playback::measure_av_offset(TimePoint at) {
  if (!audio_) return;
  const std::optional<AudioPlayer::Reading> reading = audio_->clock();
  if (!reading) return;
  const double audio_now = reading->seconds_at(at) + screen_delay(screen_) * reading->rate;
  av_offset_ms_ = (audio_now - last_->pts_seconds()) * 1000;
  statistics_.av_offsets_ms.add(*av_offset_ms_);
}

/// Starts playback from the first frame of an epoch. Called when that frame is on the screen, because showing
/// the frame takes long if the driver has to compile shaders. If the clock started earlier, the next frames
/// would be late.
void Playback::start(const phase::Seeking& seek, TimePoint at) {
  clock_.anchor(last_->pts_seconds(), at);
  clock_.set_rate(controls_.speed, at);
  if (seek.requested_at) {
    statistics_.seeks_ms.add(std::chrono::duration<double, std::milli>(at - *seek.requested_at).count());
  }
  if (!source_->input().may_come_back()) {
    start_clock(at);
  } else {
    // If the clock started before more frames were queued, a live input would be late from the start.
    clock_.pause(at);
    phase_ = controls_.paused ? Phase(phase::Paused{.restarts = true, .buffers = true})
                              : Phase(phase::Buffering{.restarts = true});
  }
  if (seek.more_steps_back > 0) {
    step_back(at);
    if (auto* next = std::get_if<phase::Seeking>(&phase_)) next->more_steps_back = seek.more_steps_back - 1;
  } else if (auto* paused = std::get_if<phase::Paused>(&phase_)) {
    paused->steps_forward = seek.steps_forward;
  }
}

/// Starts audio and clock together from the clock's time. If playback is paused, they stay paused.
void Playback::start_clock(TimePoint at) {
  const double from = clock_.seconds(at);
  clock_.pause(at);
  if (audio_) {
    audio_->start(epoch_, from);
    if (!controls_.paused) audio_->resume();
  }
  if (controls_.paused) {
    phase_ = phase::Paused{};
  } else if (audio_ && !settings_.playback.untimed) {
    phase_ = phase::Playing{.audio_deadline = at + seconds_duration(AudioWaitSeconds)};
  } else {
    clock_.resume(at);
    phase_ = phase::Playing{};
  }
}

void Playback::resume_clock(TimePoint now) {
  clock_.resume(now);
  if (audio_) audio_->resume();
  phase_ = phase::Playing{};
}

void Playback::stop_clock(TimePoint now) {
  clock_.pause(now);
  if (audio_) audio_->pause();
}

/// Synchronizes the clock with the audio, which is the master clock. The clock waits for the audio to start,
/// but no longer than AudioWaitSeconds.
void Playback::sync_clock(TimePoint now) {
  if (!audio_ || settings_.playback.untimed) return;
  if (const std::optional<AudioPlayer::Reading> reading = audio_->clock()) {
    clock_.resume(now);
    clock_.set_rate(reading->rate, now);
    clock_.anchor(reading->seconds_at(now), now);
  } else if (!clock_.running() &&
             (now >= std::get<phase::Playing>(phase_).audio_deadline || audio_->ended())) {
    clock_.set_rate(controls_.speed, now);
    clock_.resume(now);
  }
}

Playback::StepResult Playback::step_at_end(TimePoint now) {
  // Keep showing the last frame until its duration has passed and the audio has ended.
  const double media_now = clock_.seconds(now);
  const bool audio_plays =
      audio_ && !settings_.playback.untimed && !audio_->ended() && audio_->clock().has_value();
  if (last_ && (media_now < end_seconds_ || audio_plays)) {
    const double left =
        media_now < end_seconds_ ? (end_seconds_ - media_now) / clock_.rate() : IdleWaitSeconds;
    return StepResult{.wait_seconds = std::clamp(left, MinWaitSeconds, IdleWaitSeconds)};
  }
  const bool plays_again = loop_.a.has_value() || loop_.plays_left != 1;
  if (!plays_again || loop_.is_without_frames) return StepResult{.ended = true};
  if (loop_.plays_left > 1) --loop_.plays_left;
  goto_loop_start();
  return StepResult{};
}

}  // namespace glyphreel::player
