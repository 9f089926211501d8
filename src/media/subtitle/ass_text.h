#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "media/subtitle/subtitle_event.h"

namespace glyphreel::media {

/// The parts of an Advanced SubStation Alpha (ASS) or older SSA style that text cells can show.
struct AssStyle {
  bool bold = false;
  bool italic = false;
  bool underline = false;
  std::optional<std::uint32_t> color;  ///< 0xRRGGBB; empty: white
  int alignment = 2;                   ///< same values as SubtitleEvent::alignment
};

/// The parsed header of an ASS file; FFmpeg's text decoders also output such a header. Accepts any bytes;
/// fields that cannot be parsed have default values. Immutable.
class AssScript {
 public:
  explicit AssScript(std::string_view header);
  /// Returns the style with that name, else the style named Default, else ASS's default style.
  [[nodiscard]] const AssStyle& style(std::string_view name) const;
  /// Returns the size of the canvas to which positions refer (PlayResX, PlayResY).
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
/// Applies override tags that cells can show: \b \i \u \c \1c \r \a \an \N \h. For \pos and \move, divides
/// the canvas into 3x3 areas, one per alignment, and chooses the alignment of the area with the position.
/// Drops drawings (\p1) and text that \alpha makes invisible; ignores all other tags. Accepts any bytes.
/// Drops lines without visible text, so the result may have no lines.
[[nodiscard]] SubtitleEvent read_ass_dialogue(const AssScript& script, std::string_view dialogue);

}  // namespace glyphreel::media
