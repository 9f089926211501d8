#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::media {

/// One stream, as described by `glyphreel info INPUT`.
struct StreamListing {
  int index = 0;
  std::string kind;         ///< "video", "audio", "subtitle", "data" or "attachment"
  std::string description;  ///< one line: codec, size or rate, language
};
/// Lists all streams of an input, without decoding them.
[[nodiscard]] Result<std::vector<StreamListing>> list_streams(const std::string& url);

/// FFmpeg's version, and the names of the available decoders and encoders that are relevant to this program.
struct MediaCapabilities {
  std::string ffmpeg_version;
  std::vector<std::string> decoders;
  std::vector<std::string> encoders;
};
[[nodiscard]] MediaCapabilities capabilities();

}  // namespace glyphreel::media
