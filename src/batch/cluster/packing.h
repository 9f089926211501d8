#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace glyphreel::batch {

/// How units are packed into tasks. A scheduler's work for a task, and starting the program, take seconds, so
/// a task should last minutes.
struct PackingLimits {
  double target_seconds = 20 * 60.0;  ///< of a task, if enough tasks are allowed
  double most_seconds = 60 * 60.0;    ///< of a task, even if that makes more than `most_tasks`
  std::size_t least_tasks = 1;        ///< if there are as many units
  std::size_t most_tasks = 1000;
};

/// Returns how many consecutive units each task has, so that all tasks take about the same time. `seconds`:
/// the estimated time of each unit. Returns nothing for no units.
[[nodiscard]] std::vector<std::size_t> pack_units(std::span<const double> seconds,
                                                  const PackingLimits& limits);

/// Whether a task should start another unit: 1.5 times as long as its slowest one must remain.
[[nodiscard]] constexpr bool has_time(double remaining_seconds, double slowest_seconds) {
  constexpr double Margin = 1.5;
  return remaining_seconds >= Margin * slowest_seconds;
}

}  // namespace glyphreel::batch
