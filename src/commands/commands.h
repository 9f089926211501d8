#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// Each runs one verb to its end and returns the exit code of a run without errors (0, 1 for a comparison
/// that found differences, 130 for an interrupted recording).
[[nodiscard]] Result<int> run_play(const cli::Settings& settings);
[[nodiscard]] Result<int> run_record(const cli::Settings& settings);
[[nodiscard]] Result<int> run_compare(const cli::Settings& settings);
[[nodiscard]] Result<int> run_info(const cli::Settings& settings);

}  // namespace glyphreel::commands
