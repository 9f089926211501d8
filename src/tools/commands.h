#pragma once

#include "base/result.h"
#include "cli/settings.h"

namespace glyphreel::tools {

/// Each runs one verb to its end and returns the exit code for what is no error (0, or 1 for a comparison
/// that found differences, or 130 for an interrupted recording).
[[nodiscard]] Result<int> run_play(const cli::Settings& settings);
[[nodiscard]] Result<int> run_record(const cli::Settings& settings);
[[nodiscard]] Result<int> run_compare(const cli::Settings& settings);
[[nodiscard]] Result<int> run_info(const cli::Settings& settings);

}  // namespace glyphreel::tools
