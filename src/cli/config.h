#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options/options.h"

namespace glyphreel::cli {

/// The content of a config.toml. Every value is valid for its option.
struct Config {
  struct Profile {
    std::string name;
    std::vector<OptionValue> values;
  };
  std::string name;  ///< file name for messages
  std::vector<OptionValue> values;
  std::vector<Profile> profiles;
};

/// Reads a config.toml: options by name ("volume = 80", "fs = true"), and profiles, each a table of options
/// ("[profiles.small]" or "[small]"). `name` is the file's name in messages.
/// Errors: Usage, with the line number, for invalid TOML, an unknown option or an invalid value.
[[nodiscard]] Result<Config> parse_config(std::string_view text, const std::string& name);

/// Reads a configuration file. Errors: those of parse_config(); Usage if the file cannot be read.
[[nodiscard]] Result<Config> read_config(const std::string& path);

/// Returns the file's options, overridden by the options of the profiles in `names`, a comma-separated list.
/// Errors: Usage if a profile does not exist.
[[nodiscard]] Result<std::vector<OptionValue>> with_profiles(const Config& config, std::string_view names);

/// Merges `upper` into `lower`. Each option in `upper` replaces the option of the same name in `lower` and
/// removes from `lower` the options that it excludes. Exception: a flag that is turned off in `upper` only
/// removes the flag of the same name from `lower`.
void merge_over(std::vector<OptionValue>& lower, const std::vector<OptionValue>& upper);

}  // namespace glyphreel::cli
