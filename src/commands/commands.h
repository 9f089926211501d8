#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// Each function runs one verb to its end and returns the exit code: 0; 1 if a comparison found differences
/// or a slower build; 4 if an input could not be opened and was skipped; 130 if the user interrupted the
/// verb.
[[nodiscard]] Result<int> run_play(const cli::Settings& settings);
[[nodiscard]] Result<int> run_record(const cli::Settings& settings);
/// The exit code is also 1 if an item failed.
[[nodiscard]] Result<int> run_batch(const cli::Settings& settings);
[[nodiscard]] Result<int> run_compare(const cli::Settings& settings);
[[nodiscard]] Result<int> run_bench(const cli::Settings& settings);
[[nodiscard]] Result<int> run_info(const cli::Settings& settings);

}  // namespace glyphreel::commands
