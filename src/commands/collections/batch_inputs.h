#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/manifest.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// One file or URL to convert.
struct BatchInput {
  batch::InputEntry entry;  ///< its `input` is a single file or URL
  std::string folder;       ///< folder, given by the user, that contains the input; empty: none
};

struct BatchInputs {
  std::vector<BatchInput> inputs;
  std::vector<Error> problems;  ///< inputs that could not be expanded
};

/// Returns the files and URLs that the inputs and --files-from name, without duplicates. Expands directories
/// with their subdirectories, globs and playlists. Skips the output directory if it is below an input
/// directory. Blocks while it reads. Errors: Usage for a malformed manifest, or if several inputs would
/// become one output; BadInput if --files-from cannot be read.
[[nodiscard]] Result<BatchInputs> gather_inputs(const cli::Settings& settings);

/// Returns the absolute path without symbolic links. The last parts of the path need not exist.
[[nodiscard]] std::filesystem::path canonical_path(const std::string& path);

}  // namespace glyphreel::commands
