#pragma once

#include <memory>

#include "media/input/input.h"
#include "media/source.h"

namespace glyphreel::media {

/// Makes a Source of an input whose animated_webp() is not null. Every picture is a keyframe to it.
[[nodiscard]] std::unique_ptr<Source> make_webp_source(const SourceOptions& options,
                                                       std::unique_ptr<Input> input);

}  // namespace glyphreel::media
