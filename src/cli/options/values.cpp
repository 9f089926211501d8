#include "cli/options/values.h"

#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace glyphreel::cli {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// Parses digits with at most one decimal point, which needs digits on both sides.
std::optional<double> parse_decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  if (!is_digits(text.substr(0, point))) return std::nullopt;
  if (point != std::string_view::npos && !is_digits(text.substr(point + 1))) return std::nullopt;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Removes a leading + or -. Returns whether the sign was -.
bool consume_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

struct NamedColor {
  std::string_view name;
  unsigned rgb;
};

/// The 16 color names that CSS takes from HTML 4 (CSS Color Module Level 4, section 6.1).
constexpr NamedColor NamedColors[] = {
    {"black", 0x000000},  {"silver", 0xC0C0C0}, {"gray", 0x808080},   {"white", 0xFFFFFF},
    {"maroon", 0x800000}, {"red", 0xFF0000},    {"purple", 0x800080}, {"fuchsia", 0xFF00FF},
    {"green", 0x008000},  {"lime", 0x00FF00},   {"olive", 0x808000},  {"yellow", 0xFFFF00},
    {"navy", 0x000080},   {"blue", 0x0000FF},   {"teal", 0x008080},   {"aqua", 0x00FFFF}};

/// Removes "+N" or "-N" from the front of `text`; returns false if `text` does not start with an offset.
bool consume_offset(std::string_view& text) {
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return false;
  std::size_t length = 1;
  while (length < text.size() && is_digit(text[length])) ++length;
  if (!parse_integer(text.substr(1, length - 1), 0, 65535)) return false;
  text.remove_prefix(length);
  return true;
}

}  // namespace

std::optional<int> parse_integer(std::string_view text, int least, int most) {
  if (!is_digits(text)) return std::nullopt;
  int value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
  if (value < least || value > most) return std::nullopt;
  return value;
}

std::optional<int> parse_signed_integer(std::string_view text, int least, int most) {
  const bool negative = consume_sign(text);
  const auto magnitude = negative ? parse_integer(text, -most, -least) : parse_integer(text, least, most);
  return negative && magnitude ? -*magnitude : magnitude;
}

std::optional<double> parse_number(std::string_view text, double least, double most) {
  const auto value = parse_decimal(text);
  if (!value || *value < least || *value > most) return std::nullopt;
  return value;
}

std::optional<double> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return parse_number(text, 0, 1);
  text.remove_suffix(1);
  const auto percent = parse_number(text, 0, 100);
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

std::optional<double> parse_signed_number(std::string_view text, double least, double most) {
  const bool negative = consume_sign(text);
  const auto magnitude = negative ? parse_number(text, -most, -least) : parse_number(text, least, most);
  return negative && magnitude ? -*magnitude : magnitude;
}

std::optional<Extent> parse_extent(std::string_view text, int least, int most) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto width = parse_integer(text.substr(0, cross), least, most);
  const auto height = parse_integer(text.substr(cross + 1), least, most);
  if (!width || !height) return std::nullopt;
  return Extent{*width, *height};
}

std::optional<double> parse_time(std::string_view text) {
  constexpr int MaxHours = 1'000'000;
  constexpr double MaxSeconds = 3600.0 * MaxHours;
  const std::size_t last_colon = text.rfind(':');
  if (last_colon == std::string_view::npos) {
    const auto seconds = parse_decimal(text);
    return seconds && *seconds <= MaxSeconds ? seconds : std::nullopt;
  }

  const auto seconds = parse_decimal(text.substr(last_colon + 1));
  if (!seconds || *seconds >= 60.0) return std::nullopt;
  std::string_view minutes_text = text.substr(0, last_colon);
  int hours = 0;
  int most_minutes = MaxHours;
  if (const std::size_t colon = minutes_text.find(':'); colon != std::string_view::npos) {
    const auto parsed = parse_integer(minutes_text.substr(0, colon), 0, MaxHours);
    if (!parsed) return std::nullopt;
    hours = *parsed;
    most_minutes = 59;
    minutes_text.remove_prefix(colon + 1);
  }
  const auto minutes = parse_integer(minutes_text, 0, most_minutes);
  if (!minutes) return std::nullopt;
  return hours * 3600.0 + *minutes * 60.0 + *seconds;
}

