#pragma once

#include <string>

#include "cli/options/settings.h"

namespace glyphreel::batch {

/// Returns the settings that affect an output's bytes as text, one "name=value" per line. If this text is the
/// same for two Settings, both give the same output for the same input. The text does not depend on how the
/// user wrote a value. It leaves out the device, the number of threads, and options that only change what is
/// printed.
[[nodiscard]] std::string canonical_settings(const cli::Settings& settings);

}  // namespace glyphreel::batch
