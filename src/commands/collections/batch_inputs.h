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
  std::string folder;       ///< the folder that was given and that contains the input; empty: none
};

struct BatchInputs {
  std::vector<BatchInput> inputs;
  std::vector<Error> problems;  ///< inputs that could not be expanded
};

/// Returns what the inputs and --files-from name, each file once: directories with their subdirectories,
/// globs and playlists are expanded. Leaves out the output directory if it is below an input directory.
/// Blocks while it reads. Errors: Usage for a malformed manifest; BadInput if --files-from cannot be read.
[[nodiscard]] Result<BatchInputs> gather_inputs(const cli::Settings& settings);

/// Returns the absolute path without links. The last parts need not exist.
[[nodiscard]] std::filesystem::path canonical_path(const std::string& path);

}  // namespace glyphreel::commands
