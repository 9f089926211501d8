#pragma once

namespace glyphreel::cli {

/// Returns the program's version, for example "0.1.0".
[[nodiscard]] const char* version();

}  // namespace glyphreel::cli
