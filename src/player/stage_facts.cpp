#include "player/stage_facts.h"

#include <algorithm>

namespace glyphreel::player {

std::vector<StageFacts> stage_facts(const StageTimes& times, const render::SplitRenderer* split) {
  constexpr std::size_t Recent = 240;  // frames: a few seconds
  constexpr double High = 0.99;
  std::vector<StageFacts> all;
  const auto frames = static_cast<std::size_t>(split != nullptr ? split->findings().frames : 0);
  const auto add = [&](const StageTimes& from, Stage stage) {
    StageFacts facts{.name = stage_name(stage), .engine = from.engine(stage)};
    facts.recent_ms = from.recent(stage, &from == &times ? Recent : std::min(Recent, frames));
    if (facts.recent_ms.empty()) return;
    double sum = 0;
    for (const float milliseconds : facts.recent_ms) sum += milliseconds;
    facts.mean_ms = sum / static_cast<double>(facts.recent_ms.size());
    facts.p99_ms = quantile(facts.recent_ms, High);
    all.push_back(std::move(facts));
  };
  for (std::size_t i = 0; i < StageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    if (split != nullptr && stage >= Stage::Import && stage <= Stage::Readback) {
      add(split->times(render::SplitRenderer::Side::Left), stage);
      add(split->times(render::SplitRenderer::Side::Right), stage);
      add(split->own_times(), stage);
    } else {
      add(times, stage);
    }
  }
  return all;
}

}  // namespace glyphreel::player
