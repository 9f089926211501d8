#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::batch {

/// An input, before directories, globs and playlists are expanded.
struct InputEntry {
  std::string input;
  std::string output;                               ///< path below the output directory; empty: by --name
  std::vector<cli::Settings::GivenOption> options;  ///< override those of the command line
  bool operator==(const InputEntry&) const = default;
};

/// What the names in a list end with.
enum class NameEnd { Line, Nul };

/// Parses a list of names. Skips empty names, and the CR of a CRLF.
[[nodiscard]] std::vector<InputEntry> parse_name_list(std::string_view text, NameEnd end);

/// Whether a list of this name is a manifest: it ends in .toml, .jsonl or .ndjson.
[[nodiscard]] bool is_manifest_name(std::string_view path);

/// Parses a manifest: TOML with a table [[item]] per item, or JSON Lines with an object per line. `input` and
/// `output` are paths, all other keys options by their command-line names. `path`: the manifest's own path; a
/// relative `input` begins at its folder. Errors: Usage with the line.
[[nodiscard]] Result<std::vector<InputEntry>> parse_manifest(std::string_view text, const std::string& path);

}  // namespace glyphreel::batch
