#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/threads/queue.h"
#include "batch/runner.h"
#include "commands/collections/segment_job.h"

namespace glyphreel::commands {

/// Runs units on threads of this process, each with a RecordKit of its own.
class LocalRunner final : public batch::Runner {
 public:
  /// `task_of` returns the task of a unit; what the task points to must outlive this object. Errors: Failed
  /// if the system cannot create the threads.
  [[nodiscard]] static Result<std::unique_ptr<LocalRunner>> make(
      int jobs, std::function<SegmentTask(const batch::Unit&)> task_of);
  /// Waits for the running units.
  ~LocalRunner() override;

  [[nodiscard]] std::size_t capacity() const override { return tasks_.capacity(); }
  void start(const batch::Unit& unit) override;
  [[nodiscard]] std::vector<batch::UnitResult> wait(std::chrono::milliseconds timeout) override
      EXCLUDES(mutex_);

 private:
  LocalRunner(int jobs, std::function<SegmentTask(const batch::Unit&)> task_of)
      : task_of_(std::move(task_of)), tasks_(static_cast<std::size_t>(jobs)) {}
  void work() EXCLUDES(mutex_);

  const std::function<SegmentTask(const batch::Unit&)> task_of_;
  BoundedQueue<SegmentTask> tasks_;
  Mutex mutex_;
  ConditionVariable ended_;
  std::vector<batch::UnitResult> results_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;
};

}  // namespace glyphreel::commands
