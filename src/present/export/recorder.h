#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "media/source.h"
#include "media/stream/frame_rate.h"
#include "present/export/frame_sink.h"
#include "present/export/progress.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Gets a rendered frame and its source, that is, the decoded frame.
using OnFrame = std::function<Result<void>(const render::RenderedFrame&, const Frame& source)>;

struct RecordOptions {
  media::Source* source = nullptr;
  render::Renderer* renderer = nullptr;  ///< configured for the sink's picture format
  render::FrameOptions frame_options;    ///< for all frames
  FrameSink* sink = nullptr;
  StageTimes* times = nullptr;
  std::optional<media::FrameRateConverter> frame_rate;  ///< empty: the frame rate of the input
  std::optional<std::int64_t> max_frames;               ///< limit on recorded frames; empty: no limit
  /// Frames with an earlier pts are rendered, because later frames may depend on them, but they are not
  /// recorded; empty: all frames are recorded.
  std::optional<std::int64_t> first_pts;
  std::int64_t expected_frames = 0;  ///< for the progress line; 0: unknown
  ProgressLine::Visibility progress = ProgressLine::Visibility::Shown;
  /// What becomes of a recording that the user interrupts: it is completed up to that moment, or abandoned
  /// with an Interrupted error.
  enum class OnInterrupt { Complete, Abandon };
  OnInterrupt on_interrupt = OnInterrupt::Complete;
  /// Whether only a segment of a recording is written, see media::SegmentStart. A segment may have no frames.
  bool is_segment = false;
  /// Called on the caller's thread with each frame before it is encoded, and with its source. An error ends
  /// the recording. May be empty.
  OnFrame on_frame = {};
};

struct RecordOutcome {
  std::int64_t decoded = 0, mapped = 0, drawn = 0, encoded = 0;
  std::uint64_t host_bytes_copied = 0;
  double wall_seconds = 0;
  double work_seconds = 0;  ///< from the first decoded frame to the end
  std::optional<std::chrono::steady_clock::time_point> first_frame;  ///< when the first frame was rendered
  bool interrupted = false;  ///< whether the user stopped the run; if so, the output is complete up to then
};

/// Abandons the sink of a recording that failed, and adds the path of the incomplete recording to the error.
[[nodiscard]] Error abandoned(FrameSink& sink, Error error);

/// Decodes, maps, draws and encodes every frame as fast as possible, without dropping any. Decoding and
/// encoding run on their own threads; bounded queues limit every stage to the speed of the slowest. At the
/// end of the recording, finishes the sink if a frame was encoded or `is_segment` is set. An interrupt by the
/// user counts as the end if `on_interrupt` is Complete, and as a failure if it is Abandon. After a failure,
/// abandons the sink and adds the path of the incomplete recording to the error. Blocks until done.
[[nodiscard]] Result<RecordOutcome> record(const RecordOptions& options);

}  // namespace glyphreel::present
