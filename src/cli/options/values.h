#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/geometry.h"

namespace glyphreel::cli {

// Pure functions from one option's text to its value; empty if the text is invalid. Numbers are decimal
// digits only: no sign unless stated, no blanks, no exponent.

/// An integer within [least, most].
[[nodiscard]] std::optional<int> parse_integer(std::string_view text, int least, int most);
/// An integer within [least, most], with an optional leading + or -.
[[nodiscard]] std::optional<int> parse_signed_integer(std::string_view text, int least, int most);
/// A number within [least, most], with or without a decimal point.
[[nodiscard]] std::optional<double> parse_number(std::string_view text, double least, double most);
/// A number within [least, most], with an optional leading + or -.
[[nodiscard]] std::optional<double> parse_signed_number(std::string_view text, double least, double most);
/// "WIDTHxHEIGHT", each within [least, most].
[[nodiscard]] std::optional<Extent> parse_extent(std::string_view text, int least, int most);
/// Seconds ("90", "1.5") or [HH:]MM:SS.mmm; minutes and seconds must be under 60 if a larger unit precedes
/// them.
[[nodiscard]] std::optional<double> parse_time(std::string_view text);
/// "#RRGGBB", "RRGGBB" or one of CSS's 16 basic color names in any case, as 0xRRGGBB.
[[nodiscard]] std::optional<unsigned> parse_color(std::string_view text);
/// Bits per second, as a number with an optional k (1000) or M (1000000); 1k to 1000M.
[[nodiscard]] std::optional<long long> parse_bitrate(std::string_view text);
/// Integers from 1 to 255, separated by commas, each greater than the one before.
[[nodiscard]] std::optional<std::vector<int>> parse_thresholds(std::string_view text);
/// "WxH" or "WxH+X+Y" (or "-X", "-Y" from the right and bottom), W and H from 1 to 16384.
[[nodiscard]] bool is_geometry(std::string_view text);
/// Number of code points in valid UTF-8; empty if it is invalid.
[[nodiscard]] std::optional<int> count_code_points(std::string_view utf8);

}  // namespace glyphreel::cli
