#include "media/input/devices.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "base/io/runtime_library.h"

extern "C" {
#include <libavdevice/version.h>
}

namespace glyphreel::media {
namespace {

constexpr int ScreenFps = 30;
constexpr double SmoothFps = 24;
constexpr double MaxFps = 60;  // higher rates need more light and bandwidth without a visible benefit
constexpr Extent LargestCameraSize{1280, 720};

/// Returns FFmpeg's input format `name`. `what` describes the input in messages. Loads libavdevice only when
/// a device is first requested, because libavdevice loads 80 other libraries, which would delay every start
/// of the program by about 30 ms.
Result<const AVInputFormat*> device_format(const char* name, const char* what) {
  static const bool is_registered = [] {
    const RuntimeLibrary library(fmt::format("libavdevice.so.{}", LIBAVDEVICE_VERSION_MAJOR).c_str());
    void (*register_all)() = nullptr;
    if (!library.find(register_all, "avdevice_register_all")) return false;
    register_all();
    return true;
  }();
  const AVInputFormat* format = is_registered ? av_find_input_format(name) : nullptr;
  if (format != nullptr) return format;
  return bad_input("{} needs FFmpeg's library libavdevice {} with the input device \"{}\"; install it.", what,
                   LIBAVDEVICE_VERSION_MAJOR, name);
}

/// A pixel format that this program can request from a camera.
struct CameraFormat {
  std::uint32_t fourcc = 0;  ///< V4L2 four-character code
  const char* name = "";     ///< name in FFmpeg
};
constexpr auto CameraFormats = std::to_array<CameraFormat>({{V4L2_PIX_FMT_YUYV, "yuyv422"},
                                                            {V4L2_PIX_FMT_UYVY, "uyvy422"},
                                                            {V4L2_PIX_FMT_NV12, "nv12"},
                                                            {V4L2_PIX_FMT_YUV420, "yuv420p"},
                                                            {V4L2_PIX_FMT_RGB24, "rgb24"},
                                                            {V4L2_PIX_FMT_BGR24, "bgr24"},
                                                            {V4L2_PIX_FMT_GREY, "gray"},
                                                            {V4L2_PIX_FMT_MJPEG, "mjpeg"}});

/// Returns the highest frame rate that a camera supports with a pixel format and a size; 0 if unknown.
double fastest(int device, std::uint32_t fourcc, Extent size) {
  double best = 0;
  v4l2_frmivalenum interval{};
  interval.pixel_format = fourcc;
  interval.width = static_cast<std::uint32_t>(size.width);
  interval.height = static_cast<std::uint32_t>(size.height);
  for (; ::ioctl(device, VIDIOC_ENUM_FRAMEINTERVALS, &interval) == 0; ++interval.index) {
    const bool is_discrete = interval.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    const v4l2_fract& shortest = is_discrete ? interval.discrete : interval.stepwise.min;
    if (shortest.numerator > 0) {
      best = std::max(best, static_cast<double>(shortest.denominator) / shortest.numerator);
    }
    if (!is_discrete) break;
  }
  return best;
}

std::vector<CameraMode> camera_modes(int device) {
  std::vector<CameraMode> modes;
  v4l2_fmtdesc format{};
  format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  for (; ::ioctl(device, VIDIOC_ENUM_FMT, &format) == 0; ++format.index) {
    const auto* const known = std::ranges::find(CameraFormats, format.pixelformat, &CameraFormat::fourcc);
    if (known == CameraFormats.end()) continue;
    const auto add = [&](std::uint32_t width, std::uint32_t height) {
      const Extent size{static_cast<int>(width), static_cast<int>(height)};
      modes.push_back({known->name, size, fastest(device, format.pixelformat, size)});
    };
    v4l2_frmsizeenum size{};
    size.pixel_format = format.pixelformat;
    for (; ::ioctl(device, VIDIOC_ENUM_FRAMESIZES, &size) == 0; ++size.index) {
      if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
        add(size.discrete.width, size.discrete.height);
        continue;
      }
      add(std::min<std::uint32_t>(size.stepwise.max_width, LargestCameraSize.width),
          std::min<std::uint32_t>(size.stepwise.max_height, LargestCameraSize.height));
      break;
    }
  }
  return modes;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::optional<CameraMode> best_camera_mode(const std::vector<CameraMode>& modes) {
  const auto rank = [](const CameraMode& mode) {
    const bool fits =
        mode.size.width <= LargestCameraSize.width && mode.size.height <= LargestCameraSize.height;
    const long area = static_cast<long>(mode.size.width) * mode.size.height;
    return std::tuple(mode.fps >= SmoothFps, fits, fits ? area : -area, mode.format != "mjpeg",
                      std::min(mode.fps, MaxFps));
  };
  const auto best = std::ranges::max_element(modes, {}, rank);
  return best != modes.end() ? std::optional(*best) : std::nullopt;
}

std::optional<ScreenRegion> read_screen_region(const std::string& text) {
  ScreenRegion region;
  if (text.empty()) return region;
  int length = 0;
  const int read = std::sscanf(text.c_str(), "%5dx%5d%n+%5d+%5d%n", &region.size.width, &region.size.height,
                               &length, &region.x, &region.y, &length);
  const bool is_complete = (read == 2 || read == 4) && static_cast<std::size_t>(length) == text.size();
  if (!is_complete || region.size.width <= 0 || region.size.height <= 0 || region.x < 0 || region.y < 0)
    return {};
  return region;
}

Result<DeviceInput> camera_input(const std::string& which) {
  const std::string number = which.empty() ? "0" : which;
  const std::string path = is_number(number) ? "/dev/video" + number : which;
  const int device = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) {
    const int code = AVERROR(errno);
    if (code == AVERROR(ENOENT) || code == AVERROR(ENXIO) || code == AVERROR(ENODEV))
      return bad_input(
          code, "There is no camera at {}; connect one, or choose a different camera with camera:N.", path);
    if (code == AVERROR(EACCES) || code == AVERROR(EPERM))
      return bad_input(code,
                       "Access to the camera {} was denied; add your user to the group that owns the device, "
                       "usually \"video\".",
                       path);
    return bad_input(code, "The camera {} cannot be opened; close other programs that may be using it.",
                     path);
  }
  v4l2_capability capability{};
  const bool is_camera = ::ioctl(device, VIDIOC_QUERYCAP, &capability) == 0;
  const auto mode = is_camera ? best_camera_mode(camera_modes(device)) : std::nullopt;
  ::close(device);
  if (!is_camera) return bad_input("{} is not a camera; choose a camera with camera:N.", path);

