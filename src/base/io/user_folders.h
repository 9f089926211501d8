#pragma once

#include <filesystem>

namespace glyphreel {

/// The program's folder for data that can be regenerated: $XDG_CACHE_HOME/glyphreel, or ~/.cache/glyphreel.
/// Empty if neither variable is set. The folder need not exist.
[[nodiscard]] std::filesystem::path cache_folder();

/// The program's folder for files that the user writes: $XDG_CONFIG_HOME/glyphreel, or ~/.config/glyphreel.
/// Empty if neither variable is set. The folder need not exist.
[[nodiscard]] std::filesystem::path config_folder();

/// The program's folder for state kept between runs: $XDG_STATE_HOME/glyphreel, or
/// ~/.local/state/glyphreel.
/// Empty if neither variable is set. The folder need not exist.
[[nodiscard]] std::filesystem::path state_folder();

}  // namespace glyphreel
