#pragma once

#include <filesystem>

namespace glyphreel {

// The program's folders; they need not exist. Empty if neither the XDG variable nor HOME is set.

/// For data that can be regenerated: $XDG_CACHE_HOME/glyphreel, or ~/.cache/glyphreel.
[[nodiscard]] std::filesystem::path cache_folder();
/// For files that the user writes: $XDG_CONFIG_HOME/glyphreel, or ~/.config/glyphreel.
[[nodiscard]] std::filesystem::path config_folder();
/// For state kept between runs: $XDG_STATE_HOME/glyphreel, or ~/.local/state/glyphreel.
[[nodiscard]] std::filesystem::path state_folder();

}  // namespace glyphreel
