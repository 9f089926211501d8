#pragma once

#include <span>
#include <string>
#include <vector>

#include "text/charset.h"

namespace glyphreel::present {

// Terminals and multiplexers have their own tables of character widths, often from an older Unicode version:
// tmux 3.3 treats the octants of Unicode 16 as combining characters. So the program prints a sample of each
// class of characters and then asks the terminal for the cursor position.

/// The screen row in which the samples are printed. It is not row 1, because the report of a cursor position
/// in row 1 would look like the key F3 with a modifier.
inline constexpr int ProbeRow = 2;

/// Returns the bytes that print the samples, invisibly and at the same position, each followed by a query of
/// the cursor position.
[[nodiscard]] std::string width_probe();
/// Returns the number of queries in width_probe().
[[nodiscard]] std::size_t width_probe_queries();
/// Returns the classes whose sample does not have the width that the encoder assumes: 2 columns for wide
/// characters, otherwise 1. `columns`: the terminal's answers to width_probe(), in order: the cursor column
/// after each sample. Classes without an answer are not returned.
[[nodiscard]] std::vector<text::CharacterRange> misshown_classes(std::span<const int> columns);

/// Whether terminals often disagree on the width of this character, so that it must be followed by an
/// absolute cursor position. True for the symbols for legacy computing that Unicode 13 and 16 added.
[[nodiscard]] constexpr bool is_width_doubtful(char32_t character) {
  return (character >= 0x1CC00 && character <= 0x1CEBF) || (character >= 0x1FB00 && character <= 0x1FBFF);
}

}  // namespace glyphreel::present
