#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace glyphreel::cli {

/// An option with a value, from the command line or from a configuration file.
struct OptionValue {
  const OptionSpec* option = nullptr;
  std::string value;  ///< empty for a flag
  bool on = true;     ///< a flag that is false: as if it had not been given
};

/// What a config.toml says. Every value is one that its option takes.
struct Config {
  struct Profile {
    std::string name;
    std::vector<OptionValue> values;
  };
  std::string name;  ///< of the file, for messages
  std::vector<OptionValue> values;
  std::vector<Profile> profiles;
};

/// Reads a config.toml: options by their names ("volume = 80", "fs = true"), and profiles, each a table of
/// options
/// ("[profiles.small]" or "[small]"). `name` is the file as messages call it.
/// Errors: Usage with the line: no TOML, a name that no option has, a value that its option does not take.
[[nodiscard]] Result<Config> parse_config(std::string_view text, const std::string& name);

/// Errors: Usage, see parse_config(); the file cannot be read.
[[nodiscard]] Result<Config> read_config(const std::string& path);

/// The options of the file with those of the profiles over them; `names` has commas between.
/// Errors: Usage: no such profile.
[[nodiscard]] Result<std::vector<OptionValue>> with_profiles(const Config& config, std::string_view names);

/// Puts `upper` over `lower`: each takes the place of the one of its name, and of those that cannot stand
/// beside it
/// (--verbose of --quiet, --mode shape of --ramp).
void put_over(std::vector<OptionValue>& lower, const std::vector<OptionValue>& upper);

}  // namespace glyphreel::cli
