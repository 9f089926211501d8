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
  std::string output;                     ///< path below the output directory; empty: use --name
  std::vector<cli::GivenOption> options;  ///< override the options of the command line
  bool operator==(const InputEntry&) const = default;
};

/// The character that ends each name in a list.
enum class NameEnd { Line, Nul };

/// Parses a list of names. Skips empty names, and the CR of a CRLF.
[[nodiscard]] std::vector<InputEntry> parse_name_list(std::string_view text, NameEnd end);

/// Whether a list with this file name is a manifest: the name ends in .toml, .jsonl or .ndjson.
[[nodiscard]] bool is_manifest_name(std::string_view path);

/// Parses a manifest: TOML with a table [[item]] per item, or JSON Lines with an object per item. The keys
/// `input` and `output` are paths; all other keys are options without the dashes. `path`: the manifest's
/// path. A relative `input` is relative to the manifest's folder. Errors: Usage if the manifest is invalid;
/// the message contains the line number.
[[nodiscard]] Result<std::vector<InputEntry>> parse_manifest(std::string_view text, const std::string& path);

}  // namespace glyphreel::batch
