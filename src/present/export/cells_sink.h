#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "media/cells/cells_muxer.h"
#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Writes a .cells file. A derived class can put the chunks into a different file format.
/// Thread-safety: one thread at a time.
class CellsSink : public FrameSink {
 public:
  CellsSink(const media::WriterOptions& options, std::shared_ptr<const text::GlyphSet> glyphs);
  /// Creates the file `output`. Errors: those of AtomicFile::create() and media::CellsMuxer::open().
  [[nodiscard]] Result<void> open(const media::WriterOptions& options, AtomicFile::Options output);

  PictureFormat picture_format() const override { return PictureFormat::None; }
  Result<void> write(const render::RenderedFrame& frame) override;
  Result<void> write_audio(const media::AudioPacket& packet) override { return muxer_->write_audio(packet); }
  Result<void> finish() override;
  std::string abandon() override;
  std::string description() const override { return "cells"; }
  std::string audio_description() const override { return "transcoded"; }

 protected:
  /// Writes the file's signature in the first call, and one chunk in each further call.
  [[nodiscard]] virtual Result<void> put(std::string_view bytes) { return write_bytes(bytes); }
  /// Called before the first frame is written.
  [[nodiscard]] virtual Result<void> begin(const render::RenderedFrame& /*frame*/) { return {}; }
  /// Called after the last chunk.
  [[nodiscard]] virtual Result<void> end() { return {}; }
  [[nodiscard]] Result<void> write_bytes(std::string_view bytes);
  [[nodiscard]] const std::shared_ptr<const text::GlyphSet>& glyphs() const { return glyphs_; }

 private:
  [[nodiscard]] Result<void> write_end();
  [[nodiscard]] Result<std::uint32_t> add_text_glyphs(
      const std::shared_ptr<const render::OverlayGlyphs>& text);

  const std::int64_t first_pts_;
  const std::shared_ptr<const text::GlyphSet> glyphs_;
  std::string path_;
  std::unique_ptr<AtomicFile> file_;
  std::unique_ptr<media::CellsMuxer> muxer_;
  bool has_begun_ = false;
  bool has_ended_ = false;  ///< whether write_end() was called; it must not be called twice
  std::shared_ptr<const render::OverlayGlyphs> text_glyphs_;  ///< the text glyphs added last
  std::uint32_t first_text_ = 0;                              ///< index of the first text glyph in the file
};

}  // namespace glyphreel::present
