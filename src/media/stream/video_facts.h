#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/frame.h"

namespace glyphreel::media {

/// Facts about a video stream, as far as its headers state them.
struct VideoFacts {
  std::string codec;         ///< FFmpeg's name for the codec, for example "h264"
  std::string decoder;       ///< the decoder in use, for example "libdav1d"
  std::string pixel_format;  ///< FFmpeg's name for the decoded format
  Extent size;               ///< of a stored frame, in pixels
  Rational frame_rate;       ///< average number of frames per second; 0 if unknown
  Rational time_base;        ///< seconds per pts unit
  Rational sample_aspect_ratio{1, 1};
  Rotation rotation = Rotation::None;
  ColorTags color;
  std::optional<double> duration_seconds;
  bool has_exact_duration = false;  ///< false: the duration is unknown, or estimated from the bit rate
  std::int64_t start_pts = 0;       ///< pts of the stream's start; 0 if unknown
  std::int64_t frame_count = 0;     ///< estimate from the headers; 0 if unknown
  struct Chapter {
    double start_seconds = 0;  ///< from the stream's start
    std::string title;         ///< may be empty
  };
  std::vector<Chapter> chapters;
  std::vector<std::string> audio_tracks;  ///< a description of each track, such as "aac, eng"
  int audio_track = 0;                    ///< number of the delivered track, counted from 1; 0: none
  std::string audio_language;  ///< the delivered track's language, from the container; empty: unknown

  /// Converts a duration to units of `time_base`.
  [[nodiscard]] std::int64_t ticks(double seconds) const {
    return static_cast<std::int64_t>(seconds / time_base.value());
  }
};

}  // namespace glyphreel::media
