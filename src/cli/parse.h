#pragma once

#include <string>
#include <variant>

#include "base/result.h"
#include "cli/settings.h"

namespace glyphreel::cli {

/// Text to print on stdout before leaving with exit code 0: --help, --version, a manual page, a completion
/// script.
struct PrintAndExit {
  std::string text;
};

/// Turns the command line into Settings. `glyphreel FILE` means `glyphreel play FILE`.
/// Errors: Usage with one sentence that names the option.
[[nodiscard]] Result<std::variant<Settings, PrintAndExit>> parse(int argc, const char* const* argv);

}  // namespace glyphreel::cli
