#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/settings.h"

namespace glyphreel::cli {

/// The --help text of one verb, at most 96 columns wide, its options in groups.
[[nodiscard]] std::string help_page(Verb verb);
/// The manual page in roff (man macros), section 1.
[[nodiscard]] std::string manual_page();
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

/// The page that packagers ask for with `--generate NAME`: man, bash-completion, zsh-completion,
/// fish-completion.
[[nodiscard]] std::optional<std::string> generated_page(std::string_view name);

}  // namespace glyphreel::cli
