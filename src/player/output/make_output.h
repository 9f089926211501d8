#pragma once

#include <memory>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/settings.h"
#include "player/output/video_output.h"
#include "session/statistics.h"

namespace glyphreel::player {

/// Creates a window with the best available way of showing frames: the GPU, the CPU presented through
/// Vulkan, or the CPU presented through OpenGL. It is hidden until open_for(). All arguments outlive it.
/// Errors: NoDevice if there is no display, or if --renderer gpu finds no GPU.
[[nodiscard]] Result<std::unique_ptr<VideoOutput>> make_window_screen(const cli::Settings& settings,
                                                                      StageTimes& times,
                                                                      session::Statistics& statistics);

/// Creates the output to the terminal on standard output, which it does not take over until open_for().
/// Errors: NoDevice if there is no terminal.
[[nodiscard]] Result<std::unique_ptr<VideoOutput>> make_terminal_screen(const cli::Settings& settings,
                                                                        StageTimes& times,
                                                                        session::Statistics& statistics);

}  // namespace glyphreel::player
