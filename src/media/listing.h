#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/rational.h"
#include "base/result.h"

namespace glyphreel::media {

/// The properties of a video stream.
struct VideoListing {
  Extent size;               ///< in pixels, before rotation and aspect ratio correction
  std::string pixel_format;  ///< FFmpeg's name; empty: unknown
  double fps = 0;            ///< 0: unknown
  Rational sample_aspect_ratio{1, 1};
  int rotation_degrees = 0;                              ///< clockwise rotation needed for display
  std::string primaries, transfer, matrix, color_range;  ///< FFmpeg's names; empty: not declared
  std::string hdr;                                       ///< "pq" or "hlg"; empty: standard dynamic range
  int peak_nits = 0;  ///< peak luminance of HDR in cd/m2, from metadata; 0: unknown
  bool is_attached_picture = false;
};

/// The properties of an audio stream.
struct AudioListing {
  int sample_rate = 0;
  int channels = 0;
  std::string layout;
};

struct Tag {
  std::string name, value;
};

/// One stream of an input.
struct StreamListing {
  int index = 0;
  std::string kind;                  ///< "video", "audio", "subtitle", "data" or "attachment"
  std::string codec;                 ///< FFmpeg's name
  std::string profile;               ///< empty: unknown
  std::int64_t bits_per_second = 0;  ///< 0: unknown
  std::string language;              ///< language code in the container; empty: unknown
  bool is_default = false;
  bool is_forced = false;
  bool is_encrypted = false;  ///< false if unknown: only inputs with a duration are checked
  std::vector<Tag> tags;
  std::optional<VideoListing> video;
  std::optional<AudioListing> audio;
};

/// An input, as `glyphreel info INPUT` shows it.
struct InputListing {
  struct Chapter {
    double start_seconds = 0, end_seconds = 0;
    std::string title;  ///< may be empty
  };
  std::string container;        ///< FFmpeg's name, such as "matroska,webm"
  std::string container_title;  ///< such as "Matroska / WebM"
  std::optional<double> duration_seconds;
  std::int64_t bits_per_second = 0;  ///< 0: unknown
  std::vector<Tag> tags;
  std::vector<Chapter> chapters;
  std::vector<StreamListing> streams;
};
/// Describes an input from its headers and first packets. Errors: BadInput; Interrupted.
[[nodiscard]] Result<InputListing> list_input(const std::string& url);

/// FFmpeg's version, and the names of the available decoders and encoders that are relevant to this program.
struct MediaCapabilities {
  std::string ffmpeg_version;
  std::vector<std::string> decoders;
  std::vector<std::string> encoders;
};
[[nodiscard]] MediaCapabilities capabilities();

}  // namespace glyphreel::media
