#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::media {

/// Image files that FFmpeg's image2 demuxer reads as one video.
struct ImageSequence {
  std::string pattern;              ///< "./shot-*.png" or "./shot-%04d.png"; always includes a folder
  std::optional<int> first_number;  ///< empty: the pattern is a glob
  bool operator==(const ImageSequence&) const = default;
};

/// The position of "%d" or "%04d" in a name.
struct NumberField {
  std::size_t at = 0;      ///< index of the '%' in the name
  std::size_t length = 0;  ///< number of characters, from '%' to 'd'
  int digits = 0;          ///< minimum number of digits, reached with leading zeros; 0: no minimum
};
/// Returns the field in `name`; empty if there is none, or more than one.
[[nodiscard]] std::optional<NumberField> find_number_field(std::string_view name);

/// Finds the files that match a pattern: a glob, or a name with a number field. If a glob's files have
/// consecutive numbers without leading zeros, the files are read in numeric order: 2 comes before 10.
/// Errors: BadInput if no file matches.
[[nodiscard]] Result<ImageSequence> find_image_sequence(const std::string& pattern);

}  // namespace glyphreel::media
