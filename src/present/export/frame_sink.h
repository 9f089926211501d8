#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/export_formats.h"
#include "base/rational.h"
#include "base/result.h"
#include "media/encode/writer.h"
#include "media/segment/segment_writer.h"
#include "present/export/padding.h"
#include "present/terminal/terminal_colors.h"
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
  /// Returns the only colors that the file can contain, 0xRRGGBB; empty: any colors. The cells' colors must
  /// be mapped to these colors.
  [[nodiscard]] virtual std::vector<std::uint32_t> palette() const { return {}; }
  /// Whether the sink writes one frame and ignores all others.
  [[nodiscard]] virtual bool takes_one_frame() const { return false; }
  /// Returns the number of bytes that were copied from host memory for an encoder on a GPU.
  [[nodiscard]] virtual std::uint64_t bytes_copied() const { return 0; }
  /// Describes the output for messages, for example "640x480, libx264, sound copied".
  [[nodiscard]] virtual std::string summary() const { return description(); }
};

/// The options of all sinks. Each sink uses those that its format needs.
struct SinkOptions {
  media::WriterOptions writer;     ///< frame times are in writer.time_base
  std::optional<Padding> padding;  ///< empty: only the video sink pads, to a size that its encoder supports
  std::shared_ptr<const text::GlyphSet> glyphs;
  std::optional<std::uint32_t> transparent;  ///< 0xRRGGBB: background that becomes transparent; empty: none
  std::uint32_t foreground = 0xFFFFFF, background = 0x000000;  ///< the default colors of terminals, 0xRRGGBB
  TerminalColors::Palette palette = TerminalColors::Palette::None;  ///< colors that the cells are limited to
  std::string title;                                                ///< of the input; may be empty
  struct Chapter {
    double seconds = 0;  ///< time in the recording
    std::string title;
  };
  std::vector<Chapter> chapters;  ///< in the order of their times
  int cast_version = 2;           ///< of asciicast files: 2 or 3
  bool svg_outlines = false;      ///< whether .svg files contain the shapes of characters instead of text
};

/// Opens the sink of a format. The video sink rounds the picture size up to a size that the encoder supports.
/// If the file name has a number field such as %05d and the format supports numbered files, each frame is
/// written to a separate file. Errors: those of AtomicFile::create() and media::Writer::open(); Usage if the
/// options request transparency and the format lacks it.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_sink(const ExportFormat& format,
                                                           const SinkOptions& options);

/// Opens a sink that writes pictures and audio to a video file through media::Writer.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_video_sink(media::WriterOptions options,
                                                                 std::optional<Padding> padding);
/// Opens a sink that writes the pictures of one segment, with the same size and padding as open_video_sink().
/// Errors: those of media::open_segment_writer().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_segment_sink(media::WriterOptions options,
                                                                   std::optional<Padding> padding,
                                                                   const media::SegmentStart& start);
/// Returns the size of the pictures that a video sink writes. Errors: those of media::Writer::picture_size().
[[nodiscard]] Result<Extent> video_size(const media::WriterOptions& options,
                                        const std::optional<Padding>& padding);

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

/// Opens a sink that writes an HTML page with the chunks of a .cells file inside it. With `separate_payload`,
/// the sink writes a .cells file, a page that plays this file, and the player's script. Errors: those of
/// open_cells_sink().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_html_sink(const SinkOptions& options);

/// Appends a frame as text: one line per row of characters, with escape sequences for the colors. Each line
/// ends with a reset to the default colors. `colors`: null for text without escape sequences.
void append_ansi(std::string& text, const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                 const TerminalColors* colors);

struct AnsiSinkOptions {
  int descriptor = -1;                   ///< must remain open
  std::optional<TerminalColors> colors;  ///< empty: text without colors
  bool is_paced = false;                 ///< whether to write each frame only when it is due
  Rational time_base;                    ///< of the frames
};
/// Makes a sink that writes frames to a pipe or file in the format of append_ansi(). Before each frame but
/// the first, moves the cursor up, so that a terminal that receives the text shows the frames in place. If
/// the reader closes the pipe, the program ends with SIGPIPE. Ctrl-C interrupts writing.
[[nodiscard]] std::unique_ptr<FrameSink> make_ansi_sink(AnsiSinkOptions options,
                                                        std::shared_ptr<const text::GlyphSet> glyphs);

}  // namespace glyphreel::present
