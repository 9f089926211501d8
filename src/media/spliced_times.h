#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "media/ffmpeg.h"

namespace glyphreel::media {

/// The least step back, in seconds, that is taken for a new start of the input's time; shorter ones are
/// disorder.
inline constexpr double SpliceSeconds = 1;

/// Lets the times of all streams of an input go on where it starts over: a live stream whose sender was
/// started again, a recording of which several were put together. The stream that starts over first goes on
/// where its last packet ended, and the others are shifted by as much once they start over, too: sound and
/// picture stay together.
class SplicedTimes {
 public:
  /// Shifts the packet's times; packets come in the input's order.
  void shift(AVPacket& packet, AVRational time_base);
  /// After a jump: times are those of the input.
  void restart();

 private:
  struct Stream {
    int splices = 0;
    std::int64_t offset = 0;             ///< microseconds, as the next
    std::optional<std::int64_t> before;  ///< time of the packet before, as the input tells it
    std::int64_t end = 0;                ///< where that packet ends, shifted
  };
  std::vector<Stream> streams_;
  int splices_ = 0;
  std::int64_t offset_ = 0;  ///< of the stream that started over last
};

}  // namespace glyphreel::media
