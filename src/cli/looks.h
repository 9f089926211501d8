#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/options.h"

namespace glyphreel::cli {

/// A named set of options.
struct Look {
  std::string_view name;
  std::string_view help;  ///< what it looks like, without the final period
  std::span<const std::pair<std::string_view, std::string_view>> options;  ///< names and values
};

/// Returns all looks; the first, "none", has no options.
[[nodiscard]] std::span<const Look> looks();
/// Returns the options of a look of this name, which must exist.
[[nodiscard]] std::vector<OptionValue> look_values(std::string_view name);

/// Returns the settings with another look: the settings without a look, but with the options of this look
/// that the command line does not override. The cell size is kept, unless it is that of the previous look, or
/// this look has its own.
[[nodiscard]] Settings with_look(const Settings& settings, std::string_view name);

}  // namespace glyphreel::cli
