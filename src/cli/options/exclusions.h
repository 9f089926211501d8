#pragma once

#include <span>

#include "base/export_formats.h"
#include "base/result.h"
#include "cli/options/options.h"
#include "cli/options/settings.h"

namespace glyphreel::cli {

// Options that exclude each other. Options come in layers: the command line is above the profile, and the
// profile is above the rest of the configuration file. One table lists which option overrides which option of
// a lower layer, and which options cannot be combined in one layer.

/// Whether `upper` overrides `lower`, which is from a lower layer. For example, --verbose overrides --quiet,
/// and --mode shape overrides --ramp.
[[nodiscard]] bool excludes(const OptionValue& upper, const OptionValue& lower);

/// Checks that the options can be combined in one layer. Errors: Usage if two options exclude each other.
[[nodiscard]] Result<void> check_exclusions(std::span<const OptionValue> given);

/// Checks that each option on the command line works with the output's format. For example, --codec works
/// only with video files. Errors: Usage if an option does not work with the format.
[[nodiscard]] Result<void> check_format_options(std::span<const GivenOption> given,
                                                const ExportFormat& format);

}  // namespace glyphreel::cli
