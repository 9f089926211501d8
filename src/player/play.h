#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::player {

/// How playback of the inputs ended.
enum class PlayEnd {
  Finished,   ///< all inputs were played, or the user quit
  NoDisplay,  ///< nothing was played: there is no display, or no Vulkan device that can draw to it
};

/// Plays the inputs one after another in a window. Blocks until done. Ctrl-C ends it like `q`.
/// Errors: the input's, the device's (NoDevice where --renderer gpu finds none).
[[nodiscard]] Result<PlayEnd> play_in_window(const cli::Settings& settings);

/// Plays the inputs in the terminal on standard output.
[[nodiscard]] Result<PlayEnd> play_in_terminal(const cli::Settings& settings);

}  // namespace glyphreel::player
