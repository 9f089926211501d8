#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/item.h"
#include "batch/schedule.h"

namespace glyphreel::batch {

/// How a unit ended, and what was measured.
struct UnitResult {
  Unit unit;
  Result<void> result;
  Figures figures;
  std::string content;  ///< checksum of the input; empty: Item::content stays the same
  std::string host;
  double started_s = 0;  ///< in seconds since 1970; 0: the unit has not started
};

/// Where units run: threads of this process, or other machines.
/// Thread-safety: only the thread that owns the Schedule.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Returns how many units can run at a time.
  [[nodiscard]] virtual std::size_t capacity() const = 0;
  /// Starts a unit. Call it only while fewer than capacity() units run.
  virtual void start(const Unit& unit) = 0;
  /// Lets running units finish. Units that have not started end as Interrupted, with `started_s` 0.
  virtual void stop() {}
  /// Waits until at least one unit has ended, but at most for `timeout`. Returns the units that have ended
  /// since the last call.
  [[nodiscard]] virtual std::vector<UnitResult> wait(std::chrono::milliseconds timeout) = 0;
};

}  // namespace glyphreel::batch
