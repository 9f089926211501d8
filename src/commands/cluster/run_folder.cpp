#include "commands/cluster/run_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/io/file_descriptor.h"
#include "base/io/read_file.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view Ending = ".json";

fs::path runs_of(const std::string& output) {
  return fs::path(output) / ".glyphreel" / "cluster";
}

Result<std::string> read(const std::string& path) {
  constexpr std::size_t MaxBytes = 1 << 28;
  return read_file(path, {.max_bytes = MaxBytes, .explain = [&](FileProblem) {
                            return fmt::format("{} cannot be read; start the cluster run again.", path);
                          }});
}

Result<void> write(const std::string& path, std::string_view text) {
  return write_file(
      {.path = path, .existing = AtomicFile::Existing::Replace, .temporary = AtomicFile::Temporary::Hidden},
      text);
}

Result<void> make_folder(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  return failed ? unwritable(path, failed) : Result<void>();
}

}  // namespace

std::optional<RunFolder> RunFolder::find(const std::string& output) {
  std::error_code ignored;
  std::string latest;
  for (const auto& entry : fs::directory_iterator(runs_of(output), ignored)) {
    if (fs::exists(entry.path() / "plan.json", ignored)) latest = std::max(latest, entry.path().string());
  }
  if (latest.empty()) return std::nullopt;
  return RunFolder(fs::absolute(latest, ignored).string());
}

Result<RunFolder> RunFolder::create(const std::string& output, const batch::ClusterPlan& plan) {
  // The name begins with the time, so that the latest run has the greatest name. The process ID distinguishes
  // runs that start in the same second.
  const std::string name =
      fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::localtime(std::time(nullptr)), static_cast<int>(::getpid()));
  std::error_code failed;
  RunFolder folder(fs::absolute(runs_of(output) / name, failed).string());
  TRY(make_folder(folder.path_ + "/results"));
  TRY(write(folder.path_ + "/plan.json", batch::plan_text(plan)));
  return folder;
}

RunFolder RunFolder::of_task(const std::string& task_file) {
  std::error_code failed;
  return RunFolder(fs::absolute(task_file, failed).parent_path().parent_path().string());
}

std::string RunFolder::name() const {
  return fs::path(path_).filename().string();
}

std::string RunFolder::round(int number) const {
  return fmt::format("{}/round-{}", path_, number);
}

int RunFolder::rounds() const {
  int count = 0;
  for (std::error_code ignored; fs::exists(round(count + 1), ignored);) ++count;
  return count;
}

Result<batch::ClusterPlan> RunFolder::plan() const {
  const std::string path = path_ + "/plan.json";
  TRY_ASSIGN(const std::string text, read(path));
  return batch::parse_plan(text, path);
}

Result<void> RunFolder::write_tasks(int round_number,
                                    const std::vector<std::vector<batch::ClusterUnit>>& tasks) const {
  const std::string folder = round(round_number);
  TRY(make_folder(folder));
  // Nothing reads these files before the job is submitted. So one flush for all files is enough; it is a
  // hundred times as fast as one flush per file.
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string path = fmt::format("{}/{}{}", folder, i, Ending);
    std::ofstream file(path, std::ios::binary);
    file << batch::task_text(tasks[i]) << std::flush;
    if (!file) return unwritable(path, std::error_code(errno, std::generic_category()));
  }
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || ::syncfs(opened.number()) != 0)
    return unwritable(folder, std::error_code(errno, std::generic_category()));
  return {};
}

Result<void> RunFolder::write_job(int round_number, const Job& job) const {
  return write(round(round_number) + "/job", fmt::format("{} {}\n", job.tasks, job.id));
}

std::optional<RunFolder::Job> RunFolder::job(int round_number) const {
  const Result<std::string> text = read(round(round_number) + "/job");
  if (!text) return std::nullopt;
  Job job;
  const std::size_t space = text->find(' ');
  if (std::sscanf(text->c_str(), "%zu", &job.tasks) != 1 || space == text->npos) return std::nullopt;
  job.id = text->substr(space + 1, text->find('\n') - space - 1);
  return job;
}

std::string RunFolder::result_path(const std::string& unit) const {
  return fmt::format("{}/results/{}{}", path_, unit, Ending);
}

std::vector<std::string> RunFolder::result_names() const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_ + "/results", ignored)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with('.') || !name.ends_with(Ending)) continue;
    name.resize(name.size() - Ending.size());
    names.push_back(std::move(name));
  }
  return names;
}

bool RunFolder::has_result(const std::string& unit) const {
  std::error_code ignored;
  return fs::exists(result_path(unit), ignored);
}

Result<batch::ClusterResult> RunFolder::result(const std::string& unit) const {
  const std::string path = result_path(unit);
  TRY_ASSIGN(const std::string text, read(path));
  return batch::parse_result(text, path);
}

Result<void> RunFolder::write_result(const batch::ClusterResult& result) const {
  return write(result_path(batch::unit_name(result.output, result.segment)), batch::result_text(result));
}

void RunFolder::remove_result(const std::string& unit) const {
  std::error_code ignored;
  fs::remove(result_path(unit), ignored);
}

std::string RunFolder::last_log_line(int round_number, std::size_t task) const {
  const Result<std::string> log = read(fmt::format("{}/{}.log", round(round_number), task));
  if (!log) return {};
  const std::size_t end = log->find_last_not_of("\r\n");
  if (end == log->npos) return {};
  const std::size_t before = log->find_last_of("\r\n", end);
  return log->substr(before == log->npos ? 0 : before + 1, end - (before == log->npos ? 0 : before + 1) + 1);
}

void RunFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<std::vector<batch::ClusterUnit>> read_task(const std::string& path) {
  TRY_ASSIGN(const std::string text, read(path));
  return batch::parse_task(text, path);
}

}  // namespace glyphreel::commands
