#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "base/rational.h"
#include "base/time_position.h"

namespace glyphreel::cli {

// Pure functions that parse one option's value. They return nullopt if the text is invalid. Numbers have only
// decimal digits: no spaces, no exponent, and no sign unless stated.

/// Parses an integer within [least, most].
[[nodiscard]] std::optional<int> parse_integer(std::string_view text, int least, int most);
/// Parses an integer within [least, most], with an optional leading + or -.
[[nodiscard]] std::optional<int> parse_signed_integer(std::string_view text, int least, int most);
/// Parses a fraction from 0 to 1, such as "0.5", or a percentage, such as "50%". Returns the fraction.
[[nodiscard]] std::optional<double> parse_share(std::string_view text);
/// Parses a number within [least, most], with or without a decimal point.
[[nodiscard]] std::optional<double> parse_number(std::string_view text, double least, double most);
/// Parses a number within [least, most], with an optional leading + or -.
[[nodiscard]] std::optional<double> parse_signed_number(std::string_view text, double least, double most);
/// Parses "WIDTHxHEIGHT", each within [least, most].
[[nodiscard]] std::optional<Extent> parse_extent(std::string_view text, int least, int most);
/// Parses seconds ("90", "1.5") or [HH:]MM:SS.mmm. In the form with colons, the seconds must be less than 60.
/// If there are hours, the minutes must also be less than 60.
[[nodiscard]] std::optional<double> parse_time(std::string_view text);
/// Parses a position in an input: a time as for parse_time(); "-TIME", a time before the end; "N%" of the
/// duration, with N from 0 to 100; or "#N", the start of chapter N.
[[nodiscard]] std::optional<TimePosition> parse_position(std::string_view text);
/// Parses "W:H", each from 1 to 10000, or a decimal number from 0.01 to 100.
[[nodiscard]] std::optional<Rational> parse_aspect(std::string_view text);
/// Parses frames per second from 0.01 to 1000: a number or a ratio "N/D". Numbers such as 23.976 and 29.97
/// mean 24000/1001 and 30000/1001.
[[nodiscard]] std::optional<Rational> parse_frame_rate(std::string_view text);
/// Parses words separated by commas, such as "en,de"; nullopt if a word is empty.
[[nodiscard]] std::optional<std::vector<std::string>> parse_words(std::string_view text);
/// Parses "#RRGGBB", "RRGGBB" or one of CSS's 16 basic color names, ignoring case. Returns 0xRRGGBB.
[[nodiscard]] std::optional<unsigned> parse_color(std::string_view text);
/// Parses bits per second from 1k to 1000M: a number, optionally followed by k (1000) or M (1000000).
[[nodiscard]] std::optional<long long> parse_bitrate(std::string_view text);
/// Parses increasing integers from 1 to 255, separated by commas.
[[nodiscard]] std::optional<std::vector<int>> parse_thresholds(std::string_view text);
/// Whether `text` is "WxH" or "WxH+X+Y", with W and H from 1 to 16384. "-X" and "-Y" count from the right and
/// the bottom.
[[nodiscard]] bool is_geometry(std::string_view text);
/// Returns the number of code points; empty if the text is not valid UTF-8.
[[nodiscard]] std::optional<int> count_code_points(std::string_view utf8);

}  // namespace glyphreel::cli
