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

/// Returns the option that `name` (without the dashes) means: its own name, another spelling, or "no-" and
/// the name of a flag or of an option that takes the value "no".
[[nodiscard]] NamedOption option_named(std::string_view name);

/// Returns the option's own spelling of a value: "cuda" for --hwdec nvdec.
[[nodiscard]] std::string_view own_value(const OptionSpec& option, std::string_view value);

}  // namespace glyphreel::cli
