#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::cli {

/// Path of a file that comes with the program, such as "demo.mp4". Looked for in share/glyphreel beside the
/// program's bin folder, in assets/ above a build folder, in the folder it was installed to, and in the
/// source tree. Errors: Failed where it is in none of them.
[[nodiscard]] Result<std::string> find_asset(std::string_view name);

}  // namespace glyphreel::cli
