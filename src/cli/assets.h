#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::cli {

/// Returns the path of a file that ships with the program, such as "demo.mp4". Searches these folders in
/// order:
/// - PREFIX/share/glyphreel, if the program is in PREFIX/bin
/// - TREE/assets, if the program is in TREE/build/PRESET/src
/// - the data folder of the installation
/// - the `assets` folder of the source tree that the program was built from
///
/// Errors: Failed if the file is in none of these folders.
[[nodiscard]] Result<std::string> find_asset(std::string_view name);

}  // namespace glyphreel::cli
