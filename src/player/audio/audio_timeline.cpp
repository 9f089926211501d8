#include "player/audio/audio_timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/result.h"

namespace glyphreel::player {
namespace {

constexpr double JitterSeconds = 0.004;   // a report farther from the mean than this is deviant
constexpr double OutlierSeconds = 0.030;  // a deviant report farther from the mean than this is not averaged
constexpr double AgreeSeconds = 0.003;    // successive deviant reports agree if they differ by less than this
constexpr int AgreeingReports = 3;        // the mean restarts after this many deviant reports that agree
constexpr int MaxReports = 32;            // a new report's weight in the mean is at least 1/32
constexpr std::chrono::milliseconds ResumeLatency{5};

double seconds_of(DeviceClock::TimePoint time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

void DeviceClock::add(std::uint64_t position, TimePoint at) {
  const double origin = seconds_of(at) - static_cast<double>(position) / rate_;
  const double difference = origin - origin_;
  if (count_ > 0 && std::abs(difference) > JitterSeconds) {
    // After an underrun, a device stays late. The mean would take seconds to adapt, so restart the mean as
    // soon as enough reports agree.
    const bool agrees = count_outside_ > 0 && std::abs(origin - last_outside_) < AgreeSeconds;
    count_outside_ = agrees ? count_outside_ + 1 : 1;
    last_outside_ = origin;
    if (count_outside_ >= AgreeingReports) {
      count_ = 0;
    } else if (std::abs(difference) > OutlierSeconds) {
      return;
    }
  } else {
    count_outside_ = 0;
  }
  if (count_ == 0) count_outside_ = 0;
  count_ = std::min(count_ + 1, MaxReports);
  origin_ += (origin - origin_) / count_;
}

void DeviceClock::predict(double position, TimePoint at) {
  origin_ = seconds_of(at) - position / rate_;
  count_ = 0;
  count_outside_ = 0;
}

DeviceClock::TimePoint DeviceClock::origin() const {
  return TimePoint(
      std::chrono::duration_cast<TimePoint::duration>(std::chrono::nanoseconds(std::llround(origin_ * 1e9))));
}

void OutputClock::add(std::uint64_t position, TimePoint at) {
  const TimePoint guessed = clock_.origin();
  const bool is_first = !clock_.is_measured();
  clock_.add(position, at);
  if (is_first && std::exchange(learns_latency_, false)) start_latency_ += clock_.origin() - guessed;
  origin_ns_.store(clock_.origin().time_since_epoch().count(), std::memory_order_release);
}

void OutputClock::predict_start(double position, TimePoint now) {
  predict(position, now + start_latency_);
  learns_latency_ = true;
}

void OutputClock::predict_resume(double position, TimePoint now) {
  predict(position, now + ResumeLatency);
}

void OutputClock::predict(double position, TimePoint at) {
  clock_.predict(position, at);
  origin_ns_.store(clock_.origin().time_since_epoch().count(), std::memory_order_release);
}

double OutputClock::position(TimePoint now) const {
  const std::chrono::nanoseconds origin(origin_ns_.load(std::memory_order_acquire));
  return std::chrono::duration<double>(now.time_since_epoch() - origin).count() * rate_;
}

void PositionToPts::add(std::uint64_t position, double media_seconds, double seconds_per_frame) {
  while (!pieces_.empty() && pieces_.back().position >= position) pieces_.pop_back();
  pieces_.push_back({position, {media_seconds, seconds_per_frame}});
}

void PositionToPts::forget_before(double position) {
  while (pieces_.size() > 1 && static_cast<double>(pieces_[1].position) <= position) pieces_.pop_front();
}

PositionToPts::MediaTiming PositionToPts::at(double position) const {
  CHECK(!pieces_.empty(), "the map is empty");
  const Piece* piece = &pieces_.front();
  for (const Piece& next : pieces_) {
    if (static_cast<double>(next.position) <= position) piece = &next;
  }
  const double frames = position - static_cast<double>(piece->position);
  return {piece->timing.media_seconds + frames * piece->timing.seconds_per_frame,
          piece->timing.seconds_per_frame};
}

}  // namespace glyphreel::player
