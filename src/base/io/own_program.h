#pragma once

#include <string>

namespace glyphreel {

/// Returns the path of the running program's file; empty if it is unknown.
[[nodiscard]] std::string own_program();

}  // namespace glyphreel
