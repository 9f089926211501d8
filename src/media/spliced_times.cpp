#include "media/spliced_times.h"

#include <algorithm>

namespace glyphreel::media {
namespace {

constexpr AVRational Microseconds{1, AV_TIME_BASE};
constexpr auto Splice = static_cast<std::int64_t>(SpliceSeconds * AV_TIME_BASE);

}  // namespace

void SplicedTimes::shift(AVPacket& packet, AVRational time_base) {
  const auto index = static_cast<std::size_t>(packet.stream_index);
  if (streams_.size() <= index) streams_.resize(index + 1);
  Stream& stream = streams_[index];
  if (const std::int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts; time != AV_NOPTS_VALUE) {
    const std::int64_t now = av_rescale_q(time, time_base, Microseconds);
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
    stream.end = now + stream.offset + av_rescale_q(std::max<std::int64_t>(packet.duration, 0), time_base, Microseconds);
  }
  if (stream.offset == 0) return;
  const std::int64_t offset = av_rescale_q(stream.offset, Microseconds, time_base);
  if (packet.dts != AV_NOPTS_VALUE) packet.dts += offset;
  if (packet.pts != AV_NOPTS_VALUE) packet.pts += offset;
}

void SplicedTimes::restart() {
  *this = {};
}

}  // namespace glyphreel::media
