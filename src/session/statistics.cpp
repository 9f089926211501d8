#include "session/statistics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/io/atomic_file.h"
#include "cli/options/options.h"
#include "cli/version.h"
#include "session/command_files.h"

namespace glyphreel::session {
namespace {

/// Returns the time at which the process started, in seconds since the machine booted; empty if unknown.
std::optional<double> process_start() {
  // The start time is the 22nd field of the file, in clock ticks (proc(5)). The second field, the program's
  // name in parentheses, may contain spaces.
  constexpr int FieldsBetween = 19;
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.find_last_of(')') + 1));
  std::string field;
  for (int i = 0; i < FieldsBetween; ++i) fields >> field;
  double ticks = 0;
  if (!(fields >> ticks)) return std::nullopt;
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

double since(std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end) {
  return rounded(std::chrono::duration<double, std::milli>(end - start).count());
}

/// Returns the total time of all stages. It can exceed the duration of the run, because stages overlap.
double busy_ms(const StageTimes& times) {
  double sum = 0;
  for (std::size_t i = 0; i < StageCount; ++i) sum += times.summary(static_cast<Stage>(i)).total_ms;
  return sum;
}

nlohmann::json fallbacks_json(const media::HwDecodeStatus& use) {
  nlohmann::json fallbacks = nlohmann::json::array();
  for (const media::HwDecodeStatus::Fallback& fallback : use.fallbacks) {
    fallbacks.push_back({{"from", fallback.from}, {"reason", fallback.reason}});
  }
  return fallbacks;
}

nlohmann::json settings_json(const Statistics& s, const cli::Settings& settings) {
  return {{"renderer", s.renderer},
          {"renderer_reason", s.renderer_reason},
          {"mode", mode_name(settings.glyphs.mode)},
          {"color", cli::color_name(settings.picture.color)},
          {"effect", cli::effect_name(settings.picture.effect)},
          {"charset", settings.glyphs.charset},
          {"font", settings.layout.font},
          {"reverse", settings.picture.reverse == Reverse::PerCell ? "auto" : "no"},
          {"auto_levels", settings.picture.auto_levels},
          {"brightness", settings.picture.brightness},
          {"contrast", settings.picture.contrast},
          {"gamma", settings.picture.gamma},
          {"saturation", settings.picture.saturation},
          {"legibility", settings.picture.legibility ? nlohmann::json(*settings.picture.legibility) : "auto"},
          {"stability", settings.picture.stability}};
}

}  // namespace

double frames_per_second(const Statistics& s) {
  if (s.frames.presented > 0) return s.shown_rate.per_second();
  const std::int64_t done = s.frames.encoded > 0 ? s.frames.encoded : s.frames.mapped;
  return s.work_seconds > 0 ? static_cast<double>(done) / s.work_seconds : 0.0;
}

