#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::media {

/// Numbered pictures as one video, as FFmpeg's image2 demuxer reads them.
struct ImageSequence {
  std::string pattern;              ///< "./shot-*.png" or "./shot-%04d.png", never without a folder
  std::optional<int> first_number;  ///< empty: the pattern is a glob
  bool operator==(const ImageSequence&) const = default;
};

/// Position of a "%d" or "%04d" in a name.
struct NumberPlace {
  std::size_t at = 0;      ///< of the '%'
  std::size_t length = 0;  ///< of the whole specification
  int digits = 0;          ///< at least this many, with leading zeros; 0: no leading zeros
};
/// Returns empty if `name` holds none, or more than one.
[[nodiscard]] std::optional<NumberPlace> find_number_place(std::string_view name);

/// Finds the files that a pattern means: a glob, or a name with a number's place. If a glob's files have
/// consecutive numbers without leading zeros, they are read in numeric order, so that 10 does not come
/// before 2. Errors: BadInput if no file matches.
[[nodiscard]] Result<ImageSequence> find_image_sequence(const std::string& pattern);

}  // namespace glyphreel::media
