#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"

namespace glyphreel::media {

/// A run of text in one style.
struct SubtitleSpan {
  std::string text;  ///< valid UTF-8 without line breaks; U+00A0 does not break
  bool bold = false;
  bool italic = false;
  bool underline = false;
  std::optional<std::uint32_t> color = std::nullopt;  ///< 0xRRGGBB; nothing: the player's plain white
  bool operator==(const SubtitleSpan&) const = default;
};
using SubtitleLine = std::vector<SubtitleSpan>;

/// One picture of a bitmap subtitle: indices into a palette, as stored.
struct SubtitlePicture {
  int x = 0, y = 0;  ///< of its upper left pixel on the canvas
  Extent size;
  std::vector<std::uint8_t> indices;         ///< row by row, size.width * size.height
  std::array<std::uint32_t, 256> palette{};  ///< native words 0xAARRGGBB, not premultiplied
  bool operator==(const SubtitlePicture&) const = default;
};

/// Pictures that are shown together.
struct BitmapSubtitle {
  Extent canvas;  ///< what the pictures' positions refer to, pixels
  std::vector<SubtitlePicture> pictures;
  bool operator==(const BitmapSubtitle&) const = default;
};

/// Something shown from one time to another: lines of text or a bitmap. An event with neither ends what was
/// shown before it, if the `end_seconds` of that was unknown, as in PGS.
struct SubtitleEvent {
  double start_seconds = 0;  ///< on the container's scale; from zero in a separate subtitle file
  double end_seconds = 0;    ///< infinity: until the next event of the track
  std::vector<SubtitleLine> lines;
  int alignment = 2;       ///< like a numeric keypad: 1..3 bottom, 4..6 middle, 7..9 top; left, center, right
  int layer = 0;           ///< events of a higher layer come after those of a lower one
  std::int64_t order = 0;  ///< file order, among events of the same layer and start
  std::shared_ptr<const BitmapSubtitle> bitmap;

  [[nodiscard]] bool ends_others() const { return lines.empty() && bitmap == nullptr; }
};

}  // namespace glyphreel::media
