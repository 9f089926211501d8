#include <filesystem>
#include <string>
#include <utility>

#include "present/export/cells_sink.h"
#include "present/export/html_page.h"

namespace glyphreel::present {
namespace {

/// Returns the page's title: the input's title, or the name of the file.
std::string title_of(const SinkOptions& options) {
  return options.title.empty() ? std::filesystem::path(options.writer.path).stem().string() : options.title;
}

/// Writes a self-contained page: player, chunks and first frame.
class HtmlSink final : public CellsSink {
 public:
  explicit HtmlSink(const SinkOptions& options)
      : CellsSink(options.writer, options.glyphs), title_(title_of(options)) {}
  std::string description() const override { return "HTML"; }

 private:
  Result<void> put(std::string_view bytes) override {
    if (bytes == media::CellsSignature) return {};
    const std::string element = html_chunk(bytes);
    if (has_head_) return write_bytes(element);
    before_head_ += element;
    return {};
  }
  Result<void> begin(const render::RenderedFrame& frame) override {
    has_head_ = true;
    TRY(write_bytes(html_head({.title = title_,
                               .source = "",
                               .script = "",
                               .cell = glyphs()->cell(),
                               .still = &frame,
                               .glyphs = glyphs().get()})));
    return write_bytes(std::exchange(before_head_, {}));
  }
  Result<void> end() override { return write_bytes(html_end()); }

  const std::string title_;
  bool has_head_ = false;
  std::string before_head_;  ///< the chunks before the first frame
};

/// Writes a .cells file, a page that plays this file, and the player's script, which other pages can use,
/// too.
class EmbedSink final : public CellsSink {
 public:
  explicit EmbedSink(const SinkOptions& options)
      : CellsSink(options.writer, options.glyphs),
        title_(title_of(options)),
        page_path_(options.writer.path),
        page_options_(options.writer.file(AtomicFile::Temporary::Hidden)),
        script_options_(page_options_) {
    script_options_.path = beside("js").string();
  }
  std::string description() const override { return "HTML and cells"; }

  Result<void> open(const media::WriterOptions& options) {
    TRY(AtomicFile::check(page_options_));
    TRY(AtomicFile::check(script_options_));
    AtomicFile::Options payload = options.file();
    payload.path = beside("cells").string();
    return CellsSink::open(options, std::move(payload));
  }
  Result<void> finish() override {
    TRY(CellsSink::finish());
    TRY(write_file(script_options_, html_player()));
    return write_file(page_options_, page_ + std::string(html_end()));
  }

 private:
  /// Returns the page's path with `extension` instead of its own.
  [[nodiscard]] std::filesystem::path beside(const char* extension) const {
    return std::filesystem::path(page_path_).replace_extension(extension);
  }
  Result<void> begin(const render::RenderedFrame& frame) override {
    page_ = html_head({.title = title_,
                       .source = beside("cells").filename().string(),
                       .script = beside("js").filename().string(),
                       .cell = glyphs()->cell(),
                       .still = &frame,
                       .glyphs = glyphs().get()});
    return {};
  }

  const std::string title_;
  const std::filesystem::path page_path_;
  const AtomicFile::Options page_options_;
  AtomicFile::Options script_options_;
  std::string page_;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_html_sink(const SinkOptions& options) {
  if (options.writer.separate_payload) {
    auto sink = std::make_unique<EmbedSink>(options);
    TRY(sink->open(options.writer));
    return std::unique_ptr<FrameSink>(std::move(sink));
  }
  auto sink = std::make_unique<HtmlSink>(options);
  TRY(sink->open(options.writer, options.writer.file()));
  return std::unique_ptr<FrameSink>(std::move(sink));
}

}  // namespace glyphreel::present
