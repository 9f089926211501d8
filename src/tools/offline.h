#pragma once

#include <memory>

#include "base/result.h"
#include "base/stage_times.h"
#include "cli/settings.h"
#include "player/statistics.h"
#include "render/renderer.h"

namespace glyphreel::tools {

/// A renderer for off-line work, chosen by --renderer and --device as in playing; `statistics` is told which
/// and why, and `hardware` what may decode for it. Errors: NoDevice where the GPU is demanded and there is
/// none.
[[nodiscard]] Result<std::unique_ptr<render::Renderer>> make_offline_renderer(const cli::Settings& settings,
                                                                              StageTimes& times,
                                                                              player::Statistics& statistics,
                                                                              media::LateHardware& hardware);

}  // namespace glyphreel::tools
