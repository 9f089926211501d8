#include "commands/collections/local_runner.h"

#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "base/threads/thread.h"
#include "gpu/gpu_renderer.h"

namespace glyphreel::commands {
namespace {

/// Returns how many units may be in the queue or in progress. While all threads render, the queue must have
/// enough pictures for the next batch of each thread.
std::size_t capacity_of(const LocalRunner::Options& options) {
  const bool uses_gpu = options.engines != batch::EngineBalance::Engines::Cpu;
  const int together = options.batch > 0 ? options.batch : gpu::MaxTogether;
  return static_cast<std::size_t>(options.jobs) * static_cast<std::size_t>(uses_gpu ? 2 * together : 1);
}

}  // namespace

LocalRunner::LocalRunner(Options options) : options_(std::move(options)), tasks_(capacity_of(options_)) {}

Result<std::unique_ptr<LocalRunner>> LocalRunner::make(Options options) {
  std::unique_ptr<LocalRunner> runner(new LocalRunner(std::move(options)));
  for (int number = 1; number <= runner->options_.jobs; ++number) {
    TRY_ASSIGN(std::jthread thread,
               start_thread(fmt::format("batch{}", number),
                            [self = runner.get(), number](const std::stop_token&) { self->work(number); }));
    runner->threads_.push_back(std::move(thread));
  }
  return runner;
}

LocalRunner::~LocalRunner() {
  stop();
  tasks_.close();
  threads_.clear();  // joins them
  const batch::EngineLoad load = balance_.load();
  const batch::EngineUse use = balance_.use();
  if (use.gpu + use.cpu > 0) {
    log::debug(
        "Pictures rendered in batches: {} on the GPU in {:.2f} ms each, {} on the CPU in {:.2f} ms each.",
        use.gpu, load.gpu_ms, use.cpu, load.cpu_ms);
  }
}

void LocalRunner::start(const batch::Unit& unit) {
  tasks_.push(options_.task_of(unit));
}

std::vector<batch::UnitResult> LocalRunner::wait(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  ended_.wait_for(lock, timeout, [this]() REQUIRES(mutex_) { return !results_.empty(); });
  return std::exchange(results_, {});
}

void LocalRunner::work(int number) {
  using Engines = batch::EngineBalance::Engines;
  const bool may_use_gpu = options_.engines != Engines::Both || number <= batch::GpuJobs;
  const auto kit = std::make_shared<RecordKit>(
      RecordKit::Options{.together = gpu::MaxTogether, .may_use_gpu = may_use_gpu});
  PictureBatch pictures({.kit = kit,
                         .engines = may_use_gpu ? options_.engines : Engines::Cpu,
                         .balance = balance_,
                         .is_stopped = is_stopped_,
                         .chosen = options_.batch,
                         .jobs = options_.jobs});
  while (true) {
    std::optional<SegmentTask> task = pictures.is_empty() ? tasks_.pop() : tasks_.try_pop();
    if (!task && pictures.is_empty()) return;
    if (!task || !pictures.accepts(*task)) convert(pictures);
    if (task) run(*task, kit, pictures);
    if (pictures.is_full(tasks_.size())) convert(pictures);
  }
}

void LocalRunner::run(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit,
                      PictureBatch& pictures) {
  if (is_stopped_) {
    publish(not_begun(task));
    return;
  }
  if (task.unit.segment == batch::Unit::Assembling) {
    convert(pictures);
    publish(assemble_item(task));
    return;
  }
  auto conversion = std::make_unique<Conversion>(task, kit);
  conversion->open();
  if (options_.batch != 1 && conversion->is_picture() && conversion->read_picture()) {
    pictures.add(std::move(conversion));
    return;
  }
  if (!conversion->has_failed()) {
    convert(pictures);
    pictures.forget_setup();
    conversion->record();
  }
  publish(conversion->finish());
}

void LocalRunner::convert(PictureBatch& pictures) {
  pictures.convert([this](Conversion& picture) { publish(picture.finish()); });
}

void LocalRunner::publish(batch::UnitResult result) {
  {
    const MutexLock lock(mutex_);
    results_.push_back(std::move(result));
  }
  ended_.notify_one();
}

}  // namespace glyphreel::commands
