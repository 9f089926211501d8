#include "player/recording/recording_timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "player/audio/audio_timeline.h"

namespace glyphreel::player {
namespace {

constexpr double LongestStepBack =
    1;  // seconds; a redrawn picture may be shown at a later time than the next one has
constexpr double RoundingSeconds = 0.002;  // by which timestamps may be off between blocks
constexpr double SameSpeed = 1e-6;
constexpr std::size_t MaxWaiting =
    30 * RecordingTimeline::Rate;  // frames: more than the player ever decodes ahead

bool is_older(PlaybackSegment passage, PlaybackSegment than) {
  const std::uint32_t difference =
      passage.input != than.input ? passage.input - than.input : passage.epoch - than.epoch;
  return static_cast<std::int32_t>(difference) < 0;
}

double end_of(const media::AudioBlock& block) {
  return block.media_seconds + static_cast<double>(block.frames()) * block.speed / RecordingTimeline::Rate;
}

}  // namespace

double RecordingTimeline::show(PlaybackSegment passage, double media_seconds, double rate) {
  const bool is_jump = media_seconds - reached_ > LongestSoundGap || shown_ - media_seconds > LongestStepBack;
  if (passage_ != passage || is_jump) {
    cut_to(passage, media_seconds, rate);
  } else if (media_seconds >= sound_end_) {
    change_speed(media_seconds, rate);
  }
  shown_ = std::max(shown_, media_seconds);
  reached_ = std::max(reached_, media_seconds);
  return place(media_seconds);
}

void RecordingTimeline::reach(PlaybackSegment passage, double media_seconds) {
  if (passage_ == passage) reached_ = std::max(reached_, media_seconds);
}

void RecordingTimeline::hear(PlaybackSegment passage, std::shared_ptr<const media::AudioBlock> block) {
  if (passage_ && is_older(passage, *passage_)) return;
  if (passage_ == passage) note_sound(*block);
  waiting_frames_ += block->frames();
  waiting_.push_back({passage, std::move(block)});
  while (waiting_frames_ > MaxWaiting) drop_front();
}

std::vector<float> RecordingTimeline::take_sound() {
  settle(Missing::Waits);
  return std::exchange(settled_, {});
}

std::vector<float> RecordingTimeline::take_last_sound() {
  settle(Missing::Silence);
  return std::exchange(settled_, {});
}

/// Ends the current segment where it has been reached, and begins this one there.
void RecordingTimeline::cut_to(PlaybackSegment passage, double media_seconds, double rate) {
  settle(Missing::Silence);
  const double begin = seconds();
  passage_ = passage;
  pieces_ = {{media_seconds, begin, rate}};
  reached_ = shown_ = sound_end_ = media_seconds;
  is_first_block_ = true;
  const auto is_past = [&](const Waiting& waiting) {
    return is_older(waiting.passage, passage) ||
           (waiting.passage == passage &&
            std::abs(waiting.block->media_seconds - media_seconds) > LongestSoundGap);
  };
  while (!waiting_.empty() && is_past(waiting_.front())) drop_front();
  front_done_ = 0;
  is_front_placed_ = false;
  for (const Waiting& waiting : waiting_) {
    if (waiting.passage == passage) note_sound(*waiting.block);
  }
}

double RecordingTimeline::place(double media_seconds) const {
  auto piece = pieces_.rbegin();
  while (std::next(piece) != pieces_.rend() && piece->media_seconds > media_seconds) ++piece;
  return piece->place + (media_seconds - piece->media_seconds) / piece->speed;
}

std::int64_t RecordingTimeline::sample_at(double media_seconds) const {
  return std::llround(place(media_seconds) * Rate);
}

void RecordingTimeline::note_sound(const media::AudioBlock& block) {
  const double end = end_of(block);
  // Only later media can change its speed: the pictures before it have already been placed.
  if (end <= reached_ || block.media_seconds - reached_ > LongestSoundGap) return;
  change_speed(std::max(block.media_seconds, reached_), block.speed);
  sound_end_ = std::max(sound_end_, end);
}

void RecordingTimeline::change_speed(double media_seconds, double speed) {
  Piece& last = pieces_.back();
  if (std::abs(speed - last.speed) < SameSpeed) return;
  if (media_seconds <= last.media_seconds) {
    last.speed = speed;
  } else {
    pieces_.push_back({media_seconds, place(media_seconds), speed});
  }
}

/// Settles (makes final) the sound of what has been reached.
void RecordingTimeline::settle(Missing missing) {
  if (!passage_) return;
  const std::int64_t limit = sample_at(reached_);
  while (settled_end_ < limit && take_front(limit)) {
  }
  const auto patience = missing == Missing::Silence ? 0 : std::llround(patience_ * Rate);
  add_silence_until(limit - patience);
}

/// Settles as much as possible of the first waiting block. Returns false if nothing can be settled.
bool RecordingTimeline::take_front(std::int64_t limit) {
  if (waiting_.empty() || waiting_.front().passage != *passage_) return false;
  const media::AudioBlock& block = *waiting_.front().block;
  if (!is_front_placed_) {
    // It belongs to a timeline whose pictures have not come yet.
    if (std::abs(block.media_seconds - reached_) > LongestSoundGap) return false;
    const std::int64_t begin = sample_at(block.media_seconds);
    const auto rounding = is_first_block_ ? 0 : std::llround(RoundingSeconds * Rate);
    if (begin > settled_end_ + rounding) {
      add_silence_until(std::min(begin, limit));
      if (settled_end_ < begin) return false;
    }
    front_done_ = begin < settled_end_ - rounding ? static_cast<std::size_t>(settled_end_ - begin) : 0;
    is_front_placed_ = true;
  }
  const std::size_t frames = block.frames();
  if (front_done_ < frames) {
    is_first_block_ = false;
    const std::size_t count = std::min(frames - front_done_, static_cast<std::size_t>(limit - settled_end_));
    const auto from = block.samples.begin() + static_cast<std::ptrdiff_t>(front_done_ * Channels);
    settled_.insert(settled_.end(), from, from + static_cast<std::ptrdiff_t>(count * Channels));
    settled_end_ += static_cast<std::int64_t>(count);
    front_done_ += count;
  }
  if (front_done_ >= frames) drop_front();
  return true;
}

void RecordingTimeline::add_silence_until(std::int64_t sample) {
  if (sample <= settled_end_) return;
  settled_.resize(settled_.size() + static_cast<std::size_t>(sample - settled_end_) * Channels);
  settled_end_ = sample;
}

void RecordingTimeline::drop_front() {
  waiting_frames_ -= waiting_.front().block->frames();
  waiting_.pop_front();
  front_done_ = 0;
  is_front_placed_ = false;
}

}  // namespace glyphreel::player
