#pragma once

#include <memory>

#include "base/result.h"
#include "cli/settings.h"
#include "gpu/device.h"
#include "player/osd/split_heading.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

/// The GPU's renderer on the left and the CPU's on the right. `device`: null where there is none yet; then one is made,
/// as the settings choose it. Errors: NoDevice where none can be.
[[nodiscard]] Result<std::shared_ptr<render::SplitRenderer>> make_split_view(const cli::Settings& settings,
                                                                             std::shared_ptr<gpu::Device> device);

/// What the heading tells of it. Its times are medians of the last second or so, which can be read.
[[nodiscard]] SplitFacts split_facts(const render::SplitRenderer& split);

}  // namespace glyphreel::player
