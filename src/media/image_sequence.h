#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::media {

/// Numbered pictures as one video, as FFmpeg's image2 reads them.
struct ImageSequence {
  enum class Names { Glob, Numbered };
  std::string pattern;  ///< "./shot-*.png" or "./shot-%04d.png", never without a folder
  Names names = Names::Glob;
  int first_number = 0;  ///< of Numbered
  bool operator==(const ImageSequence&) const = default;
};

/// Where a "%d" or "%04d" stands in a name.
struct NumberPlace {
  std::size_t at = 0;      ///< of the '%'
  std::size_t length = 0;  ///< of the whole specification
  int digits = 0;          ///< at least so many, with zeros in front; 0: as they come
};
/// Empty where `name` holds none, or more than one.
[[nodiscard]] std::optional<NumberPlace> find_number_place(std::string_view name);

/// Looks which files a pattern means: a glob, or a name with a number's place. Files of a glob whose numbers
/// have no zeros in front are taken by number where they follow one another, so that 10 does not come
/// before 2. Errors: BadInput where no file fits.
[[nodiscard]] Result<ImageSequence> find_image_sequence(const std::string& pattern);

}  // namespace glyphreel::media
