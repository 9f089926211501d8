#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "media/ffmpeg.h"

namespace glyphreel::media {

/// How FFmpeg opens a camera, a screen or a filter graph.
struct DeviceInput {
  const AVInputFormat* format = nullptr;
  std::string url;
  std::vector<std::pair<std::string, std::string>> options;
};

/// One way in which a camera can deliver pictures.
struct CameraMode {
  std::string format;  ///< as FFmpeg's v4l2 input names it: "yuyv422", "mjpeg"
  Extent size;
  double fps = 0;
  bool operator==(const CameraMode&) const = default;
};
/// The mode to use: smooth (24 fps or more) before large, large up to 1280x720 before larger, raw before
/// compressed. Empty where there are no modes.
[[nodiscard]] std::optional<CameraMode> best_camera_mode(const std::vector<CameraMode>& modes);

/// A part of the screen: "WxH+X+Y" or "WxH"; empty text is the whole.
struct ScreenRegion {
  Extent size;  ///< 0x0: the whole
  int x = 0;
  int y = 0;
  bool operator==(const ScreenRegion&) const = default;
};
[[nodiscard]] std::optional<ScreenRegion> read_screen_region(const std::string& text);

/// `which`: empty or "0" for /dev/video0, a number, or a path. Errors: BadInput: no such camera, no
/// permission.
[[nodiscard]] Result<DeviceInput> camera_input(const std::string& which);
/// `region` as read_screen_region() takes it, of the screen that DISPLAY names. Errors: BadInput.
[[nodiscard]] Result<DeviceInput> screen_input(const std::string& region);
/// `graph`: sources and filters as FFmpeg's lavfi input takes them. Errors: BadInput.
[[nodiscard]] Result<DeviceInput> procedural_input(const std::string& graph);

}  // namespace glyphreel::media
