#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cli/options/settings.h"
#include "cli/options/values.h"

namespace glyphreel::cli {

// What the option table (options.h) refers to: the names of choices, and the functions that parse a value
// into Settings. Each returns false for a value that the option does not accept.

// The names of each enumeration, in the order of its enumerators; base/mode.h has those of Mode.
inline constexpr std::array<std::string_view, 3> Renderers{"auto", "gpu", "cpu"};
inline constexpr std::array<std::string_view, 3> Fits{"contain", "cover", "stretch"};
inline constexpr std::array<std::string_view, 2> Samples{"area", "corner"};
inline constexpr std::array<std::string_view, 3> Lumas{"auto", "601", "709"};
inline constexpr std::array<std::string_view, 5> Colors{"mono", "fg", "full", "ansi16", "ansi256"};
inline constexpr std::array<std::string_view, 2> Reverses{"no", "auto"};
inline constexpr std::array<std::string_view, 3> Dithers{"none", "bayer", "blue"};
inline constexpr std::array<std::string_view, 5> Effects{"none", "rain", "tube", "glitch", "ripple"};
inline constexpr std::array<std::string_view, 2> YesNo{"yes", "no"};
inline constexpr std::array<std::string_view, 3> Vsyncs{"fifo", "mailbox", "immediate"};
inline constexpr std::array<std::string_view, 2> Audios{"auto", "no"};
inline constexpr std::array<std::string_view, 2> AutoNo{"auto", "no"};

/// Sets `*Field` to the enumerator whose name is `value`.
template <auto Field, const auto& Names>
bool choose(Settings& settings, std::string_view value) {
  const auto found = std::find(Names.begin(), Names.end(), value);
  if (found == Names.end()) return false;
  using Choice = std::remove_reference_t<decltype(settings.*Field)>;
  settings.*Field = static_cast<Choice>(found - Names.begin());
  return true;
}

/// Sets `*Field` to `parsed` if it holds a value.
template <auto Field, typename T>
bool assign(Settings& settings, std::optional<T> parsed) {
  if (!parsed) return false;
  settings.*Field = *std::move(parsed);
  return true;
}

template <auto Field>
bool set_text(Settings& settings, std::string_view value) {
  settings.*Field = value;
  return !value.empty();
}

template <auto Field>
bool set_flag(Settings& settings, std::string_view) {
  settings.*Field = true;
  return true;
}

template <auto Field>
bool set_time(Settings& settings, std::string_view value) {
  return assign<Field>(settings, parse_time(value));
}

template <auto Field>
bool set_color(Settings& settings, std::string_view value) {
  return assign<Field>(settings, parse_color(value));
}

template <auto Field, int Least, int Most>
bool set_integer(Settings& settings, std::string_view value) {
  return assign<Field>(settings, parse_integer(value, Least, Most));
}

/// The range is mpv's; 0 leaves the picture unchanged.
template <auto Field>
bool set_adjustment(Settings& settings, std::string_view value) {
  return assign<Field>(settings, parse_signed_integer(value, -100, 100));
}

template <auto Field>
bool set_share(Settings& settings, std::string_view value) {
  return assign<Field>(settings, parse_number(value, 0, 1));
}

struct Range {
  double least = 0, most = 0;
};
inline constexpr Range Speeds{0.25, 4};
inline constexpr Range Volumes{0, 130};
inline constexpr Range Delays{-100, 100};

template <auto Field, const Range& Limits>
bool set_number(Settings& settings, std::string_view value) {
  const bool negative = value.starts_with('-');
  if (negative || value.starts_with('+')) value.remove_prefix(1);
  const auto number = parse_number(value, 0, std::max(-Limits.least, Limits.most));
  if (!number) return false;
  settings.*Field = negative ? -*number : *number;
  return settings.*Field >= Limits.least && settings.*Field <= Limits.most;
}

template <auto Field>
bool set_yes_no(Settings& settings, std::string_view value) {
  settings.*Field = value == "yes";
  return std::find(YesNo.begin(), YesNo.end(), value) != YesNo.end();
}

template <log::Verbosity Level>
bool set_verbosity(Settings& settings, std::string_view) {
  settings.verbosity = Level;
  return true;
}

inline bool set_grid(Settings& settings, std::string_view value) {
  settings.grid.reset();
  if (value == "auto") return true;
  const auto size = parse_extent(value, 1, 4096);
  if (size) settings.grid = GridSize{size->width, size->height};
  return size.has_value();
}

inline bool set_cell(Settings& settings, std::string_view value) {
  const auto size = parse_extent(value, 1, 255);
  if (size) settings.cell = CellSize{size->width, size->height};
  return size.has_value();
}

inline bool set_charset(Settings& settings, std::string_view value) {
  settings.charset = value;
  return !value.empty() && value != "@" && count_code_points(value).has_value();
}

inline bool set_ramp(Settings& settings, std::string_view value) {
  settings.ramp = value;
  const auto length = count_code_points(value);
  return length && *length >= 2 && *length <= 256;
}

inline bool set_size(Settings& settings, std::string_view value) {
  return assign<&Settings::size>(settings, parse_extent(value, 1, 16384));
}

inline bool set_thresholds(Settings& settings, std::string_view value) {
  return assign<&Settings::thresholds>(settings, parse_thresholds(value));
}

inline bool set_bitrate(Settings& settings, std::string_view value) {
  return assign<&Settings::bits_per_second>(settings, parse_bitrate(value));
}

inline bool set_deinterlace(Settings& settings, std::string_view value) {
  settings.deinterlace = value != "no";
  return std::find(AutoNo.begin(), AutoNo.end(), value) != AutoNo.end();
}

inline bool set_audio(Settings& settings, std::string_view value) {
  settings.audio = value != "no";
  return std::find(Audios.begin(), Audios.end(), value) != Audios.end();
}

inline bool set_subtitle_track(Settings& settings, std::string_view value) {
  if (value == "no") {
    settings.subtitle_track = Settings::NoSubtitles;
    return true;
  }
  return set_integer<&Settings::subtitle_track, 1, 999>(settings, value);
}

inline bool set_geometry(Settings& settings, std::string_view value) {
  settings.geometry = value;
  return is_geometry(value);
}

}  // namespace glyphreel::cli
