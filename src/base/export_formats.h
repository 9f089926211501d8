#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel {

// The file formats that recordings and screenshots can have. The table ExportFormats defines them. The
// command-line options, --help and all messages use this table. docs/extending.md explains how to add a
// format.

/// The kind of sink that writes a format. present::open_sink() has a case for each enumerator.
enum class ExportWriter {
  Video,
  Gif,
  Apng,
  Webp,
  Still,
  Text,
  Cells,
  Html,
  Ans,
  Utf8Ans,
  Xbin,
  Cast,
  Svg,
  Raw,
  VideoDevice
};

/// How many frames a file of a format contains.
enum class FileFrames {
  All,            ///< all frames; a number field such as %05d in the name has no meaning
  AllOrNumbered,  ///< all frames, or, if the name has a number field, one frame per file
  OneOrNumbered,  ///< the first frame, or, if the name has a number field, one frame per file
};

/// A container format of FFmpeg, with its default encoders.
struct VideoContainer {
  enum class Kind { Mp4, Mov, Matroska, Webm };  ///< media::takes_codec() has a case for each enumerator
  Kind kind = Kind::Mp4;
  const char* muxer = "";          ///< FFmpeg's name
  const char* video_encoder = "";  ///< FFmpeg's name of the default encoder
  const char* audio_encoder = "";  ///< encoder for audio that cannot be copied; empty: no audio

  /// Whether this is mp4 or mov, which are written in fragments while recording.
  [[nodiscard]] constexpr bool is_iso() const { return kind == Kind::Mp4 || kind == Kind::Mov; }
};

/// Encoders of still images; media::encode_still() has an entry for each enumerator.
enum class StillCodec { Png, Jpeg, Webp, Avif };

/// An option that an output format sets unless the user sets it.
struct ImpliedOption {
  std::string_view name, value;
};

struct ExportFormat {
  std::string_view ending;      ///< file extension in lower case, without the dot; also the name for --format
  std::string_view alias = {};  ///< alternative file extension; may be empty
  ExportWriter writer = ExportWriter::Video;
  FileFrames frames = FileFrames::All;
  std::string_view layout = {};  ///< explanation after the extension in --help; may be empty
  std::array<ImpliedOption, 2> implied = {};
  VideoContainer container = {};             ///< for ExportWriter::Video
  StillCodec still_codec = StillCodec::Png;  ///< for ExportWriter::Still
  bool has_alpha = false;                    ///< whether --transparent has an effect

  /// Whether a file of this format can contain a single frame: the first one, or one of a numbered series.
  [[nodiscard]] constexpr bool is_of_one_frame() const { return frames != FileFrames::All; }
  /// Whether a screenshot can have the format. Videos are for moving pictures only.
  [[nodiscard]] constexpr bool is_for_screenshots() const { return writer != ExportWriter::Video; }
  /// Whether the format can contain audio.
  [[nodiscard]] constexpr bool has_audio() const {
    return writer == ExportWriter::Cells || writer == ExportWriter::Html || *container.audio_encoder != '\0';
  }
};

/// All formats, in the order in which messages list them. If the program chooses the name of a recording, it
/// uses the first video format that supports the encoder of --codec.
inline constexpr auto ExportFormats = std::to_array<ExportFormat>({
    {.ending = "mp4", .container = {VideoContainer::Kind::Mp4, "mp4", "libx264", "aac"}},
    {.ending = "mkv", .container = {VideoContainer::Kind::Matroska, "matroska", "libx264", "aac"}},
    {.ending = "mov", .container = {VideoContainer::Kind::Mov, "mov", "libx264", "aac"}},
    {.ending = "webm", .container = {VideoContainer::Kind::Webm, "webm", "libvpx-vp9", "libopus"}},
    {.ending = "gif", .writer = ExportWriter::Gif, .frames = FileFrames::AllOrNumbered, .has_alpha = true},
    {.ending = "apng", .writer = ExportWriter::Apng, .frames = FileFrames::AllOrNumbered, .has_alpha = true},
    {.ending = "webp", .writer = ExportWriter::Webp, .frames = FileFrames::AllOrNumbered, .has_alpha = true},
    {.ending = "png",
     .writer = ExportWriter::Still,
     .frames = FileFrames::OneOrNumbered,
     .still_codec = StillCodec::Png,
     .has_alpha = true},
    {.ending = "jpg",
     .alias = "jpeg",
     .writer = ExportWriter::Still,
     .frames = FileFrames::OneOrNumbered,
     .still_codec = StillCodec::Jpeg},
    {.ending = "avif",
     .writer = ExportWriter::Still,
     .frames = FileFrames::OneOrNumbered,
     .still_codec = StillCodec::Avif},
    {.ending = "txt",
     .writer = ExportWriter::Text,
     .frames = FileFrames::AllOrNumbered,
     .layout = "with one line per row and a form feed after each frame"},
    {.ending = "ans",
     .writer = ExportWriter::Ans,
     .frames = FileFrames::AllOrNumbered,
     .layout = "for text-art viewers",
     .implied = {{{"color", "ansi16"}, {"charset", "dos"}}}},
    {.ending = "utf8ans",
     .alias = "ansi",
     .writer = ExportWriter::Utf8Ans,
     .frames = FileFrames::AllOrNumbered,
     .layout = "for terminals"},
    {.ending = "xb",
     .alias = "xbin",
     .writer = ExportWriter::Xbin,
     .frames = FileFrames::OneOrNumbered,
     .implied = {{{"cell", "8x16"}}}},
    {.ending = "cast", .writer = ExportWriter::Cast, .layout = "for asciinema"},
    {.ending = "svg", .writer = ExportWriter::Svg, .frames = FileFrames::AllOrNumbered, .has_alpha = true},
    {.ending = "y4m", .writer = ExportWriter::Raw, .layout = "without compression"},
    {.ending = "yuv", .alias = "rawvideo", .writer = ExportWriter::Raw, .layout = "as raw YUV 4:2:0 frames"},
    {.ending = "html", .writer = ExportWriter::Html, .layout = "a page that plays the recording"},
    {.ending = "cells",
     .writer = ExportWriter::Cells,
     .layout = "the cells themselves, which every glyphreel command can read"},
});

/// The format of outputs that are video devices (V4L2), such as /dev/video9. Only the path selects this
/// format; --format cannot.
inline constexpr ExportFormat VideoDeviceFormat{.ending = "v4l2", .writer = ExportWriter::VideoDevice};

/// Returns the format named `format`, an extension without the dot. If `format` is empty, returns the format
/// of the path's extension, or VideoDeviceFormat if the path is a video device. Ignores case. Errors: Usage
/// if there is no such format.
[[nodiscard]] Result<ExportFormat> export_format_of(const std::string& path, std::string_view format = {});

/// Returns the names of all formats for messages: "mp4, mkv, ...".
[[nodiscard]] std::string export_names();
/// Returns the names of the formats that a screenshot can have.
[[nodiscard]] std::string screenshot_names();

/// Returns the extensions of the formats that `writer` writes, or of all formats if `writer` is empty, as
/// text for messages: ".mp4, .mkv, .mov or .webm".
[[nodiscard]] std::string export_endings(std::optional<ExportWriter> writer = std::nullopt);

}  // namespace glyphreel
