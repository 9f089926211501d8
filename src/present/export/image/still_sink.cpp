#include <utility>

#include "media/still/still_picture.h"
#include "present/export/file_sink.h"
#include "present/export/image/cell_picture.h"
#include "present/export/image/image_sinks.h"

namespace glyphreel::present {
namespace {

class StillSink final : public FileSink {
 public:
  StillSink(std::unique_ptr<AtomicFile> file, const ExportFormat& format, const SinkOptions& options)
      : FileSink(std::move(file), options.writer.path, std::string(format.ending)),
        codec_(format.writer == ExportWriter::Webp ? StillCodec::Webp : format.still_codec),
        glyphs_(options.glyphs),
        transparent_(options.transparent) {}

  PictureFormat picture_format() const override {
    return transparent_ ? PictureFormat::None : PictureFormat::Bgra8;
  }
  bool takes_one_frame() const override { return true; }
  Result<void> write(const render::RenderedFrame& frame) override {
    const Picture picture = transparent_ ? draw_transparent(frame, *glyphs_, *transparent_) : frame.picture;
    TRY_ASSIGN(
        const std::string bytes,
        media::encode_still(picture, codec_, transparent_ ? media::Alpha::Straight : media::Alpha::Ignored));
    return append(bytes);
  }

 private:
  const StillCodec codec_;
  const std::shared_ptr<const text::GlyphSet> glyphs_;
  const std::optional<std::uint32_t> transparent_;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_still_sink(const ExportFormat& format, const SinkOptions& options) {
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(std::make_unique<StillSink>(std::move(file), format, options));
}

}  // namespace glyphreel::present
