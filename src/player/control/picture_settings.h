#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "player/control/property_value.h"

namespace glyphreel::player {

/// A picture setting that keys change. Each setting has the same name as its command-line option.
enum class PictureProperty {
  Mode,
  Color,
  Charset,
  Effect,
  Cell,
  Contrast,
  Brightness,
  Gamma,
  Saturation,
  Legibility,
  Stability,
  Dither,
  Palette,
  Reverse,
  Invert,
  AutoLevels,
  Fg,
  Bg,
  Font,
  Fit,
  ToneMapping,
  Glow,
  Scanlines,
  Look,
};
inline constexpr std::size_t PictureProperties = static_cast<std::size_t>(PictureProperty::Look) + 1;

/// One step of a picture setting: a command that does not set a value.
struct PictureStep {
  PictureProperty property = PictureProperty::Mode;
  PropertyAction action = PropertyAction::Cycle;
  double amount = 1;  ///< 1 or -1 with Cycle
};

struct PictureChange {
  bool needs_glyphs = false;  ///< whether new glyphs or tables are needed; if not, only
                              ///< LiveSettings::frame_options() changes
  std::string message;        ///< shows the user the new value, such as "mode: edge"
};

/// Returns the setting's name, which is also that of its option.
[[nodiscard]] std::string_view picture_name(PictureProperty property);
/// Returns the setting's values. Color, charset and cell are Choices without a list: they have steps of their
/// own.
[[nodiscard]] PropertyDomain picture_domain(PictureProperty property);
/// Returns the current value.
[[nodiscard]] PropertyValue picture_value(const cli::Settings& settings, PictureProperty property);

/// Applies the step to the settings. `initial`: the settings of the command line, which provide a custom
/// charset or ramp and the cell's aspect ratio. `shown_cell`: the size of a cell on screen, in device pixels
/// divided by the display scale; empty in a terminal, which has its own cells. If a value is at its limit,
/// nothing changes and the message reports the limit. A new cell size clears a fixed --grid; the grid is then
/// computed from the cell size.
[[nodiscard]] PictureChange apply_step(cli::Settings& settings, PictureStep step,
                                       const cli::Settings& initial, std::optional<CellSize> shown_cell);

/// Sets a property to a value, parsed like the option of the same name; also "no" for the palette, and yes or
/// no for a flag. Setting the current value again is not an error. Errors: Usage if the option does not
/// accept the value.
[[nodiscard]] Result<PictureChange> set_value(cli::Settings& settings, PictureProperty property,
                                              std::string_view value);

/// Returns the number of charsets that a key cycles through.
[[nodiscard]] int charset_count(const cli::Settings& initial);

}  // namespace glyphreel::player
