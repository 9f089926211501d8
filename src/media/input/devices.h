#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// The arguments with which FFmpeg opens a camera, a screen or a filter graph.
struct DeviceInput {
  const AVInputFormat* format = nullptr;
  std::string url;
  std::vector<std::pair<std::string, std::string>> options;
};

/// A capture mode of a camera.
struct CameraMode {
  std::string format;  ///< name in FFmpeg's v4l2 input: "yuyv422", "mjpeg"
  Extent size;
  double fps = 0;
  bool operator==(const CameraMode&) const = default;
};
/// Returns the best mode; empty if there are no modes. Criteria, the most important first: at least 24 fps;
/// a size that fits within 1280x720; the largest area, or the smallest area if no size fits; a raw format;
/// the highest frame rate, where rates above 60 fps count as 60 fps.
[[nodiscard]] std::optional<CameraMode> best_camera_mode(const std::vector<CameraMode>& modes);

/// A rectangle of the screen, in pixels.
struct ScreenRegion {
  Extent size;  ///< 0x0: the whole screen
  int x = 0;
  int y = 0;
  bool operator==(const ScreenRegion&) const = default;
};
/// Parses "WxH+X+Y", or "WxH", which means "WxH+0+0"; "" means the whole screen. Returns std::nullopt for any
/// other text.
[[nodiscard]] std::optional<ScreenRegion> read_screen_region(const std::string& text);

/// Returns the arguments for a camera. `which`: the number N of /dev/videoN, a path, or empty for
/// /dev/video0. Errors: BadInput if the device does not exist, cannot be opened or is not a camera, or if
/// libavdevice is missing.
[[nodiscard]] Result<DeviceInput> camera_input(const std::string& which);
/// Returns the arguments for a region of the X screen that the environment variable DISPLAY names. `region`:
/// see read_screen_region(). Errors: BadInput.
[[nodiscard]] Result<DeviceInput> screen_input(const std::string& region);
/// Returns the arguments for a filter graph. `graph`: sources and filters in the syntax of FFmpeg's lavfi
/// input. Errors: BadInput.
[[nodiscard]] Result<DeviceInput> procedural_input(const std::string& graph);

}  // namespace glyphreel::media
