#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace glyphreel::commands {

/// Checks that a finished output is not empty, decodes without errors and has `frames` frames. For formats
/// that cannot be decoded, such as .svg, checks only that the output is not empty; for .txt, counts form
/// feeds. Errors: Failed; the error states what is wrong.
[[nodiscard]] Result<void> verify_output(const std::string& path, std::int64_t frames);

}  // namespace glyphreel::commands
