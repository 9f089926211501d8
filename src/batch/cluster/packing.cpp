#include "batch/cluster/packing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glyphreel::batch {
namespace {

/// Returns how many tasks the work needs if each task lasts `task_seconds`.
std::size_t tasks_of(double work_seconds, double task_seconds) {
  return static_cast<std::size_t>(std::ceil(work_seconds / std::max(task_seconds, 1.0)));
}

}  // namespace

std::vector<std::size_t> pack_units(std::span<const double> seconds, const PackingLimits& limits) {
  if (seconds.empty()) return {};
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::size_t count = std::max(tasks_of(total, limits.target_seconds), limits.min_tasks);
  count = std::max(std::min(count, limits.max_tasks), tasks_of(total, limits.max_seconds));
  count = std::clamp<std::size_t>(count, 1, seconds.size());

  std::vector<std::size_t> sizes;
  double packed = 0;
  std::size_t next = 0;
  for (std::size_t task = 1; task <= count; ++task) {
    const double end = total * static_cast<double>(task) / static_cast<double>(count);
    const std::size_t last_start = seconds.size() - (count - task);  // each later task needs a unit
    std::size_t size = 0;
    // A unit belongs to the task whose time span contains the middle of the unit.
    while (next < last_start && (size == 0 || task == count || packed + seconds[next] / 2 < end)) {
      packed += seconds[next++];
      ++size;
    }
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace glyphreel::batch
