#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "media/subtitle/subtitle_event.h"

namespace glyphreel::media {

/// A style of an ASS (Advanced SubStation Alpha) or SSA file, reduced to the fields that text cells can show.
struct AssStyle {
  bool bold = false;
  bool italic = false;
  bool underline = false;
  std::optional<std::uint32_t> color;  ///< 0xRRGGBB; empty: white
  int alignment = 2;                   ///< same values as SubtitleEvent::alignment
};

/// The parsed header of an ASS file, or the ASS header that FFmpeg's text decoders output for other formats.
/// Accepts any bytes; fields that cannot be parsed have default values. Immutable.
class AssScript {
 public:
  explicit AssScript(std::string_view header);
  /// Returns the style named `name`, else the style named "Default", else an AssStyle with default values.
  [[nodiscard]] const AssStyle& style(std::string_view name) const;
  /// Returns PlayResX or PlayResY: the width or height of the canvas to which positions refer.
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

 private:
  void read_style(std::string_view format, std::string_view values, bool is_legacy);

  double width_ = 384;  // the defaults of libass and FFmpeg
  double height_ = 288;
  std::map<std::string, AssStyle, std::less<>> styles_;
  AssStyle fallback_;
};

/// Parses a line from FFmpeg's text decoders,
/// "ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text", and returns an event without times.
/// Applies the override tags that cells can show (\b \i \u \c \1c \r \a \an) and the escapes \N \n \h. For
/// \pos and for the start of \move, divides the canvas into 3x3 areas, one per alignment, and chooses the
/// alignment of the area that contains the position. Drops drawings (\p1) and text that \alpha or \1a makes
/// invisible; ignores all other tags. Accepts any bytes. Drops lines without visible text, so the result may
/// have no lines.
[[nodiscard]] SubtitleEvent read_ass_dialogue(const AssScript& script, std::string_view dialogue);

}  // namespace glyphreel::media
