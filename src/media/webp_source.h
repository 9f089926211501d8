#pragma once

#include <memory>

#include "media/input/input.h"
#include "media/source.h"

namespace glyphreel::media {

/// Creates a Source for an input whose animated_webp() is not null. Seeks treat every picture as a keyframe.
/// Errors: those of time_range().
[[nodiscard]] Result<std::unique_ptr<Source>> make_webp_source(const SourceOptions& options,
                                                               std::unique_ptr<Input> input);

}  // namespace glyphreel::media
