#include "commands/bench/bench_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/io/printable.h"
#include "base/threads/stage_times.h"
#include "commands/bench/samples.h"

namespace glyphreel::commands {
namespace {

/// Returns the width of the column of names.
template <typename Rows>
std::size_t name_width(const Rows& rows) {
  std::size_t width = 40;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  return width;
}

std::string stages_text(const Benchmark& benchmark) {
  std::string text;
  for (const std::string& stage : timed_stages(benchmark)) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {:.3g}", stage, benchmark.counter(stage + "_ms"));
  }
  return text;
}

std::string machine_lines(const nlohmann::json& context) {
  constexpr double Giga = 1e9;
  std::string text =
      fmt::format("{}, {} CPUs, copies {:.1f} GB/s\n", printable(context.value("cpu", "unknown CPU")),
                  context.value("num_cpus", 0), context.value("cpu_copy_bytes_per_second", 0.0) / Giga);
  if (context.contains("gpu")) {
    const nlohmann::json& gpu = context["gpu"];
    text += fmt::format("{}, copies {:.1f} GB/s\n", printable(gpu.value("name", "")),
                        gpu.value("copy_bytes_per_second", 0.0) / Giga);
  }
  const nlohmann::json& input = context.at("input");
  return text + fmt::format("{}, {}, {}x{}\n\n", printable(input.value("url", "")),
                            printable(input.value("codec", "")), input.value("width", 0),
                            input.value("height", 0));
}

}  // namespace

std::vector<std::string> timed_stages(const Benchmark& benchmark) {
  std::vector<std::string> stages;
  for (std::size_t i = 0; i < StageCount; ++i) {
    std::string name = stage_name(static_cast<Stage>(i));
    const auto has_stage = [&](const Repetition& repetition) {
      return repetition.counters.contains(name + "_ms");
    };
    if (std::ranges::any_of(benchmark.repetitions, has_stage)) stages.push_back(std::move(name));
  }
  return stages;
}

std::string bench_table(const BenchRun& run) {
  std::string text = machine_lines(run.context);
  const std::size_t width = name_width(run.benchmarks);
  text += fmt::format("{:<{}} {:>8} {:>5} {:>8} {:>8} {:>8} {:>6} {:>6}  {}\n", "ms per frame, medians",
                      width, "real", "± %", "CPU", "fps", "first", "MB", "% copy", "stages");
  for (const Benchmark& benchmark : run.benchmarks) {
    const std::vector<double> real = benchmark.real_times();
    constexpr double Mega = 1e6;
    const double first = benchmark.repetitions.front().counters.contains("first_frame_ms")
                             ? benchmark.repetitions.front().counters.at("first_frame_ms")
                             : 0;
    text += fmt::format("{:<{}} {:>8.3f} {:>5.1f} {:>8.3f} {:>8.1f} {:>8} {:>6.2f} {:>6.0f}  {}\n",
                        benchmark.name, width, median(real), 100 * aggregates(real).cv,
                        median(benchmark.cpu_times()), benchmark.counter("items_per_second"),
                        first > 0 ? fmt::format("{:.1f}", first) : "-", benchmark.counter("bytes") / Mega,
                        100 * benchmark.counter("bandwidth_share"), stages_text(benchmark));
  }
  text +=
      "\nreal, CPU: per frame; ± %: standard deviation, in % of the mean; first: time from new settings to\n"
      "the first frame, which the other figures exclude; MB: minimum memory traffic per frame; % copy: this\n"
      "traffic per second, as a percentage of the copy speed (GB/s) above.\n"
      "The benchmarks named decode, text or video read the input; map and draw use frames in memory; video\n"
      "also encodes.\n";
  return text;
}

std::string against_table(const std::vector<ComparedBenchmark>& compared, const char* unit) {
  const std::size_t width = name_width(compared);
  std::string text =
      fmt::format("{:<{}} {:>9} {:>9} {:>8} {:>18} {:>8}  {}\n", fmt::format("{} per frame", unit), width,
                  "before", "after", "change", "95 % interval", "p", "verdict");
  for (const ComparedBenchmark& each : compared) {
    const std::string interval =
        fmt::format("{:+.2f} to {:+.2f} %", 100 * each.interval.low, 100 * each.interval.high);
    text +=
        fmt::format("{:<{}} {:>9.4f} {:>9.4f} {:>+6.2f} % {:>18} {:>8.2g}  {}\n", each.name, width,
                    each.before, each.after, 100 * each.change, interval, each.p, verdict_name(each.verdict));
  }
  return text;
}

}  // namespace glyphreel::commands
