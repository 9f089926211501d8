#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::session {

/// If --palette is auto:N, returns the settings with a palette computed from up to PaletteFrames frames of
/// the first input: keyframes at evenly spaced times and, where these are the same keyframe, frames soon
/// after it; or the first frames if the input cannot seek. Returns other settings unchanged. Blocks while the
/// frames are decoded: usually less than half a second, up to two for short inputs in 1080p60. Errors: Usage
/// if N is not a number from 2 to 256, or if the input is a stream, which cannot be read twice; BadInput.
[[nodiscard]] Result<cli::Settings> with_input_palette(cli::Settings settings);

/// Returns N of auto:N. Errors: Usage if N is not a number from 2 to 256.
[[nodiscard]] Result<std::size_t> input_palette_size(const cli::Settings& settings);
/// Whether --palette is auto:N.
[[nodiscard]] bool has_input_palette(const cli::Settings& settings);

inline constexpr int PaletteFrames = 24;  ///< maximum number of frames that are sampled

}  // namespace glyphreel::session
