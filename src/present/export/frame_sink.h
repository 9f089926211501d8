#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/export_formats.h"
#include "base/rational.h"
#include "base/result.h"
#include "media/encode/writer.h"
#include "present/terminal/terminal_colors.h"
#include "present/export/padding.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Writes the rendered frames and the audio of a recording made by record().
/// Thread-safety: one thread at a time.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  [[nodiscard]] virtual PictureFormat picture_format() const = 0;  ///< None: the sink needs only cells
  [[nodiscard]] virtual Result<void> write(const render::RenderedFrame& frame) = 0;
  [[nodiscard]] virtual Result<void> write_audio(const media::AudioPacket& packet) = 0;
  /// Completes the file and renames it to its final name.
  [[nodiscard]] virtual Result<void> finish() = 0;
  /// Completes the file under its temporary name and returns that name. If the file has no frame, removes it
  /// and returns an empty string. Called instead of finish() if the run fails.
  [[nodiscard]] virtual std::string abandon() = 0;
  [[nodiscard]] virtual std::string description() const = 0;  ///< the encoder, for statistics
  /// Returns how the audio is written, for statistics; empty if there is no audio.
  [[nodiscard]] virtual std::string audio_description() const { return {}; }
  /// Describes the output for messages, for example "640x480, libx264, sound copied".
  [[nodiscard]] virtual std::string summary() const { return description(); }
};

/// Opens the sink of a format. Frame times are in the options' time base, and options.size is the size of the
/// drawn pictures. The video sink uses all options and pads the pictures: to `padding`, or to the next size
/// that the encoder supports. The text sink uses only options.file().
/// Errors: those of AtomicFile::create() and media::Writer::open().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_sink(const ExportFormat& format,
                                                           media::WriterOptions options,
                                                           std::optional<Padding> padding,
                                                           std::shared_ptr<const text::GlyphSet> glyphs);

/// Opens a sink that writes pictures and audio to a video file through media::Writer.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_video_sink(media::WriterOptions options,
                                                                 std::optional<Padding> padding);

/// Appends a frame as text: one line per row of characters, and a form feed after the last line.
void append_text(std::string& text, const render::RenderedFrame& frame, const text::GlyphSet& glyphs);

/// Opens a sink that writes frames to a file in the format of append_text(). Errors: those of
/// AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_text_sink(AtomicFile::Options file,
                                                                std::shared_ptr<const text::GlyphSet> glyphs);

/// Opens a sink that writes a .cells file. Errors: those of AtomicFile::create() and
/// media::CellsMuxer::open().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_cells_sink(
    const media::WriterOptions& options, std::shared_ptr<const text::GlyphSet> glyphs);

/// Opens a sink that writes an HTML page with the chunks of a .cells file or, with `separate_payload`, beside
/// such a file. Errors: those of open_cells_sink().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_html_sink(const media::WriterOptions& options,
                                                                std::shared_ptr<const text::GlyphSet> glyphs);

/// Appends a frame as text: one line per row of characters, with escape sequences for the colors, which end
/// with each line. `colors`: null for text without escape sequences.
void append_ansi(std::string& text, const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                 const TerminalColors* colors);

struct AnsiSinkOptions {
  int descriptor = -1;                   ///< must remain open
  std::optional<TerminalColors> colors;  ///< empty: text without colors
  bool is_paced = false;                 ///< whether each frame waits until it is due
  Rational time_base;                    ///< of the frames
};
/// Makes a sink that writes frames to a pipe or file in the format of append_ansi(). Before each frame but
/// the first, moves the cursor up, so that a terminal that receives the text shows the frames in place. If
/// the reader closes the pipe, the program ends with SIGPIPE. The user can interrupt the writing.
[[nodiscard]] std::unique_ptr<FrameSink> make_ansi_sink(AnsiSinkOptions options,
                                                        std::shared_ptr<const text::GlyphSet> glyphs);

}  // namespace glyphreel::present
