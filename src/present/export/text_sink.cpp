#include <string>
#include <utility>

#include "present/export/file_sink.h"

namespace glyphreel::present {
namespace {

class TextSink final : public FileSink {
 public:
  TextSink(std::unique_ptr<AtomicFile> file, std::string path, std::shared_ptr<const text::GlyphSet> glyphs)
      : FileSink(std::move(file), std::move(path), "text"), glyphs_(std::move(glyphs)) {}

  Result<void> write(const render::RenderedFrame& frame) override {
    text_.clear();
    append_text(text_, frame, *glyphs_);
    return append(text_);
  }

 private:
  const std::shared_ptr<const text::GlyphSet> glyphs_;
  std::string text_;
};

}  // namespace

void append_text(std::string& text, const render::RenderedFrame& frame, const text::GlyphSet& glyphs) {
  const render::Characters characters(glyphs, frame.overlay_glyphs.get());
  const auto columns = static_cast<std::size_t>(frame.grid.columns);
  for (std::size_t row = 0; row < static_cast<std::size_t>(frame.grid.rows); ++row) {
    for (const render::Cell& cell : frame.cells.subspan(row * columns, columns)) {
      const std::string& character = characters.utf8(cell.glyph);
      // Appending a string would take twice as long, and most characters are ASCII.
      if (character.size() == 1)
        text += character.front();
      else
        text += character;
    }
    text += '\n';
  }
  text += '\f';
}

Result<std::unique_ptr<FrameSink>> open_text_sink(AtomicFile::Options options,
                                                  std::shared_ptr<const text::GlyphSet> glyphs) {
  const std::string path = options.path;
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(std::move(options)));
  return std::unique_ptr<FrameSink>(std::make_unique<TextSink>(std::move(file), path, std::move(glyphs)));
}

}  // namespace glyphreel::present
