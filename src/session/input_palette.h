#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::session {

/// Returns the settings with the colors of --palette auto:N: those of key frames of the whole first input,
/// the last ones before up to PaletteFrames evenly spaced times. Other settings are returned unchanged.
/// Blocks while the frames are decoded: usually less than half a second. Errors: Usage if N is not a number
/// from 2 to 256, or if the input is a stream, which cannot be read ahead; BadInput.
[[nodiscard]] Result<cli::Settings> with_input_palette(cli::Settings settings);

/// Whether the palette's colors are made from the input.
[[nodiscard]] bool has_input_palette(const cli::Settings& settings);

inline constexpr int PaletteFrames = 24;

}  // namespace glyphreel::session
