#include <algorithm>
#include <optional>
#include <utility>

#include "present/export/characters/cast_encoder.h"
#include "present/export/characters/cast_page.h"
#include "present/export/characters/text_sinks.h"
#include "present/export/file_sink.h"

namespace glyphreel::present {
namespace {

constexpr double MinSegmentSeconds = 0.001;

class CastSink final : public FileSink {
 public:
  CastSink(std::unique_ptr<AtomicFile> file, std::unique_ptr<CastPage> page, const SinkOptions& options)
      : FileSink(std::move(file), options.writer.path,
                 options.cast_version == 3 ? "asciicast v3" : "asciicast v2"),
        options_(options),
        page_(std::move(page)),
        encoder_(options.cast_version == 3 ? CastVersion::V3 : CastVersion::V2,
                 TerminalColors(options.palette, ColorDepth::Direct), options.glyphs) {}

  Result<void> write(const render::RenderedFrame& frame) override {
    std::string lines;
    if (!header_) {
      header_ = {.grid = frame.grid,
                 .title = options_.title,
                 .foreground = options_.foreground,
                 .background = options_.background};
      lines = encoder_.header(*header_);
    }
    // Frame times may be negative, but event times may not, and they must not decrease.
    const double now = std::max(seconds(frame.pts), last_event_);
    for (; chapter_ < options_.chapters.size() && options_.chapters[chapter_].seconds <= now; ++chapter_) {
      const SinkOptions::Chapter& chapter = options_.chapters[chapter_];
      lines += encoder_.marker(chapter.title, std::max(chapter.seconds, last_event_));
      last_event_ = std::max(chapter.seconds, last_event_);
    }
    std::string line = encoder_.frame(frame, now);
    if (page_ != nullptr && encoder_.has_repainted()) TRY(page_->begin_segment(now, frame.grid));
    if (page_ != nullptr && !line.empty()) page_->add(line);
    lines = lines.empty() ? std::move(line) : lines + line;
    last_event_ = now;
    end_ = std::max(now, seconds(frame.pts + frame.duration));
    return append(lines);
  }
  Result<void> write_audio(const media::AudioPacket& packet) override {
    return page_ != nullptr ? page_->write_audio(packet) : Result<void>();
  }
  Result<void> finish() override {
    TRY(FileSink::finish());
    return page_ != nullptr ? page_->finish(end_, cast_theme(*header_)) : Result<void>();
  }

 private:
  Result<void> write_end() override {
    if (!header_) return {};
    // The last segment must not be empty.
    if (page_ != nullptr) end_ = std::max(end_, page_->segment_start() + MinSegmentSeconds);
    const std::string line = encoder_.end(end_);
    if (page_ != nullptr) page_->add(line);
    return append(line);
  }
  [[nodiscard]] double seconds(std::int64_t pts) const {
    return static_cast<double>(pts - options_.writer.first_pts) * options_.writer.time_base.value();
  }

  const SinkOptions options_;
  const std::unique_ptr<CastPage> page_;  ///< null without --embed
  CastEncoder encoder_;
  std::size_t chapter_ = 0;           ///< index of the next chapter to write
  std::optional<CastHeader> header_;  ///< empty before the first frame
  double last_event_ = 0;             ///< time of the last event, in seconds
  double end_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_cast_sink(const SinkOptions& options) {
  std::unique_ptr<CastPage> page;
  if (options.writer.separate_payload) {
    if (options.cast_version != 2)
      return Error{ErrorCode::Usage, "--embed writes asciicast version 2; omit --cast-version 3.", {}};
    TRY_ASSIGN(page, CastPage::open(options));
  }
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(std::make_unique<CastSink>(std::move(file), std::move(page), options));
}

}  // namespace glyphreel::present
