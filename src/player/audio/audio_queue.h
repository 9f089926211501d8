#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "media/decode/audio_decoder.h"
#include "player/audio/audio_ring.h"
#include "player/audio/audio_timeline.h"

namespace glyphreel::player {

/// Queue of decoded audio blocks that wait for room in the ring. Writes each block to the ring position at
/// which the block's media time is played.
/// Thread-safety: one thread at a time, which is the ring's writer.
class AudioQueue {
 public:
  /// `rate`: frames per second.
  AudioQueue(AudioRing& ring, int rate) : ring_(ring), rate_(rate) {}

  void push(media::AudioBlock block) { blocks_.push_back(std::move(block)); }
  /// Drops all blocks and the contents of the ring. Call this only while the ring has no reader.
  void clear();
  /// Drops the contents of the ring, and plays the blocks from exactly `media_seconds` on, after silence if
  /// they begin later. `speed`: media seconds per second until the first block. Call this only while the ring
  /// has no reader.
  void start(double media_seconds, double speed);
  /// After start(): moves blocks into the ring while it has room. If the device has already passed the
  /// position of a frame, skips the frame, so that the frames after it are still played on time.
  void fill();

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  /// Returns the number of frames in all blocks.
  [[nodiscard]] std::size_t frames() const;
  /// After start(): returns the media time that is played at this position of the ring. Forgets the times of
  /// positions more than a second before `position`.
  [[nodiscard]] PositionToPts::Place at(double position);

 private:
  [[nodiscard]] bool place_front();
  [[nodiscard]] std::int64_t frames_of(double media_seconds, double speed) const;

  AudioRing& ring_;
  const int rate_;
  PositionToPts map_;
  std::deque<media::AudioBlock> blocks_;
  std::size_t front_done_ = 0;    ///< frames of the first block already written or skipped
  std::uint64_t gap_frames_ = 0;  ///< frames of silence before the first block
  bool is_front_placed_ = false;
  /// True until the first block after start() is placed. That block goes exactly at its time. A later block
  /// goes directly behind the one before it if the gap or overlap between the two is a rounding error, or is
  /// longer than MaxAudioGap.
  bool is_first_block_ = true;
};

}  // namespace glyphreel::player
