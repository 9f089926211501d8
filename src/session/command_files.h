#pragma once

#include "base/io/atomic_file.h"
#include "base/io/input_files.h"
#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::session {

/// Returns the local files that a command reads: inputs, files in playlists and in FFmpeg URLs
/// ("concat:a.ts|b.ts", "lavfi:movie=a.mp4"), the files of a directory, and the files of subtitles, the
/// palette, the charset, the font and the configuration.
[[nodiscard]] InputFiles input_files(const cli::Settings& settings);

/// Returns the options for writing the --stats file, which replaces any existing file.
[[nodiscard]] AtomicFile::Options statistics_file(const cli::Settings& settings);

/// Checks the names of all outputs before anything is written. Errors: Usage if two outputs are the same
/// file, or if an output is an input; for --stats, also the errors of AtomicFile::check(). Does not check
/// whether --output is a directory: opening the output reports that error.
[[nodiscard]] Result<void> check_outputs(const cli::Settings& settings);

}  // namespace glyphreel::session
