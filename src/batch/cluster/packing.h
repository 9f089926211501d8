#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace glyphreel::batch {

/// How units are packed into tasks. Scheduling a task and starting the program take seconds, so a task should
/// last for minutes.
struct PackingLimits {
  double target_seconds = 20 * 60.0;  ///< intended duration of a task; longer if `max_tasks` requires it
  double max_seconds = 60 * 60.0;     ///< longest intended duration of a task; overrides `max_tasks`
  std::size_t min_tasks = 1;          ///< minimum number of tasks; with fewer units, one task per unit
  std::size_t max_tasks = 1000;       ///< maximum number of tasks
};

/// Splits the units, in order, into tasks that take about the same time. `seconds`: estimated conversion time
/// of each unit. Returns the number of units in each task; empty if there are no units.
[[nodiscard]] std::vector<std::size_t> pack_units(std::span<const double> seconds,
                                                  const PackingLimits& limits);

/// Whether a task has time for another unit. The time left before the task's time limit must be at least 1.5
/// times the duration of the task's slowest unit so far.
[[nodiscard]] constexpr bool has_time(double remaining_seconds, double slowest_seconds) {
  constexpr double Margin = 1.5;
  return remaining_seconds >= Margin * slowest_seconds;
}

}  // namespace glyphreel::batch
