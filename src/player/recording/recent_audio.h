#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "media/decode/audio_decoder.h"
#include "player/recording/recording_timeline.h"

namespace glyphreel::player {

/// Keeps the audio decoded in the last seconds: a recording that begins now needs audio that was already
/// decoded ahead. Thread-safety: every member may be called from any thread.
class RecentAudio {
 public:
  struct Decoded {
    PlaybackSegment segment;
    std::shared_ptr<const media::AudioBlock> block;
  };

  void add(std::uint32_t input, const media::AudioBlock& block) EXCLUDES(mutex_);
  /// Returns the blocks added since the previous call with this `cursor`, as far as they are still kept,
  /// and advances the cursor; from 0: all that are kept.
  [[nodiscard]] std::vector<Decoded> since(std::uint64_t& cursor) const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::deque<Decoded> blocks_ GUARDED_BY(mutex_);
  std::size_t frames_ GUARDED_BY(mutex_) = 0;
  std::uint64_t end_ GUARDED_BY(mutex_) = 0;  ///< blocks ever added
};

}  // namespace glyphreel::player
