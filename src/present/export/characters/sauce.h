#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace glyphreel::present {

/// A SAUCE record (revision 5), which describes a text-art file and is at the end of the file.
struct Sauce {
  enum class Kind { Ansi, Ansimation, Xbin };
  Kind kind = Kind::Ansi;
  std::string title;           ///< ASCII; at most 35 characters are kept
  std::size_t file_bytes = 0;  ///< size of the file before the record
  int columns = 0, rows = 0;
};

/// Returns the end-of-file character and the record. The record of an ANSI file declares iCE colors: the
/// blink attribute means a bright background. The date is blank, so that equal inputs give equal files.
[[nodiscard]] std::string sauce_record(const Sauce& sauce);

}  // namespace glyphreel::present
