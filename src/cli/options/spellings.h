#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/options/options.h"

namespace glyphreel::cli {

// Other spellings of options and values, from mpv and FFmpeg. They mean the same as the option that they
// name, on the command line and in config.toml.

/// Another name of an option: "--fullscreen" for --fs.
struct OptionSpelling {
  std::string_view name;               ///< without the dashes
  std::string_view option;             ///< the option's own name
  std::string_view value_prefix = {};  ///< precedes the value: "--chapter 3" means "--start #3"
};

/// Returns every spelling, in alphabetical order.
[[nodiscard]] std::span<const OptionSpelling> option_spellings();

/// The option that a name means.
struct NamedOption {
  const OptionSpec* option = nullptr;     ///< null: there is no such option
  std::string_view value_prefix = {};     ///< precedes the given value
  std::optional<std::string> value = {};  ///< the value that the name implies: "no" for --no-audio
};

/// Returns the option that `name` (without the dashes) means: the name of an option of this verb, another
/// spelling, the name of another verb's option, or "no-" and one of these for a flag or an option that takes
/// the value "no". "--to" is an option of `batch`, and FFmpeg's spelling of --end for the other verbs.
[[nodiscard]] NamedOption option_named(std::string_view name, Verb verb = Verb::Play);

/// Returns the option's own spelling of a value: "cuda" for --hwdec nvdec.
[[nodiscard]] std::string_view own_value(const OptionSpec& option, std::string_view value);

}  // namespace glyphreel::cli
