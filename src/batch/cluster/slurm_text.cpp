#include "batch/cluster/slurm_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/trimmed.h"

namespace glyphreel::batch {
namespace {

constexpr std::size_t MaxTasks = 4'000'001;  // maximum size of a job array in any version of Slurm
// The requested time from SIGUSR1 to the time limit of a task. Slurm may send the signal up to 60 s earlier.
constexpr int SecondsBeforeEnd = 180;

/// Removes and returns the part of `text` before `separator`, or all of `text` if there is no separator. Also
/// removes the separator.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return part;
}

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

/// Returns the number after `name=` in a list of parameters separated by commas.
std::optional<std::size_t> parameter(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    std::string_view value = trimmed(take_until(list, ','));
    if (take_until(value, '=') == name) return number_of(value);
  }
  return std::nullopt;
}

TaskPhase phase_of(std::string_view state) {
  // Use only the first word: sacct prints "CANCELLED by 1000".
  state = state.substr(0, state.find_first_of(" +"));
  constexpr auto Phases = std::to_array<std::pair<std::string_view, TaskPhase>>({
      {"PENDING", TaskPhase::Pending},      {"REQUEUED", TaskPhase::Pending},
      {"REQUEUE_FED", TaskPhase::Pending},  {"REQUEUE_HOLD", TaskPhase::Pending},
      {"SPECIAL_EXIT", TaskPhase::Pending}, {"RESV_DEL_HOLD", TaskPhase::Pending},
      {"CONFIGURING", TaskPhase::Running},  {"RUNNING", TaskPhase::Running},
      {"RESIZING", TaskPhase::Running},     {"SIGNALING", TaskPhase::Running},
      {"STAGE_OUT", TaskPhase::Running},    {"STOPPED", TaskPhase::Running},
      {"SUSPENDED", TaskPhase::Running},    {"COMPLETING", TaskPhase::Running},
      {"COMPLETED", TaskPhase::Completed},  {"NODE_FAIL", TaskPhase::NodeFailed},
      {"BOOT_FAIL", TaskPhase::NodeFailed}, {"CANCELLED", TaskPhase::Cancelled},
      {"REVOKED", TaskPhase::Cancelled},
  });
  const auto* const found = std::ranges::find(Phases, state, &std::pair<std::string_view, TaskPhase>::first);
  return found == Phases.end() ? TaskPhase::Failed : found->second;
}

/// Parses task indices such as "7" or "[3-9,12%4]", where %4 is the number of tasks that may run at a time.
/// Returns empty if the text is malformed.
std::vector<std::size_t> indices_of(std::string_view text) {
  if (text.starts_with('[')) text.remove_prefix(1);
  text = text.substr(0, text.find_first_of("%]"));
  std::vector<std::size_t> indices;
  while (!text.empty()) {
    std::string_view range = take_until(text, ',');
    const std::optional<std::size_t> first = number_of(take_until(range, '-'));
    const std::optional<std::size_t> last = range.empty() ? first : number_of(range);
    if (!first || !last || *last - *first > MaxTasks) return {};
    for (std::size_t index = *first; index <= *last; ++index) indices.push_back(index);
  }
  return indices;
}

/// Doubles each % in a path, because sbatch replaces patterns such as %j.
std::string path_pattern(std::string_view folder) {
  std::string pattern;
  for (const char character : folder) pattern.append(character == '%' ? 2 : 1, character);
  return pattern;
}

}  // namespace

SlurmLimits parse_slurm_config(std::string_view text) {
  constexpr std::size_t Polite = 1000;
  SlurmLimits limits{.max_tasks = Polite};
  const auto limit = [&](std::optional<std::size_t> value) {
    if (value && *value > 0) limits.max_tasks = std::min(limits.max_tasks, *value);
  };
  while (!text.empty()) {
    std::string_view value = take_until(text, '\n');
    const std::string_view name = trimmed(take_until(value, '='));
    value = trimmed(value);
    if (name == "MaxArraySize" || name == "MaxJobCount") limit(number_of(value));
    if (name == "SchedulerParameters") limit(parameter(value, "max_array_tasks"));
    if (name == "AccountingStorageType")
      limits.has_accounting = !value.empty() && !value.ends_with("none") && value != "(null)";
  }
  return limits;
}

