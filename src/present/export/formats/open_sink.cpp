#include "present/export/frame_sink.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "media/still/image_sequence.h"
#include "present/export/characters/text_sinks.h"
#include "present/export/device/device_sink.h"
#include "present/export/image/image_sinks.h"
#include "present/export/sequence_sink.h"

namespace glyphreel::present {
namespace {

/// Pads pictures and passes them to a sink.
class PaddedSink final : public FrameSink {
 public:
  PaddedSink(std::unique_ptr<FrameSink> sink, Padding padding, Extent drawn)
      : sink_(std::move(sink)), padder_(padding, drawn) {}

  PictureFormat picture_format() const override { return sink_->picture_format(); }
  Result<void> write(const render::RenderedFrame& frame) override {
    render::RenderedFrame padded = frame;
    TRY_ASSIGN(padded.picture, padder_.pad(frame.picture));
    return sink_->write(padded);
  }
  Result<void> write_audio(const media::AudioPacket& packet) override { return sink_->write_audio(packet); }
  Result<void> finish() override { return sink_->finish(); }
  std::string abandon() override { return sink_->abandon(); }
  std::string description() const override { return sink_->description(); }
  std::vector<std::uint32_t> palette() const override { return sink_->palette(); }
  bool takes_one_frame() const override { return sink_->takes_one_frame(); }
  std::string summary() const override { return sink_->summary(); }

 private:
  std::unique_ptr<FrameSink> sink_;
  Padder padder_;
};

/// Opens the sink of one file. `frames`: whether the file contains all frames (All) or one (OneOrNumbered).
Result<std::unique_ptr<FrameSink>> open_file_sink(const ExportFormat& format, const SinkOptions& options,
                                                  FileFrames frames) {
  switch (format.writer) {
    case ExportWriter::Video:
      return open_video_sink(options.writer, options.padding);
    case ExportWriter::Gif:
      return open_gif_sink(options);
    case ExportWriter::Apng:
    case ExportWriter::Webp:
      return frames == FileFrames::All ? open_animation_sink(format, options)
                                       : open_still_sink(format, options);
    case ExportWriter::Still:
      return open_still_sink(format, options);
    case ExportWriter::Text:
      return open_text_sink(options.writer.file(), options.glyphs);
    case ExportWriter::Cells:
      return open_cells_sink(options.writer, options.glyphs);
    case ExportWriter::Html:
      return open_html_sink(options);
    case ExportWriter::Ans:
      return open_ans_sink(options);
    case ExportWriter::Utf8Ans:
      return open_utf8ans_sink(options);
    case ExportWriter::Xbin:
      return open_xbin_sink(options);
    case ExportWriter::Cast:
      return open_cast_sink(options);
    case ExportWriter::Svg:
      return open_svg_sink(options);
    case ExportWriter::Raw:
      return open_raw_sink(format, options);
    case ExportWriter::VideoDevice:
      return open_device_sink(options);
  }
  return Error{};  // unreachable: every writer has a case
}

/// Opens the sink of one file, or of one file per frame.
Result<std::unique_ptr<FrameSink>> open_frames_sink(const ExportFormat& format, const SinkOptions& options) {
  if (format.frames == FileFrames::All || !media::find_number_field(options.writer.path))
    return open_file_sink(format, options, FileFrames::All);
  return open_sequence_sink(options.writer.path, [format, options](const std::string& path) {
    SinkOptions numbered = options;
    numbered.writer.path = path;
    return open_file_sink(format, numbered, FileFrames::OneOrNumbered);
  });
}

}  // namespace

Result<std::unique_ptr<FrameSink>> open_sink(const ExportFormat& format, const SinkOptions& options) {
  if (options.transparent && !format.has_alpha) {
    std::vector<std::string> endings;
    for (const ExportFormat& each : ExportFormats) {
      if (each.has_alpha) endings.push_back(fmt::format(".{}", each.ending));
    }
    return Error{ErrorCode::Usage,
                 fmt::format("The format {} has no transparency; omit --transparent, or use one of {}.",
                             format.ending, fmt::join(endings, ", "))};
  }
  TRY_ASSIGN(std::unique_ptr<FrameSink> sink, open_frames_sink(format, options));
  // The video sink pads by itself, to a size that its encoder supports.
  if (!options.padding || format.writer == ExportWriter::Video ||
      sink->picture_format() == PictureFormat::None)
    return sink;
  return std::unique_ptr<FrameSink>(
      std::make_unique<PaddedSink>(std::move(sink), *options.padding, options.writer.size));
}

}  // namespace glyphreel::present
