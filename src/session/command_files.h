#pragma once

#include "base/io/atomic_file.h"
#include "base/io/input_files.h"
#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::session {

/// Returns the local files that a command reads, as far as its settings name them: inputs, also inside
/// FFmpeg URLs ("concat:a.ts|b.ts", "lavfi:movie=a.mp4"), the files of a directory, subtitles, palette,
/// characters, configuration.
[[nodiscard]] InputFiles input_files(const cli::Settings& settings);

/// Returns how --stats is written: an existing file of that name is replaced.
[[nodiscard]] AtomicFile::Options statistics_file(const cli::Settings& settings);

/// Checks the names of all outputs before anything is written. Errors: Usage if two of them are the same
/// file, or one is an input; for --stats, also those of AtomicFile::check(). A directory as --output is
/// refused when it is opened.
[[nodiscard]] Result<void> check_outputs(const cli::Settings& settings);

}  // namespace glyphreel::session
