#pragma once

#include <filesystem>

namespace glyphreel {

// These functions return the program's folders, which need not exist. A path is empty if neither the XDG
// variable nor HOME is set.

/// Returns the folder for data that can be regenerated: $XDG_CACHE_HOME/glyphreel, or ~/.cache/glyphreel.
[[nodiscard]] std::filesystem::path cache_folder();
/// Returns the folder for files that the user writes: $XDG_CONFIG_HOME/glyphreel, or ~/.config/glyphreel.
[[nodiscard]] std::filesystem::path config_folder();
/// Returns the folder for state kept between runs: $XDG_STATE_HOME/glyphreel, or ~/.local/state/glyphreel.
[[nodiscard]] std::filesystem::path state_folder();

}  // namespace glyphreel
