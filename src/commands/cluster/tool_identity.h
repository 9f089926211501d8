#pragma once

#include <string>

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// Returns the versions of the libraries that write outputs, as text.
[[nodiscard]] std::string library_versions();

/// Returns a checksum of a short test clip that is encoded with these settings; an empty string if the output
/// is not a video. A different version or build of the encoder gives a different checksum. `scratch`: path of
/// a temporary file, which this function writes and removes. Errors: those of opening the encoder.
[[nodiscard]] Result<std::string> encoder_fingerprint(const cli::Settings& settings,
                                                      const std::string& scratch);

}  // namespace glyphreel::commands
