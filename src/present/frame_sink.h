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
  [[nodiscard]] virtual std::string description() const = 0;  ///< the engine, for statistics
};

/// A film: pictures and sound through media::Writer.
[[nodiscard]] std::unique_ptr<FrameSink> make_film_sink(std::unique_ptr<media::Writer> writer, PictureFormat format);

/// Text: each row of characters as a line, each frame ended by a form feed. Written as NAME.part.txt until complete.
/// Errors: Usage where the file exists and `overwrite` is not set; Failed where it cannot be written.
struct TextSinkOptions {
  std::string path;
  std::shared_ptr<const text::GlyphSet> glyphs;
  bool overwrite = false;
};
[[nodiscard]] Result<std::unique_ptr<FrameSink>> make_text_sink(const TextSinkOptions& options);

}  // namespace glyphreel::present
