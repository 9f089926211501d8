#pragma once

#include <vector>

#include "base/threads/stage_times.h"
#include "player/osd/statistics_page.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

/// Returns the stages that did something in the last seconds, for the statistics page. `split`: null, or
/// the split view's renderer; then the stages of both sides are included.
[[nodiscard]] std::vector<StageFacts> stage_facts(const StageTimes& times,
                                                  const render::SplitRenderer* split = nullptr);

}  // namespace glyphreel::player
