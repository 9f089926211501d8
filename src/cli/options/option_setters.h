#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/export_formats.h"
#include "cli/options/options.h"
#include "cli/options/values.h"

namespace glyphreel::cli {

// Parts of the option table (options.h): setters, the names of choices, and functions that return table
// entries. A setter parses a value into Settings, and returns false if the option does not accept the value.

// The values of options that accept only certain names. If the option sets an enumeration, the names are in
// the order of the enumerators. base/mode.h has the names for Mode.
inline constexpr std::array<std::string_view, 3> Renderers{"auto", "gpu", "cpu"};
inline constexpr std::array<std::string_view, 3> Fits{"contain", "cover", "stretch"};
inline constexpr std::array<std::string_view, 2> Samples{"area", "corner"};
inline constexpr std::array<std::string_view, 3> Lumas{"auto", "601", "709"};
inline constexpr std::array<std::string_view, 5> Colors{"mono", "fg", "full", "ansi16", "ansi256"};
inline constexpr std::array<std::string_view, 2> Reverses{"no", "auto"};
inline constexpr std::array<std::string_view, 3> Dithers{"none", "bayer", "blue"};
inline constexpr std::array<std::string_view, 5> Effects{"none", "rain", "tube", "glitch", "ripple"};
inline constexpr std::array<std::string_view, 10> ToneMappings{
    "auto", "clip", "linear", "gamma", "reinhard", "mobius", "hable", "bt.2390", "bt.2446a", "spline"};
inline constexpr std::array<std::string_view, 11> LookNames{"none",       "matrix", "amber",   "blueprint",
                                                            "newsprint",  "c64",    "gameboy", "neon",
                                                            "typewriter", "night",  "tube"};
inline constexpr std::array<std::string_view, 2> YesNo{"yes", "no"};
inline constexpr std::array<std::string_view, 4> Vsyncs{"auto", "fifo", "mailbox", "immediate"};
inline constexpr std::array<std::string_view, 4> GraphicsChoices{"no", "auto", "kitty", "sixel"};
inline constexpr std::array<std::string_view, 2> AutoNo{"auto", "no"};
inline constexpr std::array<std::string_view, 3> KeepOpens{"no", "yes", "always"};

/// Returns the member of `settings`, or of one of its groups, that `field` points to.
template <typename Group, typename Value>
Value& field_of(Settings& settings, Value Group::*field) {
  if constexpr (std::is_same_v<Group, Settings>) {
    return settings.*field;
  } else {
    const auto groups =
        std::tie(settings.engine, settings.layout, settings.glyphs, settings.picture, settings.playback,
                 settings.audio, settings.subtitles, settings.window, settings.recording, settings.batch,
                 settings.cluster, settings.bench, settings.report, settings.config);
    return std::get<Group&>(groups).*field;
  }
}

/// Sets `*Field` to the enumerator named `value`.
template <auto Field, const auto& Names>
bool choose(Settings& settings, std::string_view value) {
  const auto found = std::ranges::find(Names, value);
  if (found == Names.end()) return false;
  auto& field = field_of(settings, Field);
  field = static_cast<std::remove_reference_t<decltype(field)>>(found - Names.begin());
  return true;
}

/// Sets `*Field` to the result of `Parse(value, Limits...)`.
template <auto Field, auto Parse, auto... Limits>
bool parsed(Settings& settings, std::string_view value) {
  auto result = Parse(value, Limits...);
  if (!result) return false;
  field_of(settings, Field) = *std::move(result);
  return true;
}

template <auto Field>
bool set_text(Settings& settings, std::string_view value) {
  field_of(settings, Field) = value;
  return !value.empty();
}

/// `Names` are "no" and one other name. Sets `*Field` to false for "no", and to true for the other name.
template <auto Field, const auto& Names>
bool set_on(Settings& settings, std::string_view value) {
  field_of(settings, Field) = value != "no";
  return std::ranges::find(Names, value) != Names.end();
}

inline std::optional<double> parse_speed(std::string_view value) {
  return parse_signed_number(value, 0.25, 4);
}

inline bool set_grid(Settings& settings, std::string_view value) {
  settings.layout.grid.reset();
  if (value == "auto") return true;
  const auto size = parse_extent(value, 1, 4096);
  if (size) settings.layout.grid = GridSize{size->width, size->height};
  return size.has_value();
}

inline bool set_cell(Settings& settings, std::string_view value) {
  const auto size = parse_extent(value, 1, 255);
  if (size) settings.layout.cell = CellSize{size->width, size->height};
  return size.has_value();
}

inline bool set_charset(Settings& settings, std::string_view value) {
  settings.glyphs.charset = value;
  return !value.empty() && value != "@" && count_code_points(value).has_value();
}

inline bool set_ramp(Settings& settings, std::string_view value) {
  settings.glyphs.ramp = value;
  const auto length = count_code_points(value);
  return length && *length >= 2 && *length <= 256;
}

inline bool set_subtitle_track(Settings& settings, std::string_view value) {
  if (value == "auto") {
    settings.subtitles.track = 0;
    return true;
  }
  if (value != "no") return parsed<&SubtitleSettings::track, parse_integer, 1, 999>(settings, value);
  settings.subtitles.track = SubtitleSettings::NoTrack;
  return true;
}

inline bool set_audio_track(Settings& settings, std::string_view value) {
  if (value == "no") {
    settings.audio.enabled = false;
    return true;
  }
  if (value != "auto") return parsed<&AudioSettings::track, parse_integer, 1, 999>(settings, value);
  settings.audio.track = 0;
  return true;
}

inline bool set_repeats(Settings& settings, std::string_view value) {
  if (value == "inf") {
    settings.playback.repeats = PlaybackSettings::RepeatForever;
    return true;
  }
  if (value != "no") return parsed<&PlaybackSettings::repeats, parse_integer, 1, 9999>(settings, value);
  settings.playback.repeats = 0;
  return true;
}

inline bool set_aspect(Settings& settings, std::string_view value) {
  settings.layout.aspect.reset();
  return value == "no" || parsed<&LayoutSettings::aspect, parse_aspect>(settings, value);
}

/// Also accepts mpv's device names, which begin with the name of the sound system: "pulse/NAME".
inline bool set_audio_device(Settings& settings, std::string_view value) {
  if (value.empty()) return false;
  for (const std::string_view system : {"pulse/", "pipewire/"}) {
    if (value.starts_with(system)) value.remove_prefix(system.size());
  }
  settings.audio.device = value == "auto" ? "" : value;
  return true;
}

inline bool set_format(Settings& settings, std::string_view value) {
  settings.recording.format = value;
  return !value.empty() && export_format_of({}, value);
}

inline bool set_segment(Settings& settings, std::string_view value) {
  settings.recording.segment_seconds = 0;
  return value == "auto" ||
         parsed<&RecordingSettings::segment_seconds, parse_number, 1, 86400>(settings, value);
}

inline bool set_batch_format(Settings& settings, std::string_view value) {
  settings.batch.to_format = value;
  return !value.empty() && export_format_of({}, value);
}

inline bool set_jobs(Settings& settings, std::string_view value) {
  settings.batch.jobs = 0;
  return value == "auto" || parsed<&BatchSettings::jobs, parse_integer, 1, 10000>(settings, value);
}

inline bool set_batch(Settings& settings, std::string_view value) {
  settings.batch.pictures = 0;
  return value == "auto" || parsed<&BatchSettings::pictures, parse_integer, 1, 32>(settings, value);
}

/// Accepts a value of printable ASCII characters other than spaces, quotes and backslashes. Such a value can
/// be written to a script.
template <auto Field>
bool set_word(Settings& settings, std::string_view value) {
  field_of(settings, Field) = value;
  return !value.empty() && std::ranges::all_of(value, [](char character) {
    return character > ' ' && character <= '~' && character != '"' && character != '\'' && character != '\\';
  });
}

inline bool set_cluster(Settings& settings, std::string_view value) {
  constexpr std::string_view Ssh = "ssh:";
  return set_word<&ClusterSettings::where>(settings, value) &&
         (value == "slurm" || (value.starts_with(Ssh) && value.size() > Ssh.size()));
}

/// Accepts Slurm's forms of a time, such as 90, 1:30:00 or 2-12.
inline bool set_time_limit(Settings& settings, std::string_view value) {
  settings.cluster.time_limit = value;
  return !value.empty() && value.find_first_not_of("0123456789:-") == value.npos && value.front() >= '0' &&
         value.front() <= '9' && value.back() >= '0' && value.back() <= '9';
}

/// Accepts any text. batch::ItemFilter::parse() checks it later, because `cli` cannot use `batch`.
inline bool set_list(Settings& settings, std::string_view value) {
  settings.batch.list = value == "all" ? "" : value;
  return true;
}

/// Accepts formats that a screenshot can have.
inline bool set_screenshot_formats(Settings& settings, std::string_view value) {
  settings.window.screenshot_formats = parse_words(value).value_or(std::vector<std::string>());
  return !settings.window.screenshot_formats.empty() &&
         std::ranges::all_of(settings.window.screenshot_formats, [](const std::string& name) {
           const auto format = export_format_of({}, name);
           return format && format->is_for_screenshots();
         });
}

inline bool set_geometry(Settings& settings, std::string_view value) {
  settings.window.geometry = value;
  return is_geometry(value);
}

/// Returns a flag, which is an option that takes no value. The flag sets `*Field` to `Value`.
template <auto Field, auto Value = true>
constexpr OptionSpec flag(VerbSet verbs, std::string_view name, std::string_view help, char alias = '\0') {
  constexpr auto Apply = [](Settings& settings, std::string_view) {
    field_of(settings, Field) = Value;
    return true;
  };
  return {.verbs = verbs, .name = name, .alias = alias, .help = help, .apply = Apply};
}

/// Returns an option whose values are `Names`, the names of the enumerators of `*Field`.
template <auto Field, const auto& Names>
constexpr OptionSpec choice(VerbSet verbs, std::string_view name, std::string_view default_text,
                            std::string_view help) {
  return {.verbs = verbs,
          .name = name,
          .choices = Names,
          .default_text = default_text,
          .help = help,
          .apply = choose<Field, Names>};
}

}  // namespace glyphreel::cli
