#pragma once

#include <memory>

#include "base/result.h"
#include "base/stage_times.h"
#include "cli/settings.h"
#include "player/screen.h"
#include "player/statistics.h"

namespace glyphreel::player {

/// A window with the best way of showing that there is: the GPU, the CPU shown through Vulkan, or the CPU
/// shown through OpenGL. Hidden until open_for(). All arguments outlive it. Errors: NoDevice where there is
/// no display, or where
/// --renderer gpu finds no GPU.
[[nodiscard]] Result<std::unique_ptr<Screen>> make_window_screen(const cli::Settings& settings,
                                                                 StageTimes& times, Statistics& statistics);

/// The terminal on standard output. Not taken over until open_for(). Errors: NoDevice where there is no
/// terminal.
[[nodiscard]] Result<std::unique_ptr<Screen>> make_terminal_screen(const cli::Settings& settings,
                                                                   StageTimes& times, Statistics& statistics);

}  // namespace glyphreel::player
