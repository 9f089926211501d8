// LD_PRELOAD library: emulates a v4l2loopback device at /dev/video9. Appends the frames that it receives to
// $PRETEND_V4L2/frames, and the requested formats and the times of the frames to $PRETEND_V4L2/log.
// $PRETEND_V4L2_FAULT selects a fault:
//   missing  the device does not exist
//   camera   the device is an input and not an output
//   busy     setting the format fails
//   fixed    the device accepts only 64x64 pixels
//   gone     writing the third frame fails
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view Device = "/dev/video9";
int device = -1;
int frames = 0;

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool has_fault(std::string_view fault) {
  return variable("PRETEND_V4L2_FAULT") == fault;
}

int failed(int code) {
  errno = code;
  return -1;
}

template <typename... Values>
void log(const char* format, Values... values) {
  std::FILE* file = std::fopen((variable("PRETEND_V4L2") + "/log").c_str(), "a");
  std::fprintf(file, format, values...);
  std::fclose(file);
}

using Open = int(const char*, int, ...);

int open_by(const char* name, const char* path, int flags, va_list arguments) {
  const bool may_create = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = may_create ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
  if (path != Device) return next<Open>(name)(path, flags, mode);
  if (has_fault("missing")) return failed(ENOENT);
  const std::string frames_file = variable("PRETEND_V4L2") + "/frames";
  device = next<Open>(name)(frames_file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return device;
}

int set_format(v4l2_format& format) {
  if (has_fault("busy")) return failed(EBUSY);
  v4l2_pix_format& pixels = format.fmt.pix;
  log("format %.4s %ux%u stride %u size %u\n", reinterpret_cast<const char*>(&pixels.pixelformat),
      pixels.width, pixels.height, pixels.bytesperline, pixels.sizeimage);
  if (has_fault("fixed")) pixels.width = pixels.height = 64;
  return 0;
}

int answer(unsigned long request, void* argument) {
  switch (request) {
    case VIDIOC_QUERYCAP: {
      auto* abilities = static_cast<v4l2_capability*>(argument);
      abilities->capabilities = V4L2_CAP_DEVICE_CAPS;
      abilities->device_caps =
          (has_fault("camera") ? V4L2_CAP_VIDEO_CAPTURE : V4L2_CAP_VIDEO_OUTPUT) | V4L2_CAP_READWRITE;
      return 0;
    }
    case VIDIOC_G_FMT:
      return 0;
    case VIDIOC_S_FMT:
      return set_format(*static_cast<v4l2_format*>(argument));
    case VIDIOC_S_PARM: {
      const v4l2_fract time = static_cast<v4l2_streamparm*>(argument)->parm.output.timeperframe;
      log("time %u/%u\n", time.numerator, time.denominator);
      return 0;
    }
    default:
      return failed(ENOTTY);
  }
}

}  // namespace

extern "C" {

// NOLINTBEGIN: names and signatures are those of libc.
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int opened = open_by("open", path, flags, arguments);
  va_end(arguments);
  return opened;
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int opened = open_by("open64", path, flags, arguments);
  va_end(arguments);
  return opened;
}

int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (descriptor >= 0 && descriptor == device) return answer(request, argument);
  using Ioctl = int(int, unsigned long, ...);
  return next<Ioctl>("ioctl")(descriptor, request, argument);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  using Write = ssize_t(int, const void*, size_t);
  if (descriptor >= 0 && descriptor == device) {
    if (has_fault("gone") && frames == 2) return failed(ENODEV);
    ++frames;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    log("frame %zu at %lld.%09ld\n", count, static_cast<long long>(now.tv_sec), now.tv_nsec);
  }
  return next<Write>("write")(descriptor, bytes, count);
}
// NOLINTEND

}  // extern "C"
