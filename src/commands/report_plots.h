#pragma once

#include <string>
#include <string_view>

#include "base/threads/stage_times.h"

namespace glyphreel::commands {

/// Returns `text` with the special characters of HTML and SVG escaped.
[[nodiscard]] std::string escape_html(std::string_view text);

/// Plots the mean and 99th percentile of every stage that either renderer ran, as an SVG element; empty if
/// there is none. Null times count as empty.
[[nodiscard]] std::string stage_plot(const StageTimes* gpu, const StageTimes* cpu);

/// Plots the mapping plus drawing time of each frame on a logarithmic scale, as an SVG element; empty if no
/// frame was timed. A run of many frames is drawn as its mean inside the band from its fastest to its
/// slowest frame.
[[nodiscard]] std::string frame_plot(const StageTimes* gpu, const StageTimes* cpu);

}  // namespace glyphreel::commands
