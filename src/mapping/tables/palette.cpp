#include "mapping/tables/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "base/io/read_file.h"
#include "base/result.h"
#include "base/trimmed.h"
#include "mapping/color/numbers.h"
#include "mapping/color/oklab.h"

namespace glyphreel::mapping {
namespace {

constexpr std::size_t MaxFileBytes = 1 << 20;
constexpr std::string_view Blanks = " \t";
/// In palettes that are not coarse, differences in lightness count this many times as much as in Oklab,
/// because a wrong lightness shows as a false edge between cells.
constexpr double FineLightness = 2;
constexpr int KeyBits = 5;  // number of bits per component in the index of nearest_table()

Error palette_error(std::string sentence) {
  return {ErrorCode::Usage, std::move(sentence), {}};
}

/// Returns the beginning of a line for an error message, without characters that could disturb a terminal.
std::string shown(std::string_view line) {
  constexpr std::size_t MaxLength = 24;
  std::string text;
  for (const char c : line.substr(0, MaxLength)) text += c >= ' ' && c <= '~' ? c : '?';
  return line.size() > MaxLength ? text + "..." : text;
}

Result<std::string> read_text(const std::string& path) {
  const auto no_text_file = [&] {
    return fmt::format(
        "The palette \"{}\" is not a text file; use a GIMP palette (.gpl) or a list of colors, one #RRGGBB "
        "per line.",
        path);
  };
  const auto explain = [&](FileProblem problem) {
    return problem == FileProblem::TooLarge
               ? no_text_file()
               : fmt::format("The palette \"{}\" cannot be read; check its path.", path);
  };
  TRY_ASSIGN(std::string text,
             read_file(path, {.max_bytes = MaxFileBytes, .code = ErrorCode::Usage, .explain = explain}));
  const bool is_text = std::none_of(text.begin(), text.end(), [](char c) {
    return c == '\0' || (static_cast<unsigned char>(c) < ' ' && std::strchr("\t\n\r\f", c) == nullptr);
  });
  if (!is_text) return palette_error(no_text_file());
  constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(ByteOrderMark)) text.erase(0, ByteOrderMark.size());
  return text;
}

/// Parses RRGGBB or #RRGGBB.
std::optional<std::uint32_t> parse_hexadecimal(std::string_view line) {
  if (line.starts_with('#')) line.remove_prefix(1);
  std::uint32_t color = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), color, 16);
  if (line.size() != 6 || error != std::errc{} || end != line.data() + line.size()) return std::nullopt;
  return color;
}

/// Parses three numbers from 0 to 255. A blank and the color's name may follow.
std::optional<std::uint32_t> parse_decimal(std::string_view line) {
  std::uint32_t color = 0;
  for (int component = 0; component < 3; ++component) {
    line.remove_prefix(std::min(line.find_first_not_of(Blanks), line.size()));
    unsigned value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc{} || value > 255) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (!line.empty() && Blanks.find(line.front()) == std::string_view::npos) return std::nullopt;
    color = color << 8 | value;
  }
  return color;
}

std::uint32_t key_of(std::uint32_t color) {
  return (color >> 19 & 31) << 10 | (color >> 11 & 31) << 5 | (color >> 3 & 31);
}

/// Returns the color that a table entry represents. Each component's upper bits are repeated in its lower
/// bits, so that the entries include black and white. If an entry represented the middle of its range, black
/// would become dark gray in palettes that contain a dark gray.
std::uint32_t color_of(std::uint32_t key) {
  std::uint32_t color = 0;
  for (const int shift : {2 * KeyBits, KeyBits, 0}) {
    const std::uint32_t bits = key >> shift & 31;
    color = color << 8 | (bits << 3 | bits >> 2);
  }
  return color;
}

}  // namespace

