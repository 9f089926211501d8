#pragma once

#include "base/atomic_file.h"
#include "base/input_files.h"
#include "base/result.h"
#include "cli/settings.h"

namespace glyphreel::player {

/// The local files that a command reads, as far as its settings name them: inputs, also as parts of FFmpeg's
/// addresses
/// ("concat:a.ts|b.ts", "lavfi:movie=a.mp4"), the files of a directory, subtitles, palette, characters,
/// configuration.
[[nodiscard]] InputFiles input_files(const cli::Settings& settings);

/// How --output is written.
[[nodiscard]] AtomicFile::Options output_file(const cli::Settings& settings);

/// How --stats is written: an earlier file of the name is replaced.
[[nodiscard]] AtomicFile::Options statistics_file(const cli::Settings& settings);

/// Looks at the names of all outputs before anything is written. Errors: Usage where two of them are one
/// file, or one is an input or a directory; Failed where the folder of --stats takes no file.
[[nodiscard]] Result<void> check_outputs(const cli::Settings& settings);

}  // namespace glyphreel::player
