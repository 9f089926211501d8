#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "media/subtitle_event.h"

namespace glyphreel::media {

/// What cells can follow of a style of Advanced SubStation Alpha (ASS), and of SSA before it.
struct AssStyle {
  bool bold = false;
  bool italic = false;
  bool underline = false;
  std::optional<std::uint32_t> color;  ///< 0xRRGGBB; nothing: white
  int alignment = 2;                   ///< as SubtitleEvent's
};

/// The header of an ASS file, which is also what FFmpeg's text decoders put before their lines. Any bytes are
/// taken; what cannot be read keeps its default. Immutable once made.
class AssScript {
 public:
  explicit AssScript(std::string_view header);
  /// The style of that name, else the one called Default, else ASS's own defaults.
  [[nodiscard]] const AssStyle& style(std::string_view name) const;
  /// The canvas that positions refer to (PlayResX, PlayResY).
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

 private:
  void read_style(std::string_view format, std::string_view values, bool is_legacy);

  double width_ = 384;  // libass and FFmpeg take these where a script has none
  double height_ = 288;
  std::map<std::string, AssStyle, std::less<>> styles_;
  AssStyle fallback_;
};

/// Reads a line of FFmpeg's text decoders, "ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text",
/// and returns an event without times. Override tags that cells can follow are followed: \b \i \u \c \1c \r
/// \a \an, and \pos and \move as an alignment by the third of the canvas that they name; \N, \n and \h.
/// Drawings (\p1) and text that is made invisible by \alpha are left out, all other tags without effect. Any
/// bytes are taken. Lines without visible text are left out: the result may have none.
[[nodiscard]] SubtitleEvent read_ass_dialogue(const AssScript& script, std::string_view dialogue);

}  // namespace glyphreel::media
