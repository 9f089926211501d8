#pragma once

#include <span>
#include <string_view>

#include "cli/options/options.h"

namespace glyphreel::cli {

// Functions that return parts of the list that option_groups() returns, and constants for the options in it.

/// Returns the options for the engine, the grid, glyphs and colors.
[[nodiscard]] std::span<const OptionGroup> picture_options();
/// Returns the options for time, audio, subtitles and the window.
[[nodiscard]] std::span<const OptionGroup> playing_options();
/// Returns the options for recording, comparing, log output and configuration files.
[[nodiscard]] std::span<const OptionGroup> output_options();

// Sets of verbs, for OptionSpec::verbs.
inline constexpr VerbSet Play = verb_bit(Verb::Play);
inline constexpr VerbSet Record = verb_bit(Verb::Record);
inline constexpr VerbSet Batch = verb_bit(Verb::Batch);
inline constexpr VerbSet Compare = verb_bit(Verb::Compare);
inline constexpr VerbSet Bench = verb_bit(Verb::Bench);
inline constexpr VerbSet Info = verb_bit(Verb::Info);
inline constexpr VerbSet Recording = Record | Batch;
inline constexpr VerbSet Rendering = Play | Recording | Compare | Bench;
inline constexpr VerbSet All = Rendering | Info;  // `help` has no options

inline constexpr std::string_view ShareAccepts = "a number from 0 to 1, such as 0.5";

}  // namespace glyphreel::cli
