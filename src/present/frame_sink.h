#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "media/writer.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Where an off-line run's rendered frames and sound go.
/// Thread-safety: one thread at a time.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  [[nodiscard]] virtual PictureFormat picture_format() const = 0;  ///< None: cells alone
  [[nodiscard]] virtual Result<void> write(const render::RenderedFrame& frame) = 0;
  [[nodiscard]] virtual Result<void> write_audio(const media::AudioPacket& packet) = 0;
  /// Completes the output and gives it its final name.
  [[nodiscard]] virtual Result<void> finish() = 0;
  /// In the place of finish() where the run fails: completes what was written under its temporary name.
  /// Returns that name, or an empty one where there is no frame in it and it is removed.
  [[nodiscard]] virtual std::string abandon() = 0;
  [[nodiscard]] virtual std::string description() const = 0;  ///< the engine, for statistics
};

/// A film: pictures and sound through media::Writer.
[[nodiscard]] std::unique_ptr<FrameSink> make_film_sink(std::unique_ptr<media::Writer> writer,
                                                        PictureFormat format);

/// Appends a frame as text: each row of characters a line, and a form feed after the last.
void append_text(std::string& text, const render::RenderedFrame& frame, const text::GlyphSet& glyphs);

/// A file of frames as append_text() has them. Errors: AtomicFile::create()'s.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> make_text_sink(AtomicFile::Options file,
                                                                std::shared_ptr<const text::GlyphSet> glyphs);

}  // namespace glyphreel::present
