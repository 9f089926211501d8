#include "commands/collections/local_runner.h"

#include <utility>

#include <fmt/format.h>

#include "base/threads/thread.h"

namespace glyphreel::commands {

Result<std::unique_ptr<LocalRunner>> LocalRunner::make(
    int jobs, std::function<SegmentTask(const batch::Unit&)> task_of) {
  std::unique_ptr<LocalRunner> runner(new LocalRunner(jobs, std::move(task_of)));
  for (int number = 1; number <= jobs; ++number) {
    TRY_ASSIGN(std::jthread thread,
               start_thread(fmt::format("batch{}", number),
                            [self = runner.get()](const std::stop_token&) { self->work(); }));
    runner->threads_.push_back(std::move(thread));
  }
  return runner;
}

LocalRunner::~LocalRunner() {
  tasks_.close();
  threads_.clear();  // joins them
}

void LocalRunner::start(const batch::Unit& unit) {
  tasks_.push(task_of_(unit));
}

std::vector<batch::UnitResult> LocalRunner::wait(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  ended_.wait_for(lock, timeout, [this]() REQUIRES(mutex_) { return !results_.empty(); });
  return std::exchange(results_, {});
}

void LocalRunner::work() {
  const auto kit = std::make_shared<RecordKit>();
  while (const std::optional<SegmentTask> task = tasks_.pop()) {
    batch::UnitResult result =
        task->unit.segment == batch::Unit::Assembling ? assemble_item(*task) : run_segment(*task, kit);
    {
      const MutexLock lock(mutex_);
      results_.push_back(std::move(result));
    }
    ended_.notify_one();
  }
}

}  // namespace glyphreel::commands
