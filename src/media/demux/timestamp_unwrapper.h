#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// A step back of at least this many seconds counts as a restart of the input's timestamps. A smaller step
/// means that packets are out of order. After one stream has restarted, half of this step suffices for the
/// other streams.
inline constexpr double SpliceSeconds = 1;

/// Keeps the timestamps of all streams continuous where an input's timestamps restart: in a live stream
/// whose sender was restarted, or in a file made by concatenating recordings. The first stream that restarts
/// continues at the end of its last packet. The other streams are shifted by the same amount when they
/// restart, so that audio and video stay in sync.
class TimestampUnwrapper {
 public:
  /// Shifts the packet's timestamps. Packets must come in the input's order.
  void shift(AVPacket& packet, AVRational time_base);
  /// Call after a seek: forgets all restarts, so that the input's own timestamps apply.
  void restart();

 private:
  struct Stream {
    int splices = 0;
    std::int64_t offset = 0;             ///< in microseconds, as are `before` and `end`
    std::optional<std::int64_t> before;  ///< time of the previous packet, without the shift
    std::int64_t end = 0;                ///< end of the previous packet, with the shift
  };
  std::vector<Stream> streams_;
  int splices_ = 0;
  std::int64_t offset_ = 0;  ///< Stream::offset of streams that have reached the latest restart
};

}  // namespace glyphreel::media
