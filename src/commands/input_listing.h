#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "media/listing.h"

namespace glyphreel::commands {

/// Returns the listing as `info --json INPUT` prints it: one field per property, null where it is unknown.
[[nodiscard]] nlohmann::json input_json(const media::InputListing& listing);

/// Returns the listing as `info INPUT` prints it, with control characters replaced.
[[nodiscard]] std::string input_text(const media::InputListing& listing);

}  // namespace glyphreel::commands