double process_age_ms() {
  // Each recording of a batch calls this function, so read the start time only once.
  static const std::optional<double> Start = process_start();
  timespec now{};
  if (!Start || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  return std::max(0.0, static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - *Start) *
         1000;
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return file ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

nlohmann::json stages_json(const StageTimes& times) {
  nlohmann::json stages = nlohmann::json::object();
  for (std::size_t i = 0; i < StageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    const StageSummary summary = times.summary(stage);
    if (summary.count == 0) continue;
    stages[stage_name(stage)] = {{"count", summary.count},
                                 {"mean_ms", rounded(summary.mean_ms)},
                                 {"p50_ms", rounded(summary.p50_ms)},
                                 {"p99_ms", rounded(summary.p99_ms)},
                                 {"max_ms", rounded(summary.max_ms)},
                                 {"engine", summary.engine}};
  }
  return stages;
}

nlohmann::json statistics_json(const Statistics& s, const cli::Settings& settings, const StageTimes& times) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);

  nlohmann::json json;
  json["program"] = {{"version", cli::version()},
#ifdef NDEBUG
                     {"build", "release"}
#else
                     {"build", "debug"}
#endif
  };
  json["machine"] = {{"cpu", cpu_name()},
                     {"threads", std::thread::hardware_concurrency()},
                     {"gpu", s.gpu.empty() ? "none" : s.gpu},
                     {"driver", s.driver}};
  json["input"] = {{"url", s.input_url},
                   {"codec", s.input.codec},
                   {"width", s.input.size.width},
                   {"height", s.input.size.height},
                   {"fps", rounded(s.input.frame_rate.value())},
                   {"pix_fmt", s.input.pixel_format},
                   {"decoder", s.input.decoder},
                   {"hwdec", s.hardware.decoder},
                   {"hwdec_fallbacks", fallbacks_json(s.hardware)}};
  json["settings"] = settings_json(s, settings);
  json["frames"] = {
      {"decoded", s.frames.decoded},     {"mapped", s.frames.mapped},   {"drawn", s.frames.drawn},
      {"presented", s.frames.presented}, {"encoded", s.frames.encoded}, {"dropped", s.frames.dropped},
      {"repeated", s.frames.repeated},   {"late", s.frames.late},       {"skipped", s.frames.skipped}};
  json["wall_s"] = rounded(s.wall_seconds);
  json["fps"] = rounded(frames_per_second(s));
  json["startup_ms"] = {{"process", rounded(s.process_ms)},
                        {"device", rounded(s.device_ms)},
                        {"pipelines", rounded(s.pipelines_ms)},
                        {"first_frame", s.first_frame ? since(s.start, *s.first_frame) : 0.0}};
  json["stages"] = stages_json(times);
  json["copies"] = {
      {"host_bytes_per_frame",
       s.frames.decoded > 0 ? s.host_bytes_copied / static_cast<std::uint64_t>(s.frames.decoded) : 0}};
  json["overlap"] = s.wall_seconds > 0 ? rounded(busy_ms(times) / 1000 / s.wall_seconds) : 0.0;
  if (s.av_offsets_ms.count() > 0) {
    json["av"] = {{"mean_ms", rounded(s.av_offsets_ms.mean())},
                  {"p99_ms", rounded(s.av_offsets_ms.quantile(0.99))},
                  {"max_ms", rounded(s.av_offsets_ms.largest())}};
  }
  if (s.seeks_ms.count() > 0) {
    json["seek"] = {{"count", s.seeks_ms.count()},
                    {"p50_ms", rounded(s.seeks_ms.quantile(0.50))},
                    {"p99_ms", rounded(s.seeks_ms.quantile(0.99))},
                    {"max_ms", rounded(s.seeks_ms.largest())}};
  }
  json["pacing"] = {{"jitter_p50_ms", rounded(s.pacing_errors_ms.quantile(0.50))},
                    {"jitter_p99_ms", rounded(s.pacing_errors_ms.quantile(0.99))}};
  if (s.display_latency_ms) json["pacing"]["display_latency_ms"] = rounded(*s.display_latency_ms);
  json["memory"] = {{"rss_peak_mb", rounded(static_cast<double>(usage.ru_maxrss) / 1024)}};
  return json;
}

std::string json_text(const nlohmann::json& json) {
  constexpr int Indentation = 2;
  const std::string text = json.dump(Indentation, ' ', false, nlohmann::json::error_handler_t::replace);
  // Escape DEL and the C1 controls (U+0080 to U+009F, in UTF-8 the bytes C2 80 to C2 9F), because dump()
  // leaves them unescaped, and terminals interpret them.
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (byte == 0x7F) {
      escaped += "\\u007f";
    } else if (byte == 0xC2 && next <= 0x9F) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(next));
      ++i;
    } else {
      escaped += text[i];
    }
  }
  return escaped;
}

Result<void> write_statistics(const Statistics& statistics, const cli::Settings& settings,
                              const StageTimes& times) {
  if (settings.report.stats_file.empty()) return {};
  return write_file(statistics_file(settings),
                    json_text(statistics_json(statistics, settings, times)) + '\n');
}

}  // namespace glyphreel::session
