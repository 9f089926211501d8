#include <algorithm>
#include <utility>

#include "present/export/file_sink.h"
#include "present/export/text/cast_encoder.h"
#include "present/export/text/text_sinks.h"

namespace glyphreel::present {
namespace {

class CastSink final : public FileSink {
 public:
  CastSink(std::unique_ptr<AtomicFile> file, const SinkOptions& options)
      : FileSink(std::move(file), options.writer.path,
                 options.cast_version == 3 ? "asciicast v3" : "asciicast v2"),
        options_(options),
        encoder_(options.cast_version == 3 ? CastVersion::V3 : CastVersion::V2,
                 TerminalColors(options.palette, ColorDepth::Direct), options.glyphs) {}

  Result<void> write(const render::RenderedFrame& frame) override {
    std::string lines;
    if (!has_frame_) {
      lines = encoder_.header({.grid = frame.grid,
                               .title = options_.title,
                               .foreground = options_.foreground,
                               .background = options_.background});
    }
    has_frame_ = true;
    // A source may repeat a time or start before zero.
    const double now = std::max(seconds(frame.pts), last_event_);
    for (; chapter_ < options_.chapters.size() && options_.chapters[chapter_].seconds <= now; ++chapter_) {
      const SinkOptions::Chapter& chapter = options_.chapters[chapter_];
      lines += encoder_.marker(chapter.title, std::max(chapter.seconds, last_event_));
      last_event_ = std::max(chapter.seconds, last_event_);
    }
    lines += encoder_.frame(frame, now);
    last_event_ = now;
    end_ = std::max(now, seconds(frame.pts + frame.duration));
    return append(lines);
  }

 private:
  Result<void> write_end() override { return has_frame_ ? append(encoder_.end(end_)) : Result<void>(); }
  [[nodiscard]] double seconds(std::int64_t pts) const {
    return static_cast<double>(pts - options_.writer.first_pts) * options_.writer.time_base.value();
  }

  const SinkOptions options_;
  CastEncoder encoder_;
  std::size_t chapter_ = 0;  ///< the next one to write
  bool has_frame_ = false;
  double last_event_ = 0;  ///< time of the last event
  double end_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_cast_sink(const SinkOptions& options) {
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(std::make_unique<CastSink>(std::move(file), options));
}

}  // namespace glyphreel::present
