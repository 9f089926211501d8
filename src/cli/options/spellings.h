#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/options/options.h"

namespace glyphreel::cli {

// Names of options and values from mpv and FFmpeg that this program also accepts, on the command line and in
// config.toml.

/// An alternative name of an option: "--fullscreen" for --fs.
struct OptionSpelling {
  std::string_view name;               ///< without the dashes
  std::string_view option;             ///< this program's name of the option
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

/// Returns the option that `name` (without the dashes) means. Looks for an option of `verb`, then for an
/// OptionSpelling, then for an option of any other verb. "no-" before a name means the value "no" if the
/// option is a flag or takes that value. "--to" is an option of `batch`; for other verbs, it is FFmpeg's
/// spelling of --end.
[[nodiscard]] NamedOption option_named(std::string_view name, Verb verb = Verb::Play);

/// Returns this program's spelling of a value: "cuda" for --hwdec nvdec.
[[nodiscard]] std::string_view own_value(const OptionSpec& option, std::string_view value);

}  // namespace glyphreel::cli
