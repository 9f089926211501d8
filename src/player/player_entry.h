#pragma once

#include <memory>

#include "base/result.h"
#include "cli/options/settings.h"
#include "player/control/bindings.h"
#include "player/ipc/ipc_socket.h"
#include "present/terminal/terminal_capabilities.h"

namespace glyphreel::player {

/// How playback of the inputs ended.
enum class PlayEnd {
  Finished,   ///< all inputs were played, or the user quit
  NoDisplay,  ///< nothing was played, because there is no display or no Vulkan device that can draw to it
};

/// The sources of the player's commands.
struct PlayInput {
  Bindings bindings;
  std::unique_ptr<IpcSocket> ipc;  ///< null: no --input-ipc-server
};
/// Reads input.conf, unless --no-config is given, and creates the socket of --input-ipc-server. Errors: those
/// of load_bindings() and IpcSocket::listen().
[[nodiscard]] Result<PlayInput> open_play_input(const cli::Settings& settings);

/// Plays the inputs one after another in a window. Blocks until playback ends. Ctrl-C quits like `q`.
/// Errors: those of the inputs and of the device; NoDevice if `--renderer gpu` finds no GPU.
[[nodiscard]] Result<PlayEnd> play_in_window(const cli::Settings& settings, const PlayInput& input);

/// Like play_in_window(), but plays in the terminal on standard output.
[[nodiscard]] Result<PlayEnd> play_in_terminal(const cli::Settings& settings, const PlayInput& input);

/// Returns `settings`, adapted to output without colors: sets the color mode to `mono`, so that glyphs are
/// chosen for a single color. The output is a terminal or a file.
[[nodiscard]] cli::Settings without_colors(cli::Settings settings);

/// Returns the settings adapted to a terminal. If the terminal shows no colors, the color mode becomes
/// `mono`. In `--mode shape`, the default charset becomes `blocks` if the terminal has block elements and
/// cells have two colors, because terminals have few cells. Returns the settings unchanged if the terminal
/// shows images. Pure.
[[nodiscard]] cli::Settings terminal_settings(cli::Settings settings,
                                              const present::TerminalCapabilities& capabilities);

}  // namespace glyphreel::player
