#include "media/reading/read_window.h"

#include <algorithm>
#include <cmath>

namespace glyphreel::media {
namespace {

// An input may store a video packet before an audio packet with an earlier time. is_past() assumes that the
// two times differ by at most this many seconds.
constexpr double AudioTailSeconds = 1;
// Non-reference frames are not decoded if they are more than this many seconds, and more than two frames,
// before a seek target.
constexpr double SkippableSeconds = 0.25;

}  // namespace

void ReadWindow::begin(std::optional<double> seconds, SeekMode mode) {
  const bool from_any_frame = mode == SeekMode::KeyframeBefore || mode == SeekMode::KeyframeAfter;
  if (seconds && (from_any_frame || !std::isfinite(*seconds))) seconds.reset();
  video_ = window_between(seconds, range_.end_seconds, facts_.start_pts, facts_.time_base);
  wants_frame_before_ = mode == SeekMode::FrameBefore;
  before_.reset();
  if (streams_.audio_stream == nullptr) return;
  // `seconds` and `end_seconds` count from the video's start, but audio timestamps count from 0. Shift both
  // times, so that audio starts and ends with the video.
  const double shift = static_cast<double>(facts_.start_pts) * facts_.time_base.value();
  const auto shifted = [shift](std::optional<double> time) {
    return time ? std::optional(*time + shift) : time;
  };
  const MutexLock lock(audio_mutex_);
  audio_ = window_between(shifted(seconds), shifted(range_.end_seconds), 0,
                          to_rational(streams_.audio_stream->time_base));
  if (wants_frame_before_) audio_.from = std::numeric_limits<std::int64_t>::min();
}

void ReadWindow::exclude_audio_before(std::int64_t pts) {
  const MutexLock lock(audio_mutex_);
  audio_.from = std::max(audio_.from, pts);
}

std::int64_t ReadWindow::audio_from() const {
  const MutexLock lock(audio_mutex_);
  return audio_.from;
}

bool ReadWindow::is_before(const AVFrame& frame) {
  if (frame.pts >= video_.from) {
    wants_frame_before_ = false;
    return false;
  }
  if (wants_frame_before_) before_.reset(checked(av_frame_clone(&frame)));
  return true;
}

bool ReadWindow::wants(const AudioPacket& audio) const {
  const AVPacket& packet = *audio.packet;
  if (packet.pts == AV_NOPTS_VALUE) return true;
  if (audio.track >= 0) {
    const AVRational video_unit = to_av(facts_.time_base);
    const std::int64_t end = packet.pts + std::max<std::int64_t>(packet.duration, 1);
    return av_compare_ts(packet.pts, audio.time_base, video_.end, video_unit) < 0 &&
           av_compare_ts(end, audio.time_base, video_.from, video_unit) > 0;
  }
  const MutexLock lock(audio_mutex_);
  return packet.pts < audio_.end && packet.pts + std::max<std::int64_t>(packet.duration, 1) > audio_.from;
}

bool ReadWindow::is_skippable(const AVPacket& packet) const {
  constexpr std::int64_t Any = std::numeric_limits<std::int64_t>::min();
  if (packet.pts == AV_NOPTS_VALUE || video_.from == Any) return false;
  const double fps = facts_.frame_rate.value();
  const double margin = fps > 0 ? std::max(SkippableSeconds, 2 / fps) : SkippableSeconds;
  return packet.pts < video_.from - facts_.ticks(margin);
}

bool ReadWindow::is_past(const AVPacket& packet) const {
  if (packet.stream_index == streams_.video)
    return packet.dts != AV_NOPTS_VALUE && packet.dts - facts_.ticks(AudioTailSeconds) >= video_.end;
  if (packet.stream_index != streams_.audio) return false;
  const MutexLock lock(audio_mutex_);
  return packet.pts != AV_NOPTS_VALUE && packet.pts >= audio_.end;
}

}  // namespace glyphreel::media