  DeviceInput input{.url = path};
  TRY_ASSIGN(input.format, device_format("video4linux2", "A camera"));
  if (mode) {
    input.options = {{"input_format", mode->format},
                     {"video_size", fmt::format("{}x{}", mode->size.width, mode->size.height)}};
    if (mode->fps > 0)
      input.options.emplace_back("framerate", fmt::format("{:g}", std::min(mode->fps, MaxFps)));
  }
  return input;
}

Result<DeviceInput> screen_input(const std::string& region) {
  const auto part = read_screen_region(region);
  if (!part) return bad_input("\"{}\" is not a screen region; use screen:WIDTHxHEIGHT+X+Y.", region);
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0')
    return bad_input("There is no X display to capture; set DISPLAY.");
  DeviceInput input{.url = display, .options = {{"framerate", std::to_string(ScreenFps)}}};
  TRY_ASSIGN(input.format, device_format("x11grab", "A screen"));
  if (part->size.width > 0) {
    input.options.emplace_back("video_size", fmt::format("{}x{}", part->size.width, part->size.height));
    input.options.emplace_back("grab_x", std::to_string(part->x));
    input.options.emplace_back("grab_y", std::to_string(part->y));
  }
  return input;
}

Result<DeviceInput> procedural_input(const std::string& graph) {
  if (graph.empty()) return bad_input("The input lavfi: needs a filter graph, as in lavfi:testsrc2.");
  DeviceInput input{.url = graph};
  TRY_ASSIGN(input.format, device_format("lavfi", "A filter graph"));
  return input;
}

}  // namespace glyphreel::media
