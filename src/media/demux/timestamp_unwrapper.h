#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// The smallest step back, in seconds, that counts as a restart of the input's timestamps; shorter ones are
/// packets out of order.
inline constexpr double SpliceSeconds = 1;

/// Continues the timestamps of all streams where an input starts over: a live stream whose sender was
/// restarted, or a concatenation of several recordings. The first stream to start over continues where its
/// last packet ended; the others are shifted by the same amount once they start over, too, so that audio
/// and video stay in sync.
class TimestampUnwrapper {
 public:
  /// Shifts the packet's timestamps. Packets must come in the input's order.
  void shift(AVPacket& packet, AVRational time_base);
  /// Call after a seek: timestamps are the input's own again.
  void restart();

 private:
  struct Stream {
    int splices = 0;
    std::int64_t offset = 0;             ///< microseconds, like the next two
    std::optional<std::int64_t> before;  ///< time of the previous packet, as in the input
    std::int64_t end = 0;                ///< end of that packet, shifted
  };
  std::vector<Stream> streams_;
  int splices_ = 0;
  std::int64_t offset_ = 0;  ///< of the stream that started over last
};

}  // namespace glyphreel::media
