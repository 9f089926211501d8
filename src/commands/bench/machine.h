#pragma once

#include <array>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace glyphreel::commands {

/// Returns the members that Google Benchmark's "context" has: date, host, executable, CPUs, caches, load.
[[nodiscard]] nlohmann::json machine_context();

/// Returns the load averages over 1, 5 and 15 minutes; zeros if they are unknown.
[[nodiscard]] std::array<double, 3> load_averages();
[[nodiscard]] unsigned cpu_count();

/// Returns a hash of a program's file, by which a run recognizes the program that made another run; empty if
/// the file cannot be read.
[[nodiscard]] std::string program_fingerprint(const std::string& path);
/// Returns those environment variables that are set and select libraries or drivers, and so what is measured.
[[nodiscard]] std::map<std::string, std::string> measured_environment();

/// How many CPUs other programs used since its construction.
class ForeignLoad {
 public:
  ForeignLoad() = default;
  /// Returns the mean number of CPUs that were busy with other programs than this one and the children that
  /// it waited for; 0 if that is unknown.
  [[nodiscard]] double cpus() const;

 private:
  struct Ticks {
    double busy = 0, all = 0, own = 0;  ///< of all CPUs, and of this program
  };
  [[nodiscard]] static Ticks now();

  Ticks start_ = now();
};

}  // namespace glyphreel::commands
