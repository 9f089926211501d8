#include "commands/cluster/parallel_queue.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/io/own_program.h"
#include "base/threads/background_call.h"
#include "media/input/child_process.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;
using media::ProcessOutcome;

constexpr std::chrono::hours Unlimited{24 * 365};
constexpr std::string_view Prefix = "ssh:";

class ParallelQueue final : public ClusterQueue {
 public:
  explicit ParallelQueue(const cli::Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::size_t max_tasks() const override { return std::size_t{1} << 16; }
  /// Returns several times the number of job slots on all hosts, so that fast hosts can run more tasks than
  /// slow hosts.
  [[nodiscard]] std::size_t min_tasks() const override {
    constexpr std::size_t TasksEach = 4;
    const auto hosts = static_cast<std::size_t>(std::ranges::count(settings_.cluster.where, ',') + 1);
    return TasksEach * hosts * static_cast<std::size_t>(jobs());
  }
  [[nodiscard]] double limit_seconds() const override { return 0; }

  [[nodiscard]] Result<Submitted> submit(const QueuedRound& round) override {
    const std::string names = round.folder + "/tasks";
    std::string list;
    for (std::size_t index = 0; index < round.tasks; ++index)
      list += fmt::format("{}/{}.json\n", round.folder, index);
    TRY(write_file({.path = names,
                    .existing = AtomicFile::Existing::Replace,
                    .temporary = AtomicFile::Temporary::Hidden},
                   list));
    std::error_code unknown;
    const std::string command =
        fmt::format("{} batch --no-config --task {{}} -o {} >>{{.}}.log 2>&1",
                    batch::shell_quoted(own_program()), batch::shell_quoted(round.output));
    std::vector<std::string> words{"parallel",   "--will-cite",
                                   "--sshlogin", settings_.cluster.where.substr(Prefix.size()),
                                   "--jobs",     fmt::format("{}", jobs()),
                                   "--workdir",  fs::current_path(unknown).string(),
                                   "--joblog",   round.folder + "/joblog",
                                   "--retries",  "3",
                                   "--arg-file", names,
                                   command};
    running_ = std::make_unique<BackgroundCall<ProcessOutcome>>(
        "parallel",
        [words = std::move(words)](const std::stop_token& stop) {
          return media::run_process(words, Unlimited, [&] { return stop.stop_requested(); });
        },
        [] {});
    ended_ = false;
    return Submitted{Submission::Queued, round.name, {}};
  }

  /// Finds nothing, because the tasks end with the process that queued them.
  [[nodiscard]] std::string find(const std::string& /*name*/) override { return {}; }

  [[nodiscard]] std::optional<std::vector<batch::TaskState>> states(const RunFolder::Job& job) override {
    if (running_ != nullptr && running_->poll()) ended_ = true;
    const bool is_running = running_ != nullptr && !ended_;
    std::vector<batch::TaskState> states;
    for (std::size_t index = 0; index < job.tasks; ++index) {
      states.push_back({.job = job.id,
                        .index = index,
                        .phase = is_running ? batch::TaskPhase::Running : batch::TaskPhase::Completed,
                        .node = {}});
    }
    return states;
  }

  void cancel(const std::string& /*job*/) override { running_.reset(); }

 private:
  [[nodiscard]] int jobs() const { return std::max(1, settings_.batch.jobs); }

  const cli::Settings settings_;
  std::unique_ptr<BackgroundCall<ProcessOutcome>> running_;
  bool ended_ = true;
};

}  // namespace

Result<std::unique_ptr<ClusterQueue>> make_parallel_queue(const cli::Settings& settings) {
  constexpr std::chrono::seconds Timeout{30};
  const Error missing{
      ErrorCode::Failed, "--cluster ssh:HOSTS needs GNU parallel and ssh on this machine; install both.", {}};
  for (const char* program : {"parallel", "ssh"}) {
    TRY_ASSIGN(
        const ProcessOutcome version,
        media::run_process({program, program == std::string_view("ssh") ? "-V" : "--version"}, Timeout, {}));
    const bool is_other =
        program == std::string_view("parallel") && version.output.find("GNU") == std::string::npos;
    if (version.end != ProcessOutcome::End::Exited || is_other) return missing;
  }
  return std::unique_ptr<ClusterQueue>(std::make_unique<ParallelQueue>(settings));
}

}  // namespace glyphreel::commands
