#include <utility>

#include <fmt/format.h>

#include "present/export/characters/sauce.h"
#include "present/export/characters/text_sinks.h"
#include "present/export/characters/xbin.h"
#include "present/export/file_sink.h"

namespace glyphreel::present {
namespace {

constexpr int CellWidth = 8;
constexpr int MaxCellHeight = 32;

class XbinSink final : public FileSink {
 public:
  XbinSink(std::unique_ptr<AtomicFile> file, const SinkOptions& options)
      : FileSink(std::move(file), options.writer.path, "XBin"),
        glyphs_(options.glyphs),
        title_(options.title) {}

  bool takes_one_frame() const override { return true; }
  Result<void> write(const render::RenderedFrame& frame) override {
    std::string bytes = xbin_bytes(make_xbin(frame, *glyphs_));
    bytes += sauce_record({.kind = Sauce::Kind::Xbin,
                           .title = title_,
                           .file_bytes = bytes.size(),
                           .columns = frame.grid.columns,
                           .rows = frame.grid.rows});
    return append(bytes);
  }

 private:
  const std::shared_ptr<const text::GlyphSet> glyphs_;
  const std::string title_;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_xbin_sink(const SinkOptions& options) {
  const CellSize cell = options.glyphs->cell();
  if (cell.width != CellWidth || cell.height > MaxCellHeight) {
    return Error{ErrorCode::Usage,
                 fmt::format("The cells of an .xb file are 8 pixels wide and at most 32 high, not {}x{}; use "
                             "--cell 8x16.",
                             cell.width, cell.height),
                 {}};
  }
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(std::make_unique<XbinSink>(std::move(file), options));
}

}  // namespace glyphreel::present
