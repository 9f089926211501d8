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
  std::optional<std::uint32_t> color;  ///< 0xRRGGBB; nothing: white
  int alignment = 2;                   ///< like SubtitleEvent::alignment
};

/// The header of an ASS file; FFmpeg's text decoders also produce one. Accepts any bytes; what cannot be
/// parsed keeps its default. Immutable once created.
class AssScript {
 public:
  explicit AssScript(std::string_view header);
  /// Returns the style of that name, else the one called Default, else ASS's own defaults.
  [[nodiscard]] const AssStyle& style(std::string_view name) const;
  /// The canvas that positions refer to (PlayResX, PlayResY).
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
/// Override tags that cells can show are applied: \b \i \u \c \1c \r \a \an, and \pos and \move as an
/// alignment by the third of the canvas that they point to; \N, \n and \h. Drawings (\p1) and text that
/// \alpha makes invisible are dropped; all other tags are ignored. Accepts any bytes. Lines without visible
/// text are dropped, so the result may have none.
[[nodiscard]] SubtitleEvent read_ass_dialogue(const AssScript& script, std::string_view dialogue);

}  // namespace glyphreel::media