Result<std::vector<std::uint32_t>> read_palette(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_text(path));
  std::vector<std::uint32_t> colors;
  bool gimp = false;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
    at = end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
    ++number;
    if (number == 1 && line == "GIMP Palette") {
      gimp = true;
      continue;
    }
    if (line.empty() || line.front() == ';' || line == "#" || line.starts_with("# ")) continue;
    if (gimp && (line.front() == '#' || line.starts_with("Name:") || line.starts_with("Columns:"))) continue;
    const std::optional<std::uint32_t> color = gimp ? parse_decimal(line) : parse_hexadecimal(line);
    if (!color) {
      return palette_error(
          fmt::format("Line {} of the palette \"{}\" is not a color: \"{}\"; write it as {}.", number, path,
                      shown(line), gimp ? "three numbers from 0 to 255 and a name" : "#RRGGBB"));
    }
    if (colors.size() == MaxPaletteColors) {
      return palette_error(
          fmt::format("The palette \"{}\" has more than {} colors; delete line {} and all lines after it.",
                      path, MaxPaletteColors, number));
    }
    colors.push_back(*color);
  }
  if (colors.size() < 2) {
    return palette_error(fmt::format("The palette \"{}\" has {} in its {} lines; list 2 to {} colors.", path,
                                     colors.empty() ? "no color" : "only one color", number,
                                     MaxPaletteColors));
  }
  return colors;
}

std::vector<std::uint32_t> ansi16_palette() {
  return {0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
          0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF};
}

std::vector<std::uint32_t> ansi256_palette() {
  std::vector<std::uint32_t> colors = ansi16_palette();
  constexpr std::array<std::uint32_t, 6> Steps = {0, 95, 135, 175, 215, 255};
  for (const std::uint32_t red : Steps) {
    for (const std::uint32_t green : Steps) {
      for (const std::uint32_t blue : Steps) colors.push_back(red << 16 | green << 8 | blue);
    }
  }
  for (std::uint32_t gray = 8; gray <= 238; gray += 10) colors.push_back(gray * 0x010101u);
  return colors;
}

std::vector<std::uint32_t> nearest_table(const std::vector<std::uint32_t>& palette, std::size_t first) {
  CHECK(first < palette.size(), "a palette without colors");
  const double stretch = is_coarse(palette) ? 1 : FineLightness;
  const auto place = [&](std::uint32_t color) {
    Oklab lab = oklab(color);
    lab.lightness *= stretch;
    return lab;
  };
  std::vector<Oklab> places;
  for (const std::uint32_t color : palette) places.push_back(place(color));

  std::vector<std::uint32_t> table(std::size_t{1} << (3 * KeyBits));
  for (std::uint32_t key = 0; key < table.size(); ++key) {
    const Oklab wanted = place(color_of(key));
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = first; i < palette.size(); ++i) {
      const double distance = square_distance(places[i], wanted);
      if (distance < least) {
        least = distance;
        table[key] = static_cast<std::uint32_t>(i);
      }
    }
  }

  // If exactly one palette color falls into an entry, the entry gets this color, so that colors of the
  // palette stay unchanged.
  std::vector<int> tenants(table.size(), 0);
  for (std::size_t i = first; i < palette.size(); ++i) ++tenants[key_of(palette[i])];
  for (std::size_t i = first; i < palette.size(); ++i) {
    if (tenants[key_of(palette[i])] == 1) table[key_of(palette[i])] = static_cast<std::uint32_t>(i);
  }
  return table;
}

int dither_range(const std::vector<std::uint32_t>& palette) {
  double sum = 0;
  int counted = 0;
  for (const std::uint32_t color : palette) {
    int least = std::numeric_limits<int>::max();
    for (const std::uint32_t other : palette) {
      int square = 0;
      for (const int shift : {16, 8, 0}) {
        const int away = static_cast<int>(color >> shift & 255) - static_cast<int>(other >> shift & 255);
        square += away * away;
      }
      if (square > 0) least = std::min(least, square);
    }
    if (least == std::numeric_limits<int>::max()) continue;  // all colors are the same
    sum += std::sqrt(least / 3.0);
    ++counted;
  }
  return counted == 0 ? 0 : rounded(sum / counted);
}

bool is_coarse(const std::vector<std::uint32_t>& palette) {
  constexpr int CoarseRange = 45;  // code values
  return dither_range(palette) >= CoarseRange;
}

}  // namespace glyphreel::mapping
