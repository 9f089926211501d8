#include "media/demux/timestamp_unwrapper.h"

#include <algorithm>

extern "C" {
#include <libavutil/common.h>
}

namespace glyphreel::media {
namespace {

constexpr AVRational Microseconds{1, AV_TIME_BASE};
constexpr auto Splice = static_cast<std::int64_t>(SpliceSeconds * AV_TIME_BASE);
// 2^60 microseconds are 36,000 years; sums of a few such times still fit in 64 bits.
constexpr std::int64_t MaxTime = std::int64_t{1} << 60;

/// Converts to microseconds, clamped to +-MaxTime because damaged files can contain greater times.
std::int64_t microseconds(std::int64_t ticks, AVRational time_base) {
  return std::clamp(av_rescale_q(ticks, time_base, Microseconds), -MaxTime, MaxTime);
}

}  // namespace

void TimestampUnwrapper::shift(AVPacket& packet, AVRational time_base) {
  const auto index = static_cast<std::size_t>(packet.stream_index);
  if (streams_.size() <= index) streams_.resize(index + 1);
  Stream& stream = streams_[index];
  if (const std::int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
      time != AV_NOPTS_VALUE) {
    const std::int64_t now = microseconds(time, time_base);
    const std::int64_t back = stream.before ? *stream.before - now : 0;
    if (stream.splices < splices_ ? back >= Splice / 2 : back >= Splice) {
      if (stream.splices == splices_) {
        ++splices_;
        offset_ = stream.end - now;
      }
      stream.splices = splices_;
      stream.offset = offset_;
    }
    stream.before = now;
    const std::int64_t duration = microseconds(std::max<std::int64_t>(packet.duration, 0), time_base);
    stream.end = std::clamp(now + stream.offset + duration, -MaxTime, MaxTime);
  }
  if (stream.offset == 0) return;
  const std::int64_t offset = av_rescale_q(stream.offset, Microseconds, time_base);
  if (packet.dts != AV_NOPTS_VALUE) packet.dts = av_sat_add64(packet.dts, offset);
  if (packet.pts != AV_NOPTS_VALUE) packet.pts = av_sat_add64(packet.pts, offset);
}

void TimestampUnwrapper::restart() {
  *this = {};
}

}  // namespace glyphreel::media
