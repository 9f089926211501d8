#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/settings.h"

namespace glyphreel::cli {

/// A line of the player's help page and of the manual page's key list.
struct HelpEntry {
  std::string keys;   ///< as shown to the user: "space, p"
  std::string does;   ///< the effect of the keys: "pause or resume"
  std::string group;  ///< the heading above the line; groups are in the order of their first entries
};

/// What the manual page says about controlling the player.
struct PlayerHelp {
  std::span<const HelpEntry> keys;        ///< the entries of a group are adjacent
  std::span<const HelpEntry> commands;    ///< for input.conf and --input-ipc-server
  std::span<const HelpEntry> properties;  ///< what commands can change
};

/// Returns the --help text of one verb: at most 96 columns wide, options in groups.
[[nodiscard]] std::string help_page(Verb verb);
/// Returns the manual page glyphreel(1) as roff source that uses the man macros.
[[nodiscard]] std::string manual_page(const PlayerHelp& player);
/// Names that an option accepts besides other values, such as the charsets of --charset. The completions
/// offer them.
struct OptionNames {
  std::string_view option;
  std::vector<std::string> names;
};
[[nodiscard]] std::string bash_completion(std::span<const OptionNames> names = {});
[[nodiscard]] std::string zsh_completion(std::span<const OptionNames> names = {});
[[nodiscard]] std::string fish_completion(std::span<const OptionNames> names = {});

/// Returns the page for `--generate NAME`, which packagers use. `name` is "man", "bash-completion",
/// "zsh-completion" or "fish-completion". Empty for any other name.
[[nodiscard]] std::optional<std::string> generated_page(std::string_view name, const PlayerHelp& player,
                                                        std::span<const OptionNames> names = {});

}  // namespace glyphreel::cli
