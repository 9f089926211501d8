#include <utility>

#include <fmt/format.h>

#include "present/export/characters/ans_encoder.h"
#include "present/export/characters/sauce.h"
#include "present/export/characters/text_sinks.h"
#include "present/export/file_sink.h"
#include "text/code_points/unicode.h"

namespace glyphreel::present {
namespace {

class AnsSink final : public FileSink {
 public:
  AnsSink(std::unique_ptr<AtomicFile> file, const SinkOptions& options, AnsEncoder::Dialect dialect)
      : FileSink(std::move(file), options.writer.path,
                 dialect == AnsEncoder::Dialect::Ice ? "ANSI, 16 colors" : "ANSI, 24-bit color"),
        title_(options.title),
        dialect_(dialect),
        encoder_(dialect, options.glyphs) {}

  std::vector<std::uint32_t> palette() const override {
    return dialect_ == AnsEncoder::Dialect::Ice ? AnsEncoder::palette() : std::vector<std::uint32_t>();
  }

  Result<void> write(const render::RenderedFrame& frame) override {
    grid_ = frame.grid;
    const std::string text = encoder_.encode(frame);
    bytes_ += text.size();
    ++frames_;
    return append(text);
  }

 private:
  Result<void> write_end() override { return frames_ > 0 ? append(record()) : Result<void>(); }
  [[nodiscard]] std::string record() const {
    return sauce_record({.kind = frames_ > 1 ? Sauce::Kind::Ansimation : Sauce::Kind::Ansi,
                         .title = title_,
                         .file_bytes = bytes_,
                         .columns = grid_.columns,
                         .rows = grid_.rows});
  }

  const std::string title_;
  const AnsEncoder::Dialect dialect_;
  AnsEncoder encoder_;
  GridSize grid_;
  std::size_t bytes_ = 0;
  std::int64_t frames_ = 0;
};

class Utf8AnsSink final : public FileSink {
 public:
  Utf8AnsSink(std::unique_ptr<AtomicFile> file, const SinkOptions& options)
      : FileSink(std::move(file), options.writer.path, "ANSI, UTF-8"),
        glyphs_(options.glyphs),
        colors_(options.palette, ColorDepth::Direct) {}

  Result<void> write(const render::RenderedFrame& frame) override {
    std::string text = has_frame_ ? fmt::format("\x1b[{}A", frame.grid.rows) : std::string();
    has_frame_ = true;
    append_ansi(text, frame, *glyphs_, &colors_);
    return append(text);
  }

 private:
  const std::shared_ptr<const text::GlyphSet> glyphs_;
  const TerminalColors colors_;
  bool has_frame_ = false;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_ans_sink(const SinkOptions& options) {
  if (const std::optional<char32_t> character = outside_code_page_437(*options.glyphs)) {
    return Error{
        ErrorCode::Usage,
        fmt::format("An .ans file can contain only the characters of code page 437, and '{}' (U+{:04X}) is "
                    "not one of them; use --charset dos or an output that ends in .utf8ans.",
                    text::encode_utf8(*character), static_cast<std::uint32_t>(*character)),
        {}};
  }
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  const bool is_indexed = options.palette == TerminalColors::Palette::Ansi16;
  return std::unique_ptr<FrameSink>(std::make_unique<AnsSink>(
      std::move(file), options, is_indexed ? AnsEncoder::Dialect::Ice : AnsEncoder::Dialect::TrueColor));
}

Result<std::unique_ptr<FrameSink>> open_utf8ans_sink(const SinkOptions& options) {
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(std::make_unique<Utf8AnsSink>(std::move(file), options));
}

}  // namespace glyphreel::present
