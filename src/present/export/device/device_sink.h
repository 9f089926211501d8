#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Decides when frames are written to a device that shows each at once. Frames are never closer to each other
/// than in the video: after a delay, all later frames are delayed, too. Pure; times in seconds.
class Pace {
 public:
  /// Returns the time at which to write a frame: `now` or later. `media`: the frame's time in the video, not
  /// less than that of the frame before. `now`: the time on any clock.
  [[nodiscard]] double due(double media, double now);

 private:
  std::optional<double> offset_;  ///< from the time in the video to that of the clock
};

/// Opens a sink that writes frames to a video device (VideoDevice) when they are due. The frames of
/// `options.writer` have a constant rate. Sound is left out. Errors: those of VideoDevice::open().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_device_sink(const SinkOptions& options);

}  // namespace glyphreel::present
