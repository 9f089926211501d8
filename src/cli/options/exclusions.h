#pragma once

#include <span>

#include "base/result.h"
#include "cli/options/options.h"

namespace glyphreel::cli {

// Options that exclude each other: one table says which of them win over a layer below (the command line over
// the profile over the rest of the configuration file), and which are errors side by side.

/// Whether `upper`, given in a layer above that of `lower`, makes `lower` void: --verbose above --quiet,
/// --mode shape above --ramp.
[[nodiscard]] bool excludes(const OptionValue& upper, const OptionValue& lower);

/// Errors: Usage if two of the options exclude each other.
[[nodiscard]] Result<void> check_exclusions(std::span<const OptionValue> given);

}  // namespace glyphreel::cli
