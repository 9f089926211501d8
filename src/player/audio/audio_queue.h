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
/// Thread-safety: one thread at a time; that thread must be the ring's writer.
class AudioQueue {
 public:
  /// `rate`: audio frames (one sample per channel) per second.
  AudioQueue(AudioRing& ring, int rate) : ring_(ring), rate_(rate) {}

  void push(media::AudioBlock block) { blocks_.push_back(std::move(block)); }
  /// Drops all blocks and the contents of the ring. Call this only while the ring has no reader.
  void clear();
  /// Drops the contents of the ring, and starts to play the blocks at exactly `media_seconds`. If the blocks
  /// begin later, silence precedes them. `speed`: the playback speed in media seconds per real second; it
  /// applies until the first block is placed in the ring, because each block has its own speed. Call this
  /// only while the ring has no reader.
  void start(double media_seconds, double speed);
  /// After start(): moves blocks into the ring while it has room. Skips frames whose position the device has
  /// already passed, so that the frames after them are still played on time.
  void fill();

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  /// Returns the number of frames in all blocks.
  [[nodiscard]] std::size_t frames() const;
  /// After start(): returns the media time that is played at this position of the ring. Drops the times of
  /// positions more than a second before `position`, so later calls must not ask for them.
  [[nodiscard]] PositionToPts::MediaTiming at(double position);

 private:
  [[nodiscard]] bool place_front();
  [[nodiscard]] std::int64_t frames_of(double media_seconds, double speed) const;

  AudioRing& ring_;
  const int rate_;
  PositionToPts map_;
  std::deque<media::AudioBlock> blocks_;
  std::size_t front_done_ = 0;    ///< number of the first block's frames that were written or skipped
  std::uint64_t gap_frames_ = 0;  ///< frames of silence before the first block
  bool is_front_placed_ = false;
  /// True until the first block after start() is placed. The first block is placed exactly at its media time.
  /// A later block directly follows the previous block if the gap or overlap between the two is only a
  /// rounding error, or is longer than MaxAudioGap.
  bool is_first_block_ = true;
};

}  // namespace glyphreel::player
