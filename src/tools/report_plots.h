#pragma once

#include <string>
#include <string_view>

#include "base/stage_times.h"

namespace glyphreel::tools {

/// `text` with the characters that mean something in HTML and SVG replaced.
[[nodiscard]] std::string escape_html(std::string_view text);

/// Mean and 99th percentile of every stage that either renderer went through, as an SVG element; empty where
/// there is none. Null times count as empty.
[[nodiscard]] std::string stage_plot(const StageTimes* gpu, const StageTimes* cpu);

/// Mapping plus drawing time of each frame on a logarithmic scale, as an SVG element; empty where no frame
/// was timed. A run of many frames is drawn as its mean within the band from its fastest to its slowest
/// frame.
[[nodiscard]] std::string frame_plot(const StageTimes* gpu, const StageTimes* cpu);

}  // namespace glyphreel::tools
