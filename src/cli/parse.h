#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "cli/options/settings.h"
#include "cli/pages.h"

namespace glyphreel::cli {

/// Text to print on stdout before exiting with code 0: --help, --version, a manual page, a completion
/// script.
struct EarlyExit {
  std::string text;
};

/// What parse() needs besides the command line.
struct ParseContext {
  std::string config_file;  ///< read if it exists, unless --config or --no-config is given; empty: none
  PlayerHelp player;        ///< for the manual page
  std::span<const OptionNames> names;  ///< for the completions
};

/// Parses the command line into Settings. `glyphreel FILE` means `glyphreel play FILE`. The command line
/// overrides the profile, the profile overrides the rest of the configuration file, and the file overrides
/// the defaults. Errors: Usage with one sentence that names the option and, if the option is in a
/// configuration file, its line.
[[nodiscard]] Result<std::variant<Settings, EarlyExit>> parse(int argc, const char* const* argv,
                                                              const ParseContext& context = {});

/// Whether the command line (or a manifest's item) gives an option. False if only a look or a configuration
/// file sets it.
[[nodiscard]] bool is_explicit(const Settings& settings, std::string_view name);

/// Returns a copy of `base` in which the options in `above` override the options of `base`. For example,
/// `above` contains the options of a manifest's item. A flag's value is empty, "yes" or "no". Errors: Usage
/// if the verb does not have an option, if an option does not accept its value, or if the options cannot be
/// combined.
[[nodiscard]] Result<Settings> with_options(const Settings& base, std::span<const GivenOption> above);

}  // namespace glyphreel::cli
