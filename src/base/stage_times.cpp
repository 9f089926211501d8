#include "base/stage_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glyphreel {

const char* stage_name(Stage stage) {
  static constexpr std::array<const char*, StageCount> Names = {"decode", "import",   "map",    "draw",  "pack",
                                                                "readback", "present", "encode", "audio"};
  return Names[static_cast<std::size_t>(stage)];
}

double quantile(std::vector<float> samples, double q) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double fraction = position - std::floor(position);
  return samples[below] * (1 - fraction) + samples[above] * fraction;
}

void StageTimes::add(Stage stage, double milliseconds) {
  const std::lock_guard lock(mutex_);
  stages_[static_cast<std::size_t>(stage)].milliseconds.push_back(static_cast<float>(milliseconds));
}

void StageTimes::set_engine(Stage stage, std::string engine) {
  const std::lock_guard lock(mutex_);
  stages_[static_cast<std::size_t>(stage)].engine = std::move(engine);
}

StageSummary StageTimes::summary(Stage stage) const {
  Samples samples;
  {
    const std::lock_guard lock(mutex_);
    samples = stages_[static_cast<std::size_t>(stage)];
  }
  StageSummary summary;
  summary.engine = samples.engine;
  summary.count = samples.milliseconds.size();
  if (summary.count == 0) return summary;
  summary.total_ms = std::accumulate(samples.milliseconds.begin(), samples.milliseconds.end(), 0.0);
  summary.mean_ms = summary.total_ms / static_cast<double>(summary.count);
  summary.p50_ms = quantile(samples.milliseconds, 0.50);
  summary.p99_ms = quantile(samples.milliseconds, 0.99);
  summary.max_ms = *std::max_element(samples.milliseconds.begin(), samples.milliseconds.end());
  return summary;
}

std::vector<float> StageTimes::recent(Stage stage, std::size_t count) const {
  const std::lock_guard lock(mutex_);
  const std::vector<float>& all = stages_[static_cast<std::size_t>(stage)].milliseconds;
  return {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()};
}

std::string StageTimes::engine(Stage stage) const {
  const std::lock_guard lock(mutex_);
  return stages_[static_cast<std::size_t>(stage)].engine;
}

std::vector<float> StageTimes::samples(Stage stage) const {
  const std::lock_guard lock(mutex_);
  return stages_[static_cast<std::size_t>(stage)].milliseconds;
}

}  // namespace glyphreel
