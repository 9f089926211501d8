#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_annotations.h"
#include "media/audio_decoder.h"
#include "player/recording_timeline.h"

namespace glyphreel::player {

/// The sound decoded in the last seconds, for a recording: one that begins now needs what was decoded ahead
/// before. Thread-safety: every member may be called from any thread.
class SoundTap {
 public:
  struct Decoded {
    Passage passage;
    std::shared_ptr<const media::AudioBlock> block;
  };

  void add(std::uint32_t input, const media::AudioBlock& block) EXCLUDES(mutex_);
  /// What came since the call before, by its `cursor`, and is still there; from 0: all that is there.
  [[nodiscard]] std::vector<Decoded> since(std::uint64_t& cursor) const EXCLUDES(mutex_);

 private:
  mutable std::mutex mutex_;
  std::deque<Decoded> blocks_ GUARDED_BY(mutex_);
  std::size_t frames_ GUARDED_BY(mutex_) = 0;
  std::uint64_t end_ GUARDED_BY(mutex_) = 0;  ///< blocks that have ever come
};

}  // namespace glyphreel::player
