#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::session {

/// If --palette is auto:N, returns the settings with a palette computed from up to PaletteFrames frames of
/// the first input. These are the frames at evenly spaced times or, in long inputs, the keyframes before
/// these times. If the input cannot seek, they are its first frames. For any other --palette, returns
/// `settings` unchanged. Blocks while the frames are decoded: up to two seconds on two cores. Errors: Usage
/// if N is not a number from 2 to 256, or if the input is a stream, which cannot be read twice; BadInput if
/// the input has no frames; the errors of open_input().
[[nodiscard]] Result<cli::Settings> with_input_palette(cli::Settings settings);

/// Returns the N of `--palette auto:N`. Errors: Usage if N is not a number from 2 to 256.
[[nodiscard]] Result<std::size_t> input_palette_size(const cli::Settings& settings);
/// Whether --palette is auto:N.
[[nodiscard]] bool has_input_palette(const cli::Settings& settings);

inline constexpr int PaletteFrames = 24;  ///< maximum number of frames that are read

}  // namespace glyphreel::session
