#pragma once

#include <string>

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// Returns the versions of the libraries that write outputs, in words.
[[nodiscard]] std::string library_versions();

/// Returns a checksum of what the encoder of these settings writes for a short test clip, which another
/// version or build of the encoder would write differently. `settings`: of `record`. `scratch`: path of a
/// file that is written and removed. Empty if the output is no video. Errors: those of opening the encoder.
[[nodiscard]] Result<std::string> encoder_fingerprint(const cli::Settings& settings,
                                                      const std::string& scratch);

}  // namespace glyphreel::commands
