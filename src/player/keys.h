#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "cli/settings.h"

namespace glyphreel::player {

/// What a key does, in the window and in the terminal.
enum class KeyAction {
  None,
  Quit,
  Pause,
  Fullscreen,
  LeaveFullscreen,
  NextMode,
  NextColor,
  NextCharset,
  LargerCells,
  SmallerCells,
  LessContrast,
  MoreContrast,
  LessBrightness,
  MoreBrightness,
  LessGamma,
  MoreGamma,
  LessSaturation,
  MoreSaturation,
};

/// The action of a key by mpv's name of it.
[[nodiscard]] KeyAction action_of(std::string_view key);

/// What has to follow a change of the settings.
enum class Change {
  None,
  Tone,    ///< Renderer::adjust(), at once
  Glyphs,  ///< new glyphs or tables, then configure()
};

struct KeyEffect {
  Change change = Change::None;
  std::string
      message;  ///< the new value for the user, such as "mode: edge"; empty: the key is not about settings
};

/// What apply_key() has to know besides the settings.
struct KeyContext {
  const cli::Settings& asked;  ///< the command line's: an own charset, ramp and cell shape stay within reach
  /// Cells as shown, in nominal pixels; empty in a terminal, which has cells of its own.
  std::optional<CellSize> shown_cell;
};

/// Changes the settings as the action says. Where a value is at its end nothing changes, and the message says
/// so. Other cells end a fixed --grid: it follows from them.
[[nodiscard]] KeyEffect apply_key(cli::Settings& settings, KeyAction action, const KeyContext& context);

/// How many charsets NextCharset goes through.
[[nodiscard]] int charset_count(const cli::Settings& asked);

}  // namespace glyphreel::player
