#pragma once

#include <memory>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "present/export/progress.h"
#include "render/renderer.h"
#include "session/statistics.h"

namespace glyphreel::commands {

/// Creates a renderer for offline work, chosen by --renderer and --device as for playback. Writes the choice
/// and its reason to `statistics`, and binds the hardware decoders that the renderer supports to `hardware`.
/// `together`: see gpu::make_gpu_renderer(). Errors: NoDevice if --renderer gpu finds no usable GPU.
[[nodiscard]] Result<std::unique_ptr<render::Renderer>> make_offline_renderer(
    const cli::Settings& settings, int together, StageTimes& times, session::Statistics& statistics,
    media::DeferredHwDecode& hardware);

/// Returns the renderer setup for offline work. The caller adds the picture format.
[[nodiscard]] render::RenderSetup offline_setup(const cli::Settings& settings, GridSize grid,
                                                std::shared_ptr<const text::GlyphSet> glyphs);

/// Returns Hidden with --quiet, otherwise Shown.
[[nodiscard]] present::ProgressLine::Visibility progress_visibility(const cli::Settings& settings);

}  // namespace glyphreel::commands
