#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "present/export/characters/svg.h"
#include "present/export/characters/text_sinks.h"
#include "present/export/file_sink.h"

namespace glyphreel::present {
namespace {

constexpr double MaxSeconds = 12;
constexpr std::size_t MaxBytes = 2'000'000;
constexpr double SavedSeconds = 1;  // interval between saves: the most that is lost if the program is killed
constexpr int OutlineScale = 4;     // glyphs are drawn this many times larger to trace outlines

class SvgSink final : public FileSink {
 public:
  SvgSink(std::unique_ptr<AtomicFile> file, const SinkOptions& options, SvgOptions svg)
      : FileSink(std::move(file), options.writer.path, "SVG"),
        options_(options.writer),
        svg_(std::move(svg)) {}

  Result<void> write(const render::RenderedFrame& frame) override {
    const double now = seconds(frame.pts);
    if (svg_.frames() == 0) start_ = saved_end_ = now;
    svg_.add(frame, now);
    end_ = std::max(now, seconds(frame.pts + frame.duration));
    if (svg_.frames() < 2 || (end_ - start_ <= MaxSeconds && svg_.bytes() <= MaxBytes))
      return has_unsaved_second() && file().is_regular() ? save() : Result<void>();
    is_refused_ = true;
    file().discard();
    return Error{
        ErrorCode::Usage,
        fmt::format("An .svg animation lasts at most {} seconds and has at most {} MB, because browsers "
                    "stutter with more; use --length, a smaller --grid, or an output that ends in .webp, "
                    ".html or .cast.",
                    MaxSeconds, MaxBytes / 1'000'000),
        {}};
  }

 private:
  Result<void> write_end() override {
    if (is_refused_ || svg_.frames() == 0) return {};
    return file().is_regular() ? save() : append(svg_.finish(end_));
  }
  [[nodiscard]] bool has_unsaved_second() const {
    return (svg_.frames() > 1 || !is_saved_) && end_ >= saved_end_ + SavedSeconds;
  }
  /// Writes the document of the frames so far.
  Result<void> save() {
    saved_end_ = end_;
    is_saved_ = true;
    TRY(file().rewrite(svg_.finish(end_)));
    file().keep();
    return {};
  }
  [[nodiscard]] double seconds(std::int64_t pts) const {
    return static_cast<double>(pts - options_.first_pts) * options_.time_base.value();
  }

  const media::WriterOptions options_;
  SvgDocument svg_;
  double start_ = 0, end_ = 0;
  double saved_end_ = 0;     ///< end of the last frame in the file
  bool is_saved_ = false;    ///< whether the file has a document
  bool is_refused_ = false;  ///< whether the animation exceeds the limits
};

/// Draws the characters of `glyphs` OutlineScale times as large, or less if a cell would exceed 255 pixels,
/// the limit of GlyphSet.
Result<std::shared_ptr<const text::GlyphSet>> enlarged(const text::GlyphSet& glyphs,
                                                       const std::string& font) {
  std::string characters;
  for (int i = 0; i < glyphs.size(); ++i) characters += glyphs.utf8(i);
  const int scale =
      std::max(1, std::min({OutlineScale, 255 / glyphs.cell().width, 255 / glyphs.cell().height}));
  return text::GlyphSet::make({.font = font,
                               .cell = {glyphs.cell().width * scale, glyphs.cell().height * scale},
                               .characters = characters,
                               .missing = text::Missing::LeaveOut});
}

}  // namespace

Result<std::unique_ptr<FrameSink>> open_svg_sink(const SinkOptions& options) {
  SvgOptions svg{.glyphs = options.glyphs, .outlines = nullptr, .background = options.background};
  if (options.transparent) svg.background.reset();
  if (options.svg_outlines) {
    TRY_ASSIGN(svg.outlines, enlarged(*options.glyphs, options.writer.font));
  }
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(std::make_unique<SvgSink>(std::move(file), options, std::move(svg)));
}

}  // namespace glyphreel::present
