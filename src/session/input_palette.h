#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::session {

/// If --palette is auto:N, returns the settings with a palette for the first input, computed from up to
/// PaletteFrames key frames at evenly spaced times. Returns other settings unchanged. Blocks while the frames
/// are decoded: usually less than half a second. Errors: Usage if N is not a number from 2 to 256, or if the
/// input is a stream, which cannot be read twice; BadInput.
[[nodiscard]] Result<cli::Settings> with_input_palette(cli::Settings settings);

/// Whether --palette is auto:N.
[[nodiscard]] bool has_input_palette(const cli::Settings& settings);

inline constexpr int PaletteFrames = 24;  ///< maximum number of frames that are read

}  // namespace glyphreel::session
