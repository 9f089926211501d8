#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// The exit code of an unfinished task that may succeed later or on a different machine.
inline constexpr int ExitTryAgain = 75;

/// Runs `batch --task FILE` on a machine of a cluster: converts the units that the file lists and that have
/// no result yet, one at a time, and writes a result for each unit. If two processes run the same task at the
/// same time, each unit is converted by one of them. Returns the exit code: 0 if no unit is left;
/// ExitTryAgain if the task's time is up, if a signal stops the task, or if the program, FFmpeg, the font or
/// the encoder on this machine differs from the plan's; 1 if one of these differs and Slurm has already
/// restarted the task SlurmJob::MaxRestarts times. Errors: Failed if the files of the run cannot be read or
/// written, or if the disk is full.
[[nodiscard]] Result<int> run_cluster_task(const cli::Settings& settings);

}  // namespace glyphreel::commands
