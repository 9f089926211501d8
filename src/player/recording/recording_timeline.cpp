#include "player/recording/recording_timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "player/audio/audio_timeline.h"

namespace glyphreel::player {
namespace {

// A redrawn frame is recorded at the current position, which may be later than the next frame's timestamp. So
// a frame may be up to this many seconds earlier than the frame before it. A larger difference is a
// discontinuity.
constexpr double MaxStepBack = 1;
constexpr double RoundingSeconds = 0.002;  // rounding error of the blocks' timestamps
constexpr double SameSpeed = 1e-6;
// Maximum number of waiting audio frames: 30 seconds, more than the player decodes ahead.
constexpr std::size_t MaxWaiting = 30 * RecordingTimeline::Rate;

bool is_older(PlaybackSegment segment, PlaybackSegment than) {
  const std::uint32_t difference =
      segment.input != than.input ? segment.input - than.input : segment.epoch - than.epoch;
  return static_cast<std::int32_t>(difference) < 0;
}

double end_of(const media::AudioBlock& block) {
  return block.media_seconds + static_cast<double>(block.frames()) * block.speed / RecordingTimeline::Rate;
}

}  // namespace

double RecordingTimeline::push_frame(PlaybackSegment segment, double media_seconds, double rate) {
  const bool is_discontinuity =
      media_seconds - played_until_ > MaxAudioGap || shown_ - media_seconds > MaxStepBack;
  if (segment_ != segment || is_discontinuity) {
    cut_to(segment, media_seconds, rate);
  } else if (media_seconds >= audio_end_) {
    change_speed(media_seconds, rate);
  }
  shown_ = std::max(shown_, media_seconds);
  played_until_ = std::max(played_until_, media_seconds);
  return recording_time(media_seconds);
}

void RecordingTimeline::advance_to(PlaybackSegment segment, double media_seconds) {
  if (segment_ == segment) played_until_ = std::max(played_until_, media_seconds);
}

void RecordingTimeline::push_audio(PlaybackSegment segment, std::shared_ptr<const media::AudioBlock> block) {
  if (segment_ && is_older(segment, *segment_)) return;
  if (segment_ == segment) note_audio(*block);
  waiting_frames_ += block->frames();
  waiting_.push_back({segment, std::move(block)});
  while (waiting_frames_ > MaxWaiting) drop_front();
}

std::vector<float> RecordingTimeline::take_audio() {
  finalize(Missing::Waits);
  return std::exchange(final_samples_, {});
}

std::vector<float> RecordingTimeline::take_last_audio() {
  finalize(Missing::Silence);
  return std::exchange(final_samples_, {});
}

/// Ends the current segment at the position that playback has reached, and begins `segment`.
void RecordingTimeline::cut_to(PlaybackSegment segment, double media_seconds, double rate) {
  finalize(Missing::Silence);
  const double begin = seconds();
  segment_ = segment;
  pieces_ = {{media_seconds, begin, rate}};
  played_until_ = shown_ = audio_end_ = media_seconds;
  is_first_block_ = true;
  const auto is_past = [&](const Waiting& waiting) {
    return is_older(waiting.segment, segment) ||
           (waiting.segment == segment &&
            std::abs(waiting.block->media_seconds - media_seconds) > MaxAudioGap);
  };
  while (!waiting_.empty() && is_past(waiting_.front())) drop_front();
  front_done_ = 0;
  is_front_placed_ = false;
  for (const Waiting& waiting : waiting_) {
    if (waiting.segment == segment) note_audio(*waiting.block);
  }
}

double RecordingTimeline::recording_time(double media_seconds) const {
  auto piece = pieces_.rbegin();
  while (std::next(piece) != pieces_.rend() && piece->media_seconds > media_seconds) ++piece;
  return piece->recording_seconds + (media_seconds - piece->media_seconds) / piece->speed;
}

std::int64_t RecordingTimeline::sample_at(double media_seconds) const {
  return std::llround(recording_time(media_seconds) * Rate);
}

void RecordingTimeline::note_audio(const media::AudioBlock& block) {
  const double end = end_of(block);
  // Frames up to played_until_ already have a position in the recording, so the speed may only change after
  // that time.
  if (end <= played_until_ || block.media_seconds - played_until_ > MaxAudioGap) return;
  change_speed(std::max(block.media_seconds, played_until_), block.speed);
  audio_end_ = std::max(audio_end_, end);
}

void RecordingTimeline::change_speed(double media_seconds, double speed) {
  Piece& last = pieces_.back();
  if (std::abs(speed - last.speed) < SameSpeed) return;
  if (media_seconds <= last.media_seconds) {
    last.speed = speed;
  } else {
    pieces_.push_back({media_seconds, recording_time(media_seconds), speed});
  }
}

/// Moves the audio that is due before played_until_ to final_samples_. `missing`: what to do about missing
/// audio.
void RecordingTimeline::finalize(Missing missing) {
  if (!segment_) return;
  const std::int64_t limit = sample_at(played_until_);
  while (final_end_ < limit && finalize_front(limit)) {
  }
  const auto timeout = missing == Missing::Silence ? 0 : std::llround(audio_timeout_ * Rate);
  add_silence_until(limit - timeout);
}

/// Moves as much as possible of the first waiting block to final_samples_, up to sample `limit` of the
/// recording. Returns false if the block must wait.
bool RecordingTimeline::finalize_front(std::int64_t limit) {
  if (waiting_.empty() || waiting_.front().segment != *segment_) return false;
  const media::AudioBlock& block = *waiting_.front().block;
  if (!is_front_placed_) {
    // A block this far from played_until_ follows a discontinuity that playback has not reached yet. Wait.
    if (std::abs(block.media_seconds - played_until_) > MaxAudioGap) return false;
    const std::int64_t begin = sample_at(block.media_seconds);
    const auto rounding = is_first_block_ ? 0 : std::llround(RoundingSeconds * Rate);
    if (begin > final_end_ + rounding) {
      add_silence_until(std::min(begin, limit));
      if (final_end_ < begin) return false;
    }
    front_done_ = begin < final_end_ - rounding ? static_cast<std::size_t>(final_end_ - begin) : 0;
    is_front_placed_ = true;
  }
  const std::size_t frames = block.frames();
  if (front_done_ < frames) {
    is_first_block_ = false;
    const std::size_t count = std::min(frames - front_done_, static_cast<std::size_t>(limit - final_end_));
    const auto from = block.samples.begin() + static_cast<std::ptrdiff_t>(front_done_ * Channels);
    final_samples_.insert(final_samples_.end(), from, from + static_cast<std::ptrdiff_t>(count * Channels));
    final_end_ += static_cast<std::int64_t>(count);
    front_done_ += count;
  }
  if (front_done_ >= frames) drop_front();
  return true;
}

void RecordingTimeline::add_silence_until(std::int64_t sample) {
  if (sample <= final_end_) return;
  final_samples_.resize(final_samples_.size() + static_cast<std::size_t>(sample - final_end_) * Channels);
  final_end_ = sample;
}

void RecordingTimeline::drop_front() {
  waiting_frames_ -= waiting_.front().block->frames();
  waiting_.pop_front();
  front_done_ = 0;
  is_front_placed_ = false;
}

}  // namespace glyphreel::player
