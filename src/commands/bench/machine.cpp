#include "commands/bench/machine.h"

#include <sys/personality.h>
#include <sys/times.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/io/own_program.h"
#include "cli/version.h"
#include "session/statistics.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* MeasuredVariables[] = {
    "LD_PRELOAD",   "LD_LIBRARY_PATH", "VK_DRIVER_FILES",        "VK_ICD_FILENAMES",     "VK_INSTANCE_LAYERS",
    "GALLIVM_PERF", "LP_NUM_THREADS",  "LP_NATIVE_VECTOR_WIDTH", "GLYPHREEL_VALIDATION", "MALLOC_ARENA_MAX"};

/// Returns the first line of a file; empty if it cannot be read.
std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string local_date() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  std::string date = text.data();
  if (date.size() > 2) date.insert(date.size() - 2, ":");  // ISO 8601 writes +01:00, not +0100
  return date;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

int megahertz() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("cpu MHz", 0) == 0 && colon != std::string::npos)
      return static_cast<int>(std::strtod(line.c_str() + colon + 2, nullptr));
  }
  return 0;
}

/// Whether a CPU may change its clock rate with the load.
bool is_scaled() {
  for (unsigned cpu = 0; cpu < cpu_count(); ++cpu) {
    const std::string governor =
        first_line(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu));
    if (!governor.empty() && governor != "performance") return true;
  }
  return false;
}

/// Returns the number of CPUs in a list such as "0-3,8".
int cpus_in(const std::string& list) {
  int count = 0;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const int first = std::atoi(part.c_str());
    count += dash == std::string::npos ? 1 : std::atoi(part.c_str() + dash + 1) - first + 1;
  }
  return count;
}

nlohmann::json caches() {
  nlohmann::json list = nlohmann::json::array();
  const fs::path folder = "/sys/devices/system/cpu/cpu0/cache";
  for (int index = 0;; ++index) {
    const fs::path cache = folder / fmt::format("index{}", index);
    const std::string size = first_line(cache / "size");  // such as 48K
    if (size.empty()) return list;
    const std::int64_t unit = size.back() == 'K' ? 1024 : size.back() == 'M' ? 1024 * 1024 : 1;
    list.push_back({{"type", first_line(cache / "type")},
                    {"level", std::atoi(first_line(cache / "level").c_str())},
                    {"size", std::atoll(size.c_str()) * unit},
                    {"num_sharing", cpus_in(first_line(cache / "shared_cpu_list"))}});
  }
}

bool randomizes_addresses() {
  constexpr unsigned long Query = 0xFFFFFFFF;
  const int persona = ::personality(Query);
  return first_line("/proc/sys/kernel/randomize_va_space") != "0" &&
         (persona == -1 || (persona & ADDR_NO_RANDOMIZE) == 0);
}

}  // namespace

unsigned cpu_count() {
  return std::max(1U, std::thread::hardware_concurrency());
}

std::array<double, 3> load_averages() {
  std::array<double, 3> loads{};
  if (::getloadavg(loads.data(), static_cast<int>(loads.size())) != static_cast<int>(loads.size())) return {};
  return loads;
}

std::string program_fingerprint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  std::vector<char> block(std::size_t{1} << 16);
  std::uint64_t size = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i)
      hash = (hash ^ static_cast<unsigned char>(block[static_cast<std::size_t>(i)])) * 0x100000001B3;
    size += static_cast<std::uint64_t>(file.gcount());
  }
  return size > 0 ? fmt::format("{:016x}-{}", hash, size) : "";
}

std::map<std::string, std::string> measured_environment() {
  std::map<std::string, std::string> set;
  for (const char* name : MeasuredVariables) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') set[name] = value;
  }
  return set;
}

nlohmann::json machine_context() {
  return {{"date", local_date()},
          {"host_name", host_name()},
          {"executable", own_program()},
          {"num_cpus", cpu_count()},
          {"mhz_per_cpu", megahertz()},
          {"cpu_scaling_enabled", is_scaled()},
          {"aslr_enabled", randomizes_addresses()},
          {"caches", caches()},
          {"load_avg", load_averages()},
          {"library_version", cli::version()},
#ifdef NDEBUG
          {"library_build_type", "release"},
#else
          {"library_build_type", "debug"},
#endif
          {"json_schema_version", 1},
          {"cpu", session::cpu_name()},
          {"program_fingerprint", program_fingerprint(own_program())},
          {"environment", measured_environment()}};
}

ForeignLoad::Ticks ForeignLoad::now() {
  // The fields of /proc/stat's first line (proc(5)): user, nice, system, idle, iowait, irq, softirq, steal.
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  Ticks ticks;
  constexpr int Fields = 8, Idle = 3, IoWait = 4;
  for (int field = 0; field < Fields; ++field) {
    double value = 0;
    file >> value;
    ticks.all += value;
    if (field != Idle && field != IoWait) ticks.busy += value;
  }
  tms own{};
  ::times(&own);
  ticks.own = static_cast<double>(own.tms_utime + own.tms_stime + own.tms_cutime + own.tms_cstime);
  return ticks;
}

double ForeignLoad::cpus() const {
  const Ticks end = now();
  const double all = end.all - start_.all;
  if (all <= 0) return 0;
  const double foreign = (end.busy - start_.busy) - (end.own - start_.own);
  return std::max(0.0, foreign / all * cpu_count());
}

}  // namespace glyphreel::commands
