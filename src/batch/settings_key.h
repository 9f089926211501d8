#pragma once

#include <string>

#include "cli/options/settings.h"

namespace glyphreel::batch {

/// Returns the settings that affect an output's bytes, one "name=value" per line. Settings with equal texts
/// give equal outputs for the same input. Two ways to write the same value give the same text. Leaves out the
/// device, the number of threads, and options that only change what is printed.
[[nodiscard]] std::string canonical_settings(const cli::Settings& settings);

}  // namespace glyphreel::batch
