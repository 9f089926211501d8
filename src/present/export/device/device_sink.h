#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Schedules frames for a device that shows each frame as soon as it is written. The time between two frames
/// is never shorter than in the video: one late frame delays all later frames. Does not read a clock. All
/// times are in seconds.
class Pace {
 public:
  /// Returns the time at which to write a frame: `now` or later. `media`: the frame's time in the video, not
  /// before the previous frame's time. `now`: the current time on any clock.
  [[nodiscard]] double due(double media, double now);

 private:
  std::optional<double> offset_;  ///< time on the clock minus time in the video
};

/// Opens a sink that writes each frame to a video device (VideoDevice) when the frame is due. The frame rate
/// must be constant. Ignores sound. Errors: Usage if the width or height is odd; those of
/// VideoDevice::open().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_device_sink(const SinkOptions& options);

}  // namespace glyphreel::present
