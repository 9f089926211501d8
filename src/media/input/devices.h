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
/// Returns the mode to use: a smooth one (24 fps or more) is preferred to a large one, larger sizes up to
/// 1280x720 to smaller ones, and raw formats to compressed ones. Empty if there are no modes.
[[nodiscard]] std::optional<CameraMode> best_camera_mode(const std::vector<CameraMode>& modes);

/// Part of the screen: "WxH+X+Y" or "WxH"; empty text means the whole screen.
struct ScreenRegion {
  Extent size;  ///< 0x0: the whole screen
  int x = 0;
  int y = 0;
  bool operator==(const ScreenRegion&) const = default;
};
[[nodiscard]] std::optional<ScreenRegion> read_screen_region(const std::string& text);

/// Describes a camera. `which`: empty or "0" for /dev/video0, a number, or a path. Errors: BadInput if the
/// camera does not exist or its permissions deny access.
[[nodiscard]] Result<DeviceInput> camera_input(const std::string& which);
/// Describes a part of the screen that DISPLAY names. `region`: see read_screen_region(). Errors: BadInput.
[[nodiscard]] Result<DeviceInput> screen_input(const std::string& region);
/// Describes a filter graph. `graph`: sources and filters in the syntax of FFmpeg's lavfi input. Errors:
/// BadInput.
[[nodiscard]] Result<DeviceInput> procedural_input(const std::string& graph);

}  // namespace glyphreel::media
