#pragma once

#include <string>

#include "cli/options/settings.h"

namespace glyphreel::batch {

/// Returns a text that lists the settings that affect the bytes of an output, one "name=value" per line. If
/// two Settings have the same text, they produce the same output from the same input. The text does not
/// depend on how the user wrote a value. It leaves out the device, the number of threads, and options that
/// only change what is printed.
[[nodiscard]] std::string canonical_settings(const cli::Settings& settings);

}  // namespace glyphreel::batch
