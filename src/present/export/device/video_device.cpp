#include "present/export/device/video_device.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"

namespace glyphreel::present {
namespace {

constexpr std::size_t YuyvBytes = 2;

int control(int device, unsigned long request, void* argument) {
  int result = 0;
  do {
    result = ::ioctl(device, request, argument);
  } while (result != 0 && errno == EINTR && !interrupted());
  return result;
}

Error busy(const std::string& path) {
  return {
      ErrorCode::Failed,
      fmt::format("{} is used by another program; close that program or choose a different device.", path),
      std::strerror(EBUSY)};
}

Error unopened(const std::string& path, int code) {
  switch (code) {
    case ENOENT:
    case ENXIO:
    case ENODEV:
      return {ErrorCode::Failed,
              fmt::format("There is no device {}; create it with `modprobe v4l2loopback`, or choose a "
                          "different device.",
                          path),
              std::strerror(code)};
    case EACCES:
    case EPERM:
      return {ErrorCode::Failed,
              fmt::format("You lack permission to open {}; add your user to the group 'video', or choose a "
                          "different device.",
                          path),
              std::strerror(code)};
    case EBUSY:
      return busy(path);
    default:
      return {ErrorCode::Failed, fmt::format("{} cannot be opened; choose a different device.", path),
              std::strerror(code)};
  }
}

}  // namespace

Result<VideoDevice> VideoDevice::open(const std::string& path, Extent size, Rational rate) {
  FileDescriptor device(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (device.number() < 0) return unopened(path, errno);
  VideoDevice opened(path, std::move(device));
  TRY(opened.check_abilities());
  TRY(opened.set_format(size, rate));
  return opened;
}

Result<void> VideoDevice::check_abilities() const {
  v4l2_capability abilities{};
  const bool is_video = control(device_.number(), VIDIOC_QUERYCAP, &abilities) == 0;
  const auto flags =
      (abilities.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? abilities.device_caps : abilities.capabilities;
  constexpr auto Needed = V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_READWRITE;
  if (is_video && (flags & Needed) == Needed) return {};
  return Error{ErrorCode::Usage,
               fmt::format("{} is not an output device for video; choose a v4l2loopback device.", path_),
               {}};
}

Result<void> VideoDevice::set_format(Extent size, Rational rate) const {
  const auto width = static_cast<std::uint32_t>(size.width);
  const auto height = static_cast<std::uint32_t>(size.height);
  v4l2_format format{};
  format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
  control(device_.number(), VIDIOC_G_FMT, &format);  // sets the fields that are not set below
  format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
  v4l2_pix_format& pixels = format.fmt.pix;
  pixels.width = width;
  pixels.height = height;
  pixels.pixelformat = V4L2_PIX_FMT_YUYV;
  pixels.field = V4L2_FIELD_NONE;
  pixels.bytesperline = width * YuyvBytes;
  pixels.sizeimage = width * height * YuyvBytes;
  pixels.colorspace = V4L2_COLORSPACE_REC709;
  pixels.ycbcr_enc = V4L2_YCBCR_ENC_709;
  pixels.quantization = V4L2_QUANTIZATION_LIM_RANGE;
  pixels.xfer_func = V4L2_XFER_FUNC_709;
  const int result = control(device_.number(), VIDIOC_S_FMT, &format);
  if (result != 0 && errno == EBUSY) return busy(path_);
  if (result != 0 || pixels.pixelformat != V4L2_PIX_FMT_YUYV || pixels.width != width ||
      pixels.height != height || pixels.bytesperline != width * YuyvBytes) {
    return Error{
        ErrorCode::Usage,
        fmt::format("{} refuses {}x{} pixels as YUYV; close the programs that read from it, or use the "
                    "--size that they expect.",
                    path_, width, height),
        result != 0 ? std::strerror(errno) : fmt::format("it has {}x{}", pixels.width, pixels.height)};
  }
  v4l2_streamparm timing{};
  timing.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
  timing.parm.output.timeperframe = {static_cast<std::uint32_t>(rate.denominator),
                                     static_cast<std::uint32_t>(rate.numerator)};
  control(device_.number(), VIDIOC_S_PARM, &timing);  // may fail: not all drivers support it
  return {};
}

Result<void> VideoDevice::write(const std::vector<std::uint8_t>& frame) {
  ssize_t count = 0;
  do {
    count = ::write(device_.number(), frame.data(), frame.size());
  } while (count < 0 && errno == EINTR && !interrupted());
  if (count == static_cast<ssize_t>(frame.size()) || interrupted()) return {};
  const int code = count < 0 ? errno : EIO;
  if (code == EBUSY) return busy(path_);
  return Error{ErrorCode::Failed,
               fmt::format("{} accepts no more frames; check that the device still exists.", path_),
               std::strerror(code)};
}

std::vector<std::uint8_t> yuyv_of(const Picture& picture) {
  const auto width = static_cast<std::size_t>(picture.size.width);
  std::vector<std::uint8_t> frame(width * static_cast<std::size_t>(picture.size.height) * YuyvBytes);
  std::uint8_t* to = frame.data();
  const auto row_of = [&](std::size_t plane, int y) {
    return reinterpret_cast<const std::uint8_t*>(picture.planes[plane]) +
           static_cast<std::ptrdiff_t>(y) * picture.strides[plane];
  };
  for (int y = 0; y < picture.size.height; ++y) {
    const std::uint8_t* luma = row_of(0, y);
    const std::uint8_t* blue = row_of(1, y / 2);
    const std::uint8_t* red = row_of(2, y / 2);
    for (std::size_t x = 0; x < width / 2; ++x, to += 4) {
      to[0] = luma[2 * x];
      to[1] = blue[x];
      to[2] = luma[2 * x + 1];
      to[3] = red[x];
    }
  }
  return frame;
}

}  // namespace glyphreel::present
