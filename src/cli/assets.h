#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::cli {

/// Returns the path of a file that ships with the program, such as "demo.mp4". Searches share/glyphreel next
/// to the program's bin folder, the assets folder of a source tree that contains the program in
/// build/PRESET/src, the installed data folder, and the assets folder of the source tree that CMake
/// configured. Errors: Failed if the file is in none of these folders.
[[nodiscard]] Result<std::string> find_asset(std::string_view name);

}  // namespace glyphreel::cli
