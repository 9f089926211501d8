#include "base/threads/stage_times.h"

#include <new>
#include <utility>

namespace glyphreel {

const char* stage_name(Stage stage) {
  static constexpr std::array<const char*, StageCount> Names = {
      "decode", "import", "map", "draw", "pack", "readback", "present", "encode", "audio"};
  return Names[static_cast<std::size_t>(stage)];
}

void StageTimes::add(Stage stage, double milliseconds) noexcept {
  const MutexLock lock(mutex_);
  Samples& samples = stages_[static_cast<std::size_t>(stage)];
  try {
    samples.milliseconds.add(milliseconds);
    if (keep_ == Keep::All) samples.all.push_back(static_cast<float>(milliseconds));
  } catch (const std::bad_alloc&) {  // drop the sample: measuring must not end the run
  }
}

void StageTimes::set_engine(Stage stage, std::string engine) {
  const MutexLock lock(mutex_);
  stages_[static_cast<std::size_t>(stage)].engine = std::move(engine);
}

StageSummary StageTimes::summary(Stage stage) const {
  const MutexLock lock(mutex_);
  const auto& [milliseconds, all, engine] = stages_[static_cast<std::size_t>(stage)];
  return {.count = milliseconds.count(),
          .mean_ms = milliseconds.mean(),
          // If every duration is stored, compute exact quantiles. Distribution::quantile() may be inexact.
          .p50_ms = all.empty() ? milliseconds.quantile(0.50) : quantile(all, 0.50),
          .p99_ms = all.empty() ? milliseconds.quantile(0.99) : quantile(all, 0.99),
          .max_ms = milliseconds.largest(),
          .total_ms = milliseconds.sum(),
          .engine = engine};
}

double StageTimes::total_ms(Stage stage) const {
  const MutexLock lock(mutex_);
  return stages_[static_cast<std::size_t>(stage)].milliseconds.sum();
}

std::vector<float> StageTimes::recent(Stage stage, std::size_t count) const {
  const MutexLock lock(mutex_);
  return stages_[static_cast<std::size_t>(stage)].milliseconds.recent(count);
}

std::string StageTimes::engine(Stage stage) const {
  const MutexLock lock(mutex_);
  return stages_[static_cast<std::size_t>(stage)].engine;
}

std::vector<float> StageTimes::samples(Stage stage) const {
  const MutexLock lock(mutex_);
  const Samples& samples = stages_[static_cast<std::size_t>(stage)];
  return keep_ == Keep::All ? samples.all : samples.milliseconds.recent(Distribution::Remembered);
}

}  // namespace glyphreel
