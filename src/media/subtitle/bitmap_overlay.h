#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/frame.h"
#include "media/subtitle/subtitle_event.h"

namespace glyphreel::media {

struct BitmapOverlayOptions {
  /// Minimum height of a line of text, as a fraction of the frame's height. Subtitle pictures with smaller
  /// lines are enlarged, to at most the frame's width and half of the frame's height. 0: no enlargement.
  double min_line_height = 0;
  /// Opacity of the black box behind each subtitle picture, 0 to 1. The box keeps light letters legible over
  /// bright scenes when there are few cells.
  double backing = 0;
  bool operator==(const BitmapOverlayOptions&) const = default;
};

/// Returns options that keep letters legible if the whole frame has `rows` rows of cells: lines of text are
/// at least 5 rows high. This height was judged by eye in shape mode with 160x45 cells, on a black
/// background: 5 rows were easy to read, 4 rows took effort, and 3 rows were illegible.
[[nodiscard]] BitmapOverlayOptions readable_in_rows(int rows);

/// The position and size of one picture of a bitmap subtitle, in pixels of the frame. The frame is rotated
/// upright, but its pixel aspect ratio is not applied.
struct PlacedPicture {
  int x = 0, y = 0;
  Extent size;
  bool operator==(const PlacedPicture&) const = default;
};

/// Places the pictures of a subtitle over a video. `frame`: the video's size in pixels. `aspect`: a pixel's
/// width divided by its height. A canvas with the video's aspect ratio covers the video. Any other canvas is
/// as wide as the video and centered vertically. Pictures above or below the video are moved inside:
/// subtitles of a cropped video are often at the position of the black bars that were removed.
[[nodiscard]] std::vector<PlacedPicture> place_pictures(const BitmapSubtitle& bitmap, Extent frame,
                                                        double aspect, const BitmapOverlayOptions& options);

/// Returns the height of the tallest line of text in a picture, in canvas pixels. A line is a run of rows
/// with visible pixels; a run too high for one line counts as several lines.
[[nodiscard]] double text_line_height(const SubtitlePicture& picture, Extent canvas);

/// Composites bitmap subtitles over frames before the frames are mapped to cells. Converts a subtitle once
/// and reuses the result for later frames. Colors are sRGB, blended as code values, as in FFmpeg's overlay
/// filter. Over PQ and HLG video, colors are dimmed so that white becomes reference white (ITU-R BT.2408).
/// Thread-safety: one thread at a time.
class BitmapOverlay {
 public:
  /// `memory` allocates the copies of frames and must outlive the BitmapOverlay. If it is null, FFmpeg
  /// allocates the copies.
  explicit BitmapOverlay(HostMemory* memory);
  ~BitmapOverlay();
  BitmapOverlay(const BitmapOverlay&) = delete;
  BitmapOverlay& operator=(const BitmapOverlay&) = delete;

  /// Returns a copy of `frame` with the bitmaps composited over it; the result's bytes_copied includes this
  /// copy. If there is nothing to composite, returns a Frame that shares the pixels of `frame`.
  [[nodiscard]] Frame over(const Frame& frame, std::span<const std::shared_ptr<const BitmapSubtitle>> bitmaps,
                           const BitmapOverlayOptions& options);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
  HostMemory* memory_;
};

}  // namespace glyphreel::media
