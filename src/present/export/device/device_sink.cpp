#include "present/export/device/device_sink.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "present/export/device/video_device.h"

namespace glyphreel::present {
namespace {

constexpr double CheckSeconds = 0.05;  // interval between two checks for Ctrl-C

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class DeviceSink final : public FrameSink {
 public:
  DeviceSink(VideoDevice device, Extent size, Rational time_base)
      : device_(std::move(device)), size_(size), time_base_(time_base) {}

  PictureFormat picture_format() const override { return PictureFormat::Yuv420p; }
  Result<void> write(const render::RenderedFrame& frame) override {
    CHECK(frame.picture.size == size_, "the picture and the device have different sizes");
    const std::vector<std::uint8_t> pixels = yuyv_of(frame.picture);
    const double due = pace_.due(static_cast<double>(frame.pts) * time_base_.value(), monotonic_seconds());
    for (double left = due - monotonic_seconds(); left > 0 && !interrupted();
         left = due - monotonic_seconds())
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, CheckSeconds)));
    return device_.write(pixels);
  }
  Result<void> write_audio(const media::AudioPacket&) override { return {}; }
  Result<void> finish() override { return {}; }
  std::string abandon() override { return {}; }
  std::string description() const override { return "YUYV"; }
  std::string summary() const override {
    return fmt::format("{}x{}, YUYV, no sound", size_.width, size_.height);
  }

 private:
  VideoDevice device_;
  const Extent size_;
  const Rational time_base_;
  Pace pace_;
};

}  // namespace

double Pace::due(double media, double now) {
  offset_ = std::max(offset_.value_or(now - media), now - media);
  return media + *offset_;
}

Result<std::unique_ptr<FrameSink>> open_device_sink(const SinkOptions& options) {
  Extent size = options.padding ? options.padding->size : options.writer.size;
  if (!options.padding)
    size = {(size.width + 1) / 2 * 2, (size.height + 1) / 2 * 2};  // Yuv420p sizes are even
  if (size.width % 2 != 0 || size.height % 2 != 0)
    return Error{ErrorCode::Usage,
                 fmt::format("A video device needs an even width and height; use --size {}x{}.",
                             (size.width + 1) / 2 * 2, (size.height + 1) / 2 * 2)};
  TRY_ASSIGN(VideoDevice device, VideoDevice::open(options.writer.path, size, options.writer.frame_rate));
  return std::unique_ptr<FrameSink>(
      std::make_unique<DeviceSink>(std::move(device), size, options.writer.time_base));
}

}  // namespace glyphreel::present
