#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel {

// The file formats of `record` and of recordings during playback. The options, their help and all messages
// use the table below. docs/extending.md explains how to add a format.

/// The kind of sink that writes a format. present::open_sink() has a case for each enumerator.
enum class ExportWriter { Video, Text, Cells, Html };

/// A container format of FFmpeg, with its default encoders.
struct VideoContainer {
  enum class Kind { Mp4, Mov, Matroska, Webm };  ///< media::takes_codec() has a case for each enumerator
  Kind kind = Kind::Mp4;
  const char* muxer = "";          ///< FFmpeg's name
  const char* video_encoder = "";  ///< FFmpeg's name of the default encoder
  const char* audio_encoder = "";  ///< encoder for audio that cannot be copied; empty: the format lacks audio

  /// Whether this is mp4 or mov, which are written in fragments while recording.
  [[nodiscard]] constexpr bool is_iso() const { return kind == Kind::Mp4 || kind == Kind::Mov; }
};

struct ExportFormat {
  std::string_view ending;  ///< file extension in lower case, without the dot
  ExportWriter writer = ExportWriter::Video;
  std::string_view layout = {};   ///< explanation after the extension in --help; may be empty
  bool has_color = true;          ///< false: files keep only characters, so `record` maps to one color
  VideoContainer container = {};  ///< for ExportWriter::Video

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
    {.ending = "txt",
     .writer = ExportWriter::Text,
     .layout = "with one line per row and a form feed after each frame",
     .has_color = false},
    {.ending = "html", .writer = ExportWriter::Html, .layout = "a page that plays the recording"},
    {.ending = "cells",
     .writer = ExportWriter::Cells,
     .layout = "the cells themselves, for every command to redraw"},
});

/// Returns the format of a file by its extension, ignoring case. Errors: Usage if no format has this
/// extension.
[[nodiscard]] Result<ExportFormat> export_format_of(const std::string& path);

/// Returns a list of file extensions for messages, such as ".mp4, .mkv, .mov or .webm": those of the
/// formats that `writer` writes, or of all formats if `writer` is empty.
[[nodiscard]] std::string export_endings(std::optional<ExportWriter> writer = std::nullopt);

}  // namespace glyphreel
