#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/frame.h"
#include "media/subtitle_event.h"

namespace glyphreel::media {

struct BitmapOverlayOptions {
  /// Least height of a line of text, as a part of the picture's height: smaller ones are enlarged, as far as
  /// the picture's width and half of its height permit. 0: as they are.
  double least_line_height = 0;
  /// Opacity of black behind the pictures, 0 to 1, so that few cells can tell light letters from a light
  /// scene.
  double backing = 0;
  bool operator==(const BitmapOverlayOptions&) const = default;
};

/// What lets a grid of so many rows over the whole picture show letters that can be told: looked at in shape
/// mode at 160x45, lines of 5 rows on black could be read with ease, those of 4 with effort, those of 3 could
/// not.
[[nodiscard]] BitmapOverlayOptions readable_in_rows(int rows);

/// Where one picture of a bitmap subtitle goes, in pixels of the upright frame as it is stored.
struct PlacedPicture {
  int x = 0, y = 0;
  Extent size;
  bool operator==(const PlacedPicture&) const = default;
};

/// Places the pictures of a subtitle over a video of `frame` pixels, each `aspect` as wide as high. The
/// canvas covers the video where both have the same shape; else it is as wide, centred, and what would lie
/// above or below is moved in: a cropped film's subtitles stand in what were its bars.
[[nodiscard]] std::vector<PlacedPicture> place_pictures(const BitmapSubtitle& bitmap, Extent frame,
                                                        double aspect, const BitmapOverlayOptions& options);

/// Height of a line of text in a picture, canvas pixels: runs of rows with ink, several lines in those too
/// high for one.
[[nodiscard]] double text_line_height(const SubtitlePicture& picture, Extent canvas);

/// Lays bitmap subtitles over frames, before these are mapped. What can be prepared for one subtitle is kept
/// from frame to frame. Colours are sRGB's in code values, as FFmpeg's overlay mixes them; over PQ and HLG
/// they are dimmed to reference white (ITU-R BT.2408). Thread-safety: one thread at a time.
class BitmapOverlay {
 public:
  /// `memory` (may be null) is where the copies go; it outlives the BitmapOverlay.
  explicit BitmapOverlay(HostMemory* memory);
  ~BitmapOverlay();
  BitmapOverlay(const BitmapOverlay&) = delete;
  BitmapOverlay& operator=(const BitmapOverlay&) = delete;

  /// A copy of `frame` with the bitmaps over it, counted in bytes_copied; `frame` itself, its pixels shared,
  /// where there is nothing to lay over it.
  [[nodiscard]] Frame over(const Frame& frame, std::span<const std::shared_ptr<const BitmapSubtitle>> bitmaps,
                           const BitmapOverlayOptions& options);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
  HostMemory* memory_;
};

}  // namespace glyphreel::media