std::optional<TimePosition> parse_position(std::string_view text) {
  using Unit = TimePosition::Unit;
  if (text.starts_with('#')) {
    const auto chapter = parse_integer(text.substr(1), 1, 9999);
    return chapter ? std::optional(TimePosition{static_cast<double>(*chapter), Unit::Chapter}) : std::nullopt;
  }
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    const auto percent = parse_number(text, 0, 100);
    return percent ? std::optional(TimePosition{*percent, Unit::Percent}) : std::nullopt;
  }
  const bool from_end = text.starts_with('-');
  const auto seconds = parse_time(text.substr(from_end ? 1 : 0));
  if (!seconds) return std::nullopt;
  return TimePosition{*seconds, from_end ? Unit::SecondsBeforeEnd : Unit::Seconds};
}

std::optional<Rational> parse_aspect(std::string_view text) {
  constexpr int Precision = 10'000;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    const auto ratio = parse_number(text, 0.01, 100);
    if (!ratio) return std::nullopt;
    return Rational{std::llround(*ratio * Precision), Precision};
  }
  const auto width = parse_integer(text.substr(0, colon), 1, Precision);
  const auto height = parse_integer(text.substr(colon + 1), 1, Precision);
  if (!width || !height) return std::nullopt;
  return Rational{*width, *height};
}

std::optional<Rational> parse_frame_rate(std::string_view text) {
  constexpr double Min = 0.01;
  constexpr double Max = 1000;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto frames = parse_integer(text.substr(0, slash), 1, 1'000'000);
    const auto seconds = parse_integer(text.substr(slash + 1), 1, 1'000'000);
    if (!frames || !seconds) return std::nullopt;
    const Rational rate{*frames, *seconds};
    return rate.value() >= Min && rate.value() <= Max ? std::optional(rate) : std::nullopt;
  }
  const auto number = parse_number(text, Min, Max);
  if (!number) return std::nullopt;
  const double whole = std::round(*number);
  if (*number == whole) return Rational{std::llround(whole), 1};
  const double above = std::ceil(*number);
  if (std::abs(above * 1000 / 1001 - *number) < 0.005) return Rational{std::llround(above) * 1000, 1001};
  return Rational{std::llround(*number * 1000), 1000};
}

std::optional<std::vector<std::string>> parse_words(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (words.back().empty()) return std::nullopt;
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

std::optional<unsigned> parse_color(std::string_view text) {
  const std::string name = lower(text);
  for (const NamedColor& color : NamedColors) {
    if (color.name == name) return color.rgb;
  }
  if (text.starts_with('#')) text.remove_prefix(1);
  if (text.size() != 6) return std::nullopt;
  unsigned rgb = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rgb, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rgb;
}

std::optional<long long> parse_bitrate(std::string_view text) {
  double unit = 1.0;
  if (text.ends_with('k') || text.ends_with('K')) unit = 1e3;
  if (text.ends_with('M')) unit = 1e6;
  if (unit > 1.0) text.remove_suffix(1);
  const auto number = parse_decimal(text);
  if (!number) return std::nullopt;
  const double bits = *number * unit;
  if (bits < 1e3 || bits > 1e9) return std::nullopt;
  return std::llround(bits);
}

std::optional<std::vector<int>> parse_thresholds(std::string_view text) {
  std::vector<int> thresholds;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto value = parse_integer(text.substr(0, comma), 1, 255);
    if (!value || (!thresholds.empty() && *value <= thresholds.back())) return std::nullopt;
    thresholds.push_back(*value);
    if (comma == std::string_view::npos) return thresholds;
    text.remove_prefix(comma + 1);
  }
}

bool is_geometry(std::string_view text) {
  const std::size_t sign = std::min(text.find_first_of("+-"), text.size());
  if (!parse_extent(text.substr(0, sign), 1, 16384)) return false;
  text.remove_prefix(sign);
  if (text.empty()) return true;
  if (!consume_offset(text)) return false;
  return consume_offset(text) && text.empty();
}

std::optional<int> count_code_points(std::string_view utf8) {
  int count = 0;
  for (; !utf8.empty(); ++count) {
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                                                     std::ssize(utf8), &code_point);
    if (length <= 0) return std::nullopt;
    utf8.remove_prefix(static_cast<std::size_t>(length));
  }
  return count;
}

}  // namespace glyphreel::cli
