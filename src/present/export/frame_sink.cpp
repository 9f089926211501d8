#include "present/export/frame_sink.h"

#include <utility>

namespace glyphreel::present {

Result<std::unique_ptr<FrameSink>> open_sink(const ExportFormat& format, media::WriterOptions options,
                                             std::optional<Padding> padding,
                                             std::shared_ptr<const text::GlyphSet> glyphs) {
  switch (format.writer) {
    case ExportWriter::Video:
      return open_video_sink(std::move(options), padding);
    case ExportWriter::Text:
      return open_text_sink(options.file(), std::move(glyphs));
    case ExportWriter::Cells:
      return open_cells_sink(options, std::move(glyphs));
    case ExportWriter::Html:
      return open_html_sink(options, std::move(glyphs));
  }
  return Error{};  // unreachable: every writer has a case
}

}  // namespace glyphreel::present
