#include "present/export/cells_sink.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace glyphreel::present {
namespace {

static_assert(sizeof(RecordedCell) == sizeof(render::Cell) &&
              offsetof(RecordedCell, glyph) == offsetof(render::Cell, glyph) &&
              offsetof(RecordedCell, foreground) == offsetof(render::Cell, foreground) &&
              offsetof(RecordedCell, background) == offsetof(render::Cell, background));

RecordedGlyph::Part part_of(text::GlyphColumns columns) {
  switch (columns) {
    case text::GlyphColumns::Narrow:
      return RecordedGlyph::Part::Whole;
    case text::GlyphColumns::WideLeft:
      return RecordedGlyph::Part::Left;
    case text::GlyphColumns::WideRight:
      return RecordedGlyph::Part::Right;
  }
  return RecordedGlyph::Part::Whole;  // unreachable: every enumerator has a case
}

std::uint8_t mean_coverage(std::string_view mask) {
  std::size_t sum = 0;
  for (const char pixel : mask) sum += static_cast<std::uint8_t>(pixel);
  return static_cast<std::uint8_t>((sum + mask.size() / 2) / mask.size());
}

std::string_view bytes_of(const std::vector<std::uint8_t>& masks) {
  return {reinterpret_cast<const char*>(masks.data()), masks.size()};
}

/// Returns the descriptions of glyphs. `masks`: the masks of all glyphs, one after another.
std::vector<RecordedGlyph> recorded_glyphs(std::span<const char32_t> code_points,
                                           const std::function<text::GlyphColumns(std::size_t)>& columns,
                                           std::string_view masks) {
  std::vector<RecordedGlyph> glyphs;
  const std::size_t bytes = masks.size() / code_points.size();
  for (std::size_t i = 0; i < code_points.size(); ++i) {
    glyphs.push_back({.code_point = code_points[i],
                      .part = part_of(columns(i)),
                      .coverage = mean_coverage(masks.substr(i * bytes, bytes))});
  }
  return glyphs;
}

}  // namespace

CellsSink::CellsSink(const media::WriterOptions& options, std::shared_ptr<const text::GlyphSet> glyphs)
    : first_pts_(options.first_pts), glyphs_(std::move(glyphs)) {}

Result<void> CellsSink::open(const media::WriterOptions& options, AtomicFile::Options output) {
  path_ = output.path;
  TRY_ASSIGN(file_, AtomicFile::create(std::move(output)));
  const std::string_view masks = bytes_of(glyphs_->masks());
  media::CellsMuxerOptions muxer{
      .header = {.grid = options.grid,
                 .cell = glyphs_->cell(),
                 .time_base = options.time_base,
                 .frame_rate = options.frame_rate,
                 .font = options.font,
                 .fingerprint = media::crc32_of(masks.data(), masks.size())},
      .glyphs = recorded_glyphs(
          glyphs_->code_points(), [&](std::size_t i) { return glyphs_->columns(static_cast<int>(i)); },
          masks),
      .masks = std::string(masks),
      .origin_seconds = static_cast<double>(options.first_pts) * options.time_base.value(),
      .audio = options.audio,
      .chunks_at_once = options.threads};
  TRY_ASSIGN(muxer_, media::CellsMuxer::open(std::move(muxer),
                                             [this](std::string_view bytes) { return put(bytes); }));
  return {};
}

Result<void> CellsSink::write_bytes(std::string_view bytes) {
  if (const std::error_code failure = file_->write(bytes)) return unwritable(path_, failure);
  return {};
}

Result<void> CellsSink::write(const render::RenderedFrame& frame) {
  if (!has_begun_) TRY(begin(frame));
  has_begun_ = true;
  const std::span cells(reinterpret_cast<const RecordedCell*>(frame.cells.data()), frame.cells.size());
  const media::FrameTimes times{.pts = frame.pts - first_pts_,
                                .duration = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
                                    frame.duration, 0, std::numeric_limits<std::uint32_t>::max()))};
  if (frame.overlay_glyphs == nullptr) {
    TRY(muxer_->write(cells, times));
  } else {
    TRY_ASSIGN(const std::uint32_t first_text, add_text_glyphs(frame.overlay_glyphs));
    std::vector<RecordedCell> composed(cells.begin(), cells.end());
    const auto picture_glyphs = static_cast<std::uint32_t>(glyphs_->size());
    for (RecordedCell& cell : composed)
      if (cell.glyph >= picture_glyphs) cell.glyph += first_text - picture_glyphs;
    TRY(muxer_->write(composed, times));
  }
  if (muxer_->frames_written() > 0) file_->keep();
  return {};
}

/// Adds text glyphs to the recording, unless the last call added the same glyphs. Returns the index of the
/// first text glyph.
Result<std::uint32_t> CellsSink::add_text_glyphs(const std::shared_ptr<const render::OverlayGlyphs>& text) {
  if (text_glyphs_ == text) return first_text_;
  const std::string_view masks = bytes_of(text->masks);
  TRY_ASSIGN(first_text_, muxer_->add_glyphs(
                              recorded_glyphs(
                                  text->code_points, [&](std::size_t i) { return text->columns[i]; }, masks),
                              masks));
  text_glyphs_ = text;
  return first_text_;
}

Result<void> CellsSink::write_end() {
  has_ended_ = true;
  TRY(muxer_->finish());
  return end();
}

Result<void> CellsSink::finish() {
  TRY(write_end());
  return file_->commit();
}

std::string CellsSink::abandon() {
  // Without any frame, there is nothing to keep. If write_end() fails, for example because the disk is full,
  // the chunks that write() has already written are still kept.
  if (has_begun_ && !has_ended_ && write_end()) file_->keep();
  const std::string kept = file_->is_kept() ? file_->temporary_path() : std::string();
  file_.reset();
  return kept;
}

Result<std::unique_ptr<FrameSink>> open_cells_sink(const media::WriterOptions& options,
                                                   std::shared_ptr<const text::GlyphSet> glyphs) {
  auto sink = std::make_unique<CellsSink>(options, std::move(glyphs));
  TRY(sink->open(options, options.file()));
  return std::unique_ptr<FrameSink>(std::move(sink));
}

}  // namespace glyphreel::present
