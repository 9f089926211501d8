#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/export_formats.h"
#include "base/result.h"
#include "media/encode/writer.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Receives the rendered frames and the audio of an offline run.
/// Thread-safety: one thread at a time.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  [[nodiscard]] virtual PictureFormat picture_format() const = 0;  ///< None: only cells
  [[nodiscard]] virtual Result<void> write(const render::RenderedFrame& frame) = 0;
  [[nodiscard]] virtual Result<void> write_audio(const media::AudioPacket& packet) = 0;
  /// Completes the output and gives it its final name.
  [[nodiscard]] virtual Result<void> finish() = 0;
  /// Called instead of finish() if the run fails: completes what was written, under its temporary name.
  /// Returns that name, or an empty string if there is no frame in it and it was removed.
  [[nodiscard]] virtual std::string abandon() = 0;
  [[nodiscard]] virtual std::string description() const = 0;  ///< the engine, for statistics
  /// What writes the audio, for statistics; empty: nothing.
  [[nodiscard]] virtual std::string audio_description() const { return {}; }
  /// What is written, for messages, such as "640x480, libx264, sound copied".
  [[nodiscard]] virtual std::string summary() const { return description(); }
};

/// Opens the sink of a format. The times of the frames are in the options' time base. Videos use all
/// options, with the size rounded up to what the encoder takes; the text sink uses only file(). A sink that
/// needs times also takes time_base and first_pts.
/// Errors: those of AtomicFile::create() and media::Writer::open().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_sink(const ExportFormat& format,
                                                           media::WriterOptions options,
                                                           std::shared_ptr<const text::GlyphSet> glyphs);

/// Writes a video: pictures and audio, through media::Writer.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_video_sink(media::WriterOptions options);

/// Appends a frame as text: one line per row of characters, and a form feed after the last.
void append_text(std::string& text, const render::RenderedFrame& frame, const text::GlyphSet& glyphs);

/// Writes frames to a file in the format of append_text(). Errors: those of AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_text_sink(AtomicFile::Options file,
                                                                std::shared_ptr<const text::GlyphSet> glyphs);

}  // namespace glyphreel::present
