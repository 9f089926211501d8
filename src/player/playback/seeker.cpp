#include "player/playback/seeker.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace glyphreel::player {
namespace {

constexpr double DecodedAheadSeconds = 0.25;  // how far the decode thread may be ahead of the waiting frames

}  // namespace

std::optional<double> Seeker::seek(double seconds, media::SeekMode mode, const Frame* shown) {
  seconds = std::max(0.0, seconds);
  if (!source_.input().is_seekable && !decoder_.at_end()) {
    const std::optional<double> reachable = next_reachable(seconds, mode, shown);
    if (!reachable) return std::nullopt;
    seconds = *reachable;
    mode = media::SeekMode::Exact;
  }
  if (source_.facts().duration_seconds) seconds = std::min(seconds, *source_.facts().duration_seconds);
  ++epoch_;
  if (audio_ != nullptr) {
    const bool is_exact = mode == media::SeekMode::Exact;
    audio_->expect(epoch_, is_exact ? seconds + origin_ : -std::numeric_limits<double>::infinity());
  }
  decoder_.seek({.seconds = seconds, .mode = mode, .epoch = epoch_});
  return seconds;
}

/// Returns how far ahead an input that is not seekable can be moved: at or after `seconds`, and past the
/// waiting frames, since a seek drops them. Empty: that point has passed.
std::optional<double> Seeker::next_reachable(double seconds, media::SeekMode mode, const Frame* shown) const {
  const bool has_passed = shown != nullptr && seconds <= shown->pts_seconds() - origin_;
  if (mode == media::SeekMode::FrameBefore || has_passed) return std::nullopt;
  const std::deque<Frame>& waiting = decoder_.waiting();
  if (waiting.empty()) return seconds;
  return std::max(seconds, waiting.back().pts_seconds() - origin_ + DecodedAheadSeconds);
}

}  // namespace glyphreel::player
