#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "present/export/file_sink.h"
#include "present/export/image/image_sinks.h"

namespace glyphreel::present {
namespace {

constexpr Rational AssumedRate{25, 1};

class RawSink final : public FileSink {
 public:
  RawSink(std::unique_ptr<AtomicFile> file, const SinkOptions& options, bool has_headers)
      : FileSink(std::move(file), options.writer.path, has_headers ? "YUV4MPEG2" : "raw video"),
        options_(options.writer),
        rate_(options_.frame_rate.is_positive() ? options_.frame_rate : AssumedRate),
        has_headers_(has_headers) {}

  PictureFormat picture_format() const override { return PictureFormat::Yuv420p; }

  Result<void> write(const render::RenderedFrame& frame) override {
    const double seconds = static_cast<double>(frame.pts) * options_.time_base.value();
    if (!first_seconds_) first_seconds_ = seconds;
    // Index of the output frame whose start time is nearest to this frame's time.
    const std::int64_t number = std::llround((seconds - *first_seconds_) * rate_.value());
    if (number < written_) return {};
    for (; held_ && written_ < number; ++written_) TRY(append(*held_));
    if (!held_ && has_headers_) {
      TRY(append(fmt::format(
          "YUV4MPEG2 W{} H{} F{}:{} Ip A1:1 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED\n",
          frame.picture.size.width, frame.picture.size.height, rate_.numerator, rate_.denominator)));
    }
    held_ = bytes_of(frame.picture);
    TRY(append(*held_));
    ++written_;
    return {};
  }

 private:
  [[nodiscard]] std::string bytes_of(const Picture& picture) const {
    std::string bytes = has_headers_ ? "FRAME\n" : "";
    for (std::size_t plane = 0; plane < picture.planes.size(); ++plane) {
      const int width = plane == 0 ? picture.size.width : picture.size.width / 2;
      const int height = plane == 0 ? picture.size.height : picture.size.height / 2;
      for (int y = 0; y < height; ++y) {
        const std::byte* row =
            picture.planes[plane] + static_cast<std::ptrdiff_t>(y) * picture.strides[plane];
        bytes.append(reinterpret_cast<const char*>(row), static_cast<std::size_t>(width));
      }
    }
    return bytes;
  }

  const media::WriterOptions options_;
  const Rational rate_;
  const bool has_headers_;
  std::optional<double> first_seconds_;
  std::optional<std::string> held_;  ///< the last frame
  std::int64_t written_ = 0;         ///< number of frames in the file
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_raw_sink(const ExportFormat& format, const SinkOptions& options) {
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(
      std::make_unique<RawSink>(std::move(file), options, format.ending == "y4m"));
}

}  // namespace glyphreel::present
