#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/io/file_descriptor.h"
#include "base/rational.h"
#include "base/result.h"

namespace glyphreel::present {

/// A Linux (V4L2) video output device. For example, other programs see a v4l2loopback device as a camera.
/// Thread-safety: one thread at a time.
class VideoDevice {
 public:
  /// Opens the device and sets its format: YUYV in BT.709, limited range. The width of `size` must be even.
  /// `rate`: frames per second, a hint for the programs that read the device. Errors: Usage if the device has
  /// no video output or refuses the format; otherwise Failed.
  [[nodiscard]] static Result<VideoDevice> open(const std::string& path, Extent size, Rational rate);

  /// Writes the next frame to the device, in the format of yuyv_of(). Errors: Failed.
  [[nodiscard]] Result<void> write(const std::vector<std::uint8_t>& frame);

 private:
  VideoDevice(std::string path, FileDescriptor device) : path_(std::move(path)), device_(std::move(device)) {}
  [[nodiscard]] Result<void> check_abilities() const;
  [[nodiscard]] Result<void> set_format(Extent size, Rational rate) const;

  std::string path_;
  FileDescriptor device_;
};

/// Converts a Yuv420p picture to YUYV: Y, Cb, Y, Cr for each pair of pixels. Two rows share their chroma, as
/// in the picture.
[[nodiscard]] std::vector<std::uint8_t> yuyv_of(const Picture& picture);

}  // namespace glyphreel::present
