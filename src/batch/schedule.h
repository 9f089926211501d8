#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "base/result.h"
#include "batch/pictures/engine_balance.h"

namespace glyphreel::batch {

/// One piece of work: converting a segment of an item, or assembling an item from its segments.
struct Unit {
  static constexpr int Assembling = -1;
  std::size_t item = 0;
  int segment = 0;  ///< number of the segment, from 0; Assembling: the unit assembles the item
  bool operator==(const Unit&) const = default;
};

/// How a unit ended.
enum class Outcome {
  Succeeded,
  MayPass,      ///< failed, but another attempt may succeed
  Failed,       ///< fails whenever it is tried
  Interrupted,  ///< the user stopped it
};
/// Classifies an error. A damaged input or wrong usage fails whenever it is tried.
[[nodiscard]] Outcome outcome_of(const Error& error);
/// Whether all further units would fail as well: the disk is full, the quota is used up, or the file system
/// is read-only.
[[nodiscard]] bool is_fatal(const Error& error);

/// Decides which unit runs next, and what a unit's end means for its item. Knows nothing about where units
/// run. The caller's loop:
///
///     while (!schedule.is_finished()) {
///       while (there is room) if (auto unit = schedule.next()) start(*unit); else break;
///       for each unit that ended: schedule.finish(unit, outcome);
///     }
///
/// Thread-safety: one thread.
class Schedule {
 public:
  /// `retries`: maximum number of further attempts after MayPass, counted over all units of an item.
  explicit Schedule(int retries) : retries_(retries) {}

  /// Adds an item. `segments`: the segments that are still to be converted. If `segments_in_item` is 1, the
  /// segment's output is the item's output, and nothing is assembled.
  void add(std::size_t item, const std::vector<int>& segments, int segments_in_item);
  /// Returns the next unit to start; empty if there is none, or after stop().
  [[nodiscard]] std::optional<Unit> next();

  /// What the end of a unit means for its item.
  enum class Consequence {
    ItemDone,
    ItemFailed,
    ItemStopped,  ///< the item stays unfinished
    SegmentDone,  ///< the item still needs other segments, or to be assembled
    Retry,        ///< next() will return the unit again
  };
  [[nodiscard]] Consequence finish(const Unit& unit, Outcome outcome);
  /// Lets running units end, and starts no others.
  void stop() { is_stopped_ = true; }

  /// Whether no unit is running and none will be started.
  [[nodiscard]] bool is_finished() const { return running_ == 0 && (is_stopped_ || ready_.empty()); }
  [[nodiscard]] std::size_t waiting() const { return ready_.size(); }  ///< number of waiting units
  [[nodiscard]] std::size_t running() const { return running_; }       ///< number of running units

 private:
  struct ItemProgress {
    std::size_t item = 0;
    int segments_left = 0;
    int attempts = 0;  ///< failed attempts, counted over all units of the item
    bool is_assembled = false;
    bool has_failed = false;
  };
  [[nodiscard]] ItemProgress& progress_of(std::size_t item);

  const int retries_;
  bool is_stopped_ = false;
  std::size_t running_ = 0;
  std::deque<Unit> ready_;
  std::vector<ItemProgress> items_;  ///< in ascending order of `item`
};

/// The number of jobs, which convert items in parallel, and the number of threads in each job.
struct Parallelism {
  int jobs = 1;
  int threads = 0;  ///< of each job; 0: as many as a recording alone has
  bool operator==(const Parallelism&) const = default;
};
/// Maximum number of jobs that share a GPU. Enough to keep it busy while some of them decode or encode.
inline constexpr int GpuJobs = 4;
/// Chooses the parallelism. `jobs` and `threads`: the user's choice; 0: automatic. If only the GPU renders,
/// at most GpuJobs jobs are chosen automatically.
[[nodiscard]] Parallelism choose_jobs(int jobs, int threads, int cpus, EngineBalance::Engines engines,
                                      std::size_t items);

}  // namespace glyphreel::batch
