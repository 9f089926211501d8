#pragma once

#include <memory>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/settings.h"
#include "session/statistics.h"
#include "render/renderer.h"

namespace glyphreel::commands {

/// Makes a renderer for offline work, chosen by --renderer and --device as for playback. Writes the choice
/// and its reason to `statistics`, and binds the hardware decoders it can use to `hardware`. Errors:
/// NoDevice if the GPU is required and there is none.
[[nodiscard]] Result<std::unique_ptr<render::Renderer>> make_offline_renderer(
    const cli::Settings& settings, StageTimes& times, session::Statistics& statistics,
    media::DeferredHwDecode& hardware);

}  // namespace glyphreel::commands
