#pragma once

#include <memory>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "player/output/video_output.h"
#include "session/statistics.h"

namespace glyphreel::player {

/// Creates a window in which the GPU, or the CPU presented through Vulkan, shows frames. It is hidden until
/// open_for(). All arguments outlive it. Errors: NoDevice if there is no display or no Vulkan device.
[[nodiscard]] Result<std::unique_ptr<VideoOutput>> make_window_screen(const cli::Settings& settings,
                                                                      StageTimes& times,
                                                                      session::Statistics& statistics);

/// Creates the output to the terminal on standard output, which it does not take over until open_for().
/// Errors: NoDevice if there is no terminal.
[[nodiscard]] Result<std::unique_ptr<VideoOutput>> make_terminal_screen(const cli::Settings& settings,
                                                                        StageTimes& times,
                                                                        session::Statistics& statistics);

}  // namespace glyphreel::player
