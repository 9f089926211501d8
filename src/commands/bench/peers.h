#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// Runs `bench --peers`: this program and other programs draw the same frames on the same grid. Each
/// repetition runs all programs, one after the other. Prints a table, or with --json an object. For a program
/// that is not installed, prints its Debian package. Returns the exit code. Errors: BadInput if the
/// input is not a local file; Failed if no temporary folder can be created; Interrupted.
[[nodiscard]] Result<int> run_peers(const cli::Settings& settings);

}  // namespace glyphreel::commands
