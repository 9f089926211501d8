#pragma once

#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "cli/pages.h"
#include "cli/settings.h"

namespace glyphreel::cli {

/// Text to print on stdout before leaving with exit code 0: --help, --version, a manual page, a completion
/// script.
struct PrintAndExit {
  std::string text;
};

/// What stands around the command line.
struct Surroundings {
  std::string config_file;        ///< read where it exists, without --config and --no-config; empty: none
  std::span<const KeyHelp> keys;  ///< for the manual page
};

/// Turns the command line into Settings. `glyphreel FILE` means `glyphreel play FILE`. The command line
/// stands over the profile, the profile over the rest of the configuration file, and that over the defaults.
/// Errors: Usage with one sentence that names the option, and of a configuration file the line.
[[nodiscard]] Result<std::variant<Settings, PrintAndExit>> parse(int argc, const char* const* argv,
                                                                 const Surroundings& surroundings = {});

}  // namespace glyphreel::cli