std::string parse_job_id(std::string_view text) {
  text = trimmed(text);
  text = trimmed(text.substr(text.rfind('\n') + 1));  // a site may print notices before the job's number
  const std::string_view id = take_until(text, ';');
  return number_of(id) ? std::string(id) : std::string();
}

Refusal refusal_of(std::string_view errors) {
  // The names of submit limits contain "SubmitJob": AssocMaxSubmitJobLimit, AssocGrpSubmitJobsLimit,
  // QOSMaxSubmitJobPerUserLimit and others.
  if (errors.find("SubmitJob") != errors.npos) return Refusal::SubmitLimit;
  return errors.find("violates accounting/QOS policy") != errors.npos ? Refusal::AccountLimit
                                                                      : Refusal::Other;
}

std::vector<TaskState> parse_task_states(std::string_view text) {
  std::vector<TaskState> states;
  while (!text.empty()) {
    std::string_view line = trimmed(take_until(text, '\n'));
    std::string_view id = take_until(line, '|');
    const std::string_view state = trimmed(take_until(line, '|'));
    const std::string_view node = trimmed(line);
    const std::string_view job = take_until(id, '_');
    if (!number_of(job)) continue;
    const bool has_node = !node.empty() && !node.starts_with("None") && node != "(null)";
    for (const std::size_t index : indices_of(id)) {
      states.push_back({.job = std::string(job),
                        .index = index,
                        .phase = phase_of(state),
                        .node = has_node ? std::string(node) : std::string()});
    }
  }
  return states;
}

std::optional<double> parse_slurm_time(std::string_view text) {
  text = trimmed(text);
  const bool has_days = text.find('-') != text.npos;
  std::size_t days = 0;
  if (has_days) {
    const std::optional<std::size_t> parsed = number_of(take_until(text, '-'));
    if (!parsed) return std::nullopt;
    days = *parsed;
  }
  std::vector<double> parts;
  do {
    const std::optional<std::size_t> part = number_of(take_until(text, ':'));
    if (!part) return std::nullopt;
    parts.push_back(static_cast<double>(*part));
  } while (!text.empty());
  if (parts.size() > 3) return std::nullopt;
  // The first part is hours if days precede it or if there are three parts; otherwise it is minutes.
  if (!has_days && parts.size() < 3) parts.insert(parts.begin(), 0);
  parts.resize(3, 0);
  constexpr double Minute = 60, Hour = 3600, Day = 86400;
  return static_cast<double>(days) * Day + parts[0] * Hour + parts[1] * Minute + parts[2];
}

std::string sbatch_script(const SlurmArray& array) {
  std::string script = "#!/bin/sh\n";
  const auto option = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) script += fmt::format("#SBATCH --{}={}\n", name, value);
  };
  option("job-name", array.name);
  option("array", fmt::format("0-{}{}", array.tasks - 1,
                              array.tasks_at_a_time > 0 ? fmt::format("%{}", array.tasks_at_a_time) : ""));
  option("ntasks", "1");
  option("cpus-per-task", fmt::format("{}", array.threads));
  option("partition", array.partition);
  option("gres", array.gres);
  option("time", array.time);
  option("exclude", fmt::format("{}", fmt::join(array.excluded, ",")));
  option("output", shell_quoted(path_pattern(array.folder) + "/%a.log"));
  option("signal", fmt::format("B:USR1@{}", SecondsBeforeEnd));
  script += "#SBATCH --open-mode=append\n#SBATCH --requeue\n\n";
  script += fmt::format("exec {} batch --no-config --task {}/\"$SLURM_ARRAY_TASK_ID\".json -o {}\n",
                        shell_quoted(array.program), shell_quoted(array.folder), shell_quoted(array.output));
  return script;
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\' || character == '$' || character == '`') quoted += '\\';
    quoted += character;
  }
  return quoted + '"';
}

}  // namespace glyphreel::batch
