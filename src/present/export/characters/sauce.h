#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace glyphreel::present {

/// SAUCE (revision 5): the record at the end of a file of the text-art scene that states what the file is.
struct Sauce {
  enum class Kind { Ansi, Ansimation, Xbin };
  Kind kind = Kind::Ansi;
  std::string title;           ///< ASCII; at most 35 characters are kept
  std::size_t file_bytes = 0;  ///< before the record
  int columns = 0, rows = 0;
};

/// Returns the end-of-file character and the record. For ANSI files, it declares iCE colors: the blink
/// attribute means a bright background. It has no date, so that equal inputs give equal files.
[[nodiscard]] std::string sauce_record(const Sauce& sauce);

}  // namespace glyphreel::present
