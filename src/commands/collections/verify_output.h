#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace glyphreel::commands {

/// Opens a finished output and checks that it is not empty, decodes without errors and has `frames` frames.
/// Of formats that FFmpeg cannot read, such as .svg, checks only the size; of .txt, counts the form feeds.
/// Errors: Failed with what is wrong.
[[nodiscard]] Result<void> verify_output(const std::string& path, std::int64_t frames);

}  // namespace glyphreel::commands
