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
  std::string_view help;  ///< description without the final period
  std::span<const std::pair<std::string_view, std::string_view>> options;  ///< names and values
};

/// Returns all looks; the first, "none", has no options.
[[nodiscard]] std::span<const Look> looks();
/// Returns the options of the look `name`, which must exist.
[[nodiscard]] std::vector<OptionValue> look_values(std::string_view name);

/// Returns the settings after a switch to the look `name`: `settings.without_look`, plus those options of the
/// new look that the command line does not override. The cell size changes only if the previous look selected
/// it or the new look selects one.
[[nodiscard]] Settings with_look(const Settings& settings, std::string_view name);

}  // namespace glyphreel::cli
