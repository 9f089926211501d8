#pragma once

#include <filesystem>

namespace glyphreel {

/// The program's folder for what can be made again: $XDG_CACHE_HOME/glyphreel, or ~/.cache/glyphreel.
/// Empty where neither variable is set. The folder need not exist.
[[nodiscard]] std::filesystem::path cache_folder();

/// The program's folder for what the user writes: $XDG_CONFIG_HOME/glyphreel, or ~/.config/glyphreel.
/// Empty where neither variable is set. The folder need not exist.
[[nodiscard]] std::filesystem::path config_folder();

/// The program's folder for what it remembers: $XDG_STATE_HOME/glyphreel, or ~/.local/state/glyphreel.
/// Empty where neither variable is set. The folder need not exist.
[[nodiscard]] std::filesystem::path state_folder();

}  // namespace glyphreel
