#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::player {

/// A picture setting that keys change. Each setting has the same name as its command-line option.
enum class PictureProperty { Mode, Color, Charset, Effect, Cell, Contrast, Brightness, Gamma, Saturation };

/// One step of a picture setting, made by one key press.
struct PictureStep {
  PictureProperty property = PictureProperty::Mode;
  /// 1: more, -1: less. Ignored for mode, color, charset and effect, which only cycle forward.
  int direction = 1;
};

struct PictureChange {
  bool needs_glyphs = false;  ///< whether new glyphs or tables are needed; if not, only
                              ///< LiveSettings::frame_options() changes
  std::string message;        ///< shows the user the new value, such as "mode: edge"
};

/// Applies the step to the settings. `initial`: the settings of the command line, which provide a custom
/// charset or ramp and the cell's aspect ratio. `shown_cell`: the size of a cell on screen, in device pixels
/// divided by the display scale; empty in a terminal, which has its own cells. If a value is at its limit,
/// nothing changes and the message reports the limit. A new cell size clears a fixed --grid; the grid is then
/// computed from the cell size.
[[nodiscard]] PictureChange apply_step(cli::Settings& settings, PictureStep step,
                                       const cli::Settings& initial, std::optional<CellSize> shown_cell);

/// Sets a property to a value, parsed like the option of the same name. Setting the current value again is
/// not an error. Errors: Usage if the option does not accept the value.
[[nodiscard]] Result<PictureChange> set_value(cli::Settings& settings, PictureProperty property,
                                              std::string_view value);

/// Returns the number of charsets that a key cycles through.
[[nodiscard]] int charset_count(const cli::Settings& initial);

}  // namespace glyphreel::player
