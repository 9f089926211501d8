#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "present/export/file_sink.h"
#include "present/export/image/gif_file.h"
#include "present/export/image/image_sinks.h"

namespace glyphreel::present {
namespace {

constexpr int MaxSide = 65535;        // pixels: the file has 16 bits for each side
constexpr std::int64_t MinDelay = 2;  // hundredths of a second: browsers replace shorter delays with 10
constexpr std::int64_t AssumedGifDelay = 4;  // hundredths of a second, for a last frame of unknown duration

class GifSink final : public FileSink {
 public:
  GifSink(std::unique_ptr<AtomicFile> file, const SinkOptions& options)
      : FileSink(std::move(file), options.writer.path, "gif"),
        options_(options.writer),
        gif_(options.glyphs, options.transparent) {}

  Result<void> write(const render::RenderedFrame& frame) override {
    const std::int64_t now = hundredths(frame.pts);
    if (held_ && now - start_ < MinDelay) return {};
    end_ = hundredths(frame.pts + frame.duration);
    std::optional<GifFile::EncodedFrame> next = gif_.add(frame);
    if (!next) return {};  // nothing changed: the held frame is shown longer
    if (held_) TRY(write_held(now));
    held_ = std::move(next);
    start_ = now;
    return {};
  }

 private:
  [[nodiscard]] std::int64_t hundredths(std::int64_t pts) const {
    return std::llround(static_cast<double>(pts - options_.first_pts) * options_.time_base.value() * 100);
  }

  /// Writes the held frame. If the delay exceeds MaxDelay, repeats the image for the rest of the delay.
  Result<void> write_held(std::int64_t end) {
    std::int64_t left = end - start_;
    held_->set_delay(left);
    TRY(append(held_->bytes));
    while ((left -= GifFile::MaxDelay) > 0) {
      held_->leave_out_header();
      held_->set_delay(left);
      TRY(append(held_->bytes));
    }
    return {};
  }

  Result<void> write_end() override {
    if (!held_) return {};
    TRY(write_held(end_ > start_ ? std::max(end_, start_ + MinDelay) : start_ + AssumedGifDelay));
    held_.reset();
    return append(GifFile::end());
  }

  const media::WriterOptions options_;
  GifFile gif_;
  std::optional<GifFile::EncodedFrame> held_;  ///< the last frame, whose end is not known yet
  std::int64_t start_ = 0;                     ///< start time of the held frame, in hundredths of a second
  std::int64_t end_ = 0;                       ///< end of the last input frame, in hundredths of a second
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_gif_sink(const SinkOptions& options) {
  const Extent size = options.padding ? options.padding->size : options.writer.size;
  if (size.width > MaxSide || size.height > MaxSide) {
    return Error{
        ErrorCode::Usage,
        fmt::format("A .gif has at most {0}x{0} pixels, not {1}x{2}; use a smaller --grid or --cell.",
                    MaxSide, size.width, size.height),
        {}};
  }
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(std::make_unique<GifSink>(std::move(file), options));
}

}  // namespace glyphreel::present
