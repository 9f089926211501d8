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
  std::string text;  ///< valid UTF-8 without line breaks; U+00A0 is a non-breaking space
  bool bold = false;
  bool italic = false;
  bool underline = false;
  std::optional<std::uint32_t> color = std::nullopt;  ///< 0xRRGGBB; empty: white
  bool operator==(const SubtitleSpan&) const = default;
};
using SubtitleLine = std::vector<SubtitleSpan>;

/// One rectangular picture of a bitmap subtitle, stored as palette indices.
struct SubtitlePicture {
  int x = 0, y = 0;  ///< position of the upper left pixel on the canvas
  Extent size;
  std::vector<std::uint8_t> indices;         ///< row by row, size.width * size.height
  std::array<std::uint32_t, 256> palette{};  ///< 0xAARRGGBB in native byte order, not premultiplied
  bool operator==(const SubtitlePicture&) const = default;
};

/// A bitmap subtitle: pictures that are shown at the same time.
struct BitmapSubtitle {
  Extent canvas;  ///< size of the area to which the pictures' positions refer, in pixels
  std::vector<SubtitlePicture> pictures;
  bool operator==(const BitmapSubtitle&) const = default;
};

/// Lines of text or a bitmap, shown from `start_seconds` to `end_seconds`. An event without lines or bitmap
/// clears the display, as in PGS: it ends earlier bitmaps, and earlier text whose `end_seconds` is infinite.
struct SubtitleEvent {
  double start_seconds = 0;  ///< container time; for a separate subtitle file, time since the video's start
  double end_seconds = 0;    ///< infinity: until the track's next event
  std::vector<SubtitleLine> lines;
  int alignment = 2;  ///< as on a numeric keypad: 1..3 bottom, 4..6 middle, 7..9 top, each from left to right
  int layer = 0;      ///< events are sorted by layer, then by start, then by `order`
  std::int64_t order = 0;  ///< position in the file; orders events with the same layer and start
  std::shared_ptr<const BitmapSubtitle> bitmap;

  [[nodiscard]] bool clears_display() const { return lines.empty() && bitmap == nullptr; }
};

}  // namespace glyphreel::media
