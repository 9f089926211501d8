#pragma once

#include <string>

#include "cli/options/settings.h"

namespace glyphreel::batch {

/// Returns the settings that change an output's bytes in a canonical form, one "name=value" per line: equal
/// texts mean equal outputs of the same input. Leaves out the device, the number of threads, and what is
/// printed. Two ways to write the same value give the same text.
[[nodiscard]] std::string canonical_settings(const cli::Settings& settings);

}  // namespace glyphreel::batch
