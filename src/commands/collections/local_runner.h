#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/threads/queue.h"
#include "batch/pictures/engine_balance.h"
#include "batch/runner.h"
#include "commands/collections/picture_batch.h"
#include "commands/collections/segment_job.h"

namespace glyphreel::commands {

/// Runs units on threads of this process, each with its own RecordKit. A thread reads several pictures
/// before it renders them together; their number, and the choice between the GPU and the CPU, depend on
/// measured rendering times.
class LocalRunner final : public batch::Runner {
 public:
  struct Options {
    int jobs = 1;
    /// Pictures that a thread renders together; 0: see batch::batch_size(). 1: each is converted separately.
    int batch = 0;
    batch::EngineBalance::Engines engines = batch::EngineBalance::Engines::Cpu;
    /// Returns the task of a unit. Everything that the task points to must outlive the runner.
    std::function<SegmentTask(const batch::Unit&)> task_of;
  };
  /// Errors: Failed if the system cannot create the threads.
  [[nodiscard]] static Result<std::unique_ptr<LocalRunner>> make(Options options);
  /// Waits for the running units.
  ~LocalRunner() override;

  [[nodiscard]] std::size_t capacity() const override { return tasks_.capacity(); }
  void start(const batch::Unit& unit) override;
  void stop() override { is_stopped_ = true; }
  [[nodiscard]] std::vector<batch::UnitResult> wait(std::chrono::milliseconds timeout) override
      EXCLUDES(mutex_);

 private:
  explicit LocalRunner(Options options);
  /// `number`: the number of the thread, counted from 1.
  void work(int number) EXCLUDES(mutex_);
  void run(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit, PictureBatch& pictures);
  void convert(PictureBatch& pictures);
  void publish(batch::UnitResult result) EXCLUDES(mutex_);

  const Options options_;
  batch::EngineBalance balance_;
  BoundedQueue<SegmentTask> tasks_;
  std::atomic<bool> is_stopped_ = false;
  Mutex mutex_;
  ConditionVariable ended_;
  std::vector<batch::UnitResult> results_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;
};

}  // namespace glyphreel::commands
