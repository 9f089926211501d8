#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// Runs `bench --peers`: this program and other programs draw the same frames on the same grid, each as often
/// as --repetitions says, in turns. Prints a table, or with --json an object. A program that is not installed
/// is listed with the package that it is in. Returns the exit code. Errors: BadInput if the input is no local
/// file; Interrupted.
[[nodiscard]] Result<int> run_peers(const cli::Settings& settings);

}  // namespace glyphreel::commands
