#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel {

// The file formats that `record` writes. The options and their help, `record`, recordings of what is
// played, and all messages read this table; docs/architecture.md says how to add a format.

/// Which sink writes a format: present::open_sink() has a case for each.
enum class ExportWriter { Video, Text };

/// What FFmpeg muxes a video into.
struct VideoContainer {
  enum class Kind { Mp4, Mov, Matroska, Webm };  ///< media::takes_codec() has a case for each
  Kind kind = Kind::Mp4;
  const char* muxer = "";          ///< FFmpeg's name
  const char* video_encoder = "";  ///< FFmpeg's name of the default encoder
  const char* audio_encoder = "";  ///< for sound that cannot be copied; empty: no sound

  /// mp4 and mov, which are written in fragments while recording.
  [[nodiscard]] constexpr bool is_iso() const { return kind == Kind::Mp4 || kind == Kind::Mov; }
};

struct ExportFormat {
  std::string_view ending;  ///< file extension in lower case, without the dot
  ExportWriter writer = ExportWriter::Video;
  std::string_view layout = {};   ///< completes "ENDING ..." in the help; empty: the ending says it all
  VideoContainer container = {};  ///< for ExportWriter::Video

  /// Whether the input's sound is recorded too.
  [[nodiscard]] constexpr bool has_sound() const { return *container.audio_encoder != '\0'; }
};

/// In the order of messages. The first video format that can contain what --codec encodes is used for
/// recordings that the program names itself.
inline constexpr auto ExportFormats = std::to_array<ExportFormat>({
    {.ending = "mp4", .container = {VideoContainer::Kind::Mp4, "mp4", "libx264", "aac"}},
    {.ending = "mkv", .container = {VideoContainer::Kind::Matroska, "matroska", "libx264", "aac"}},
    {.ending = "mov", .container = {VideoContainer::Kind::Mov, "mov", "libx264", "aac"}},
    {.ending = "webm", .container = {VideoContainer::Kind::Webm, "webm", "libvpx-vp9", "libopus"}},
    {.ending = "txt",
     .writer = ExportWriter::Text,
     .layout = "with one line per row and a form feed after each frame"},
});

/// Returns the format of a file by its ending, in upper or lower case. Errors: Usage, naming the endings.
[[nodiscard]] Result<ExportFormat> export_format_of(const std::string& path);

/// Returns ".mp4, .mkv, .mov, .webm or .txt".
[[nodiscard]] std::string export_endings();

}  // namespace glyphreel
