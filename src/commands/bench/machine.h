#pragma once

#include <array>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace glyphreel::commands {

/// Returns the members of Google Benchmark's "context" (date, host, executable, CPUs, caches, load), and also
/// the CPU's name, program_fingerprint() and measured_environment().
[[nodiscard]] nlohmann::json machine_context();

/// Returns the load averages over 1, 5 and 15 minutes; zeros if they are unknown.
[[nodiscard]] std::array<double, 3> load_averages();
[[nodiscard]] unsigned cpu_count();

/// Returns a hash of a program's file, which shows whether the program has changed since an earlier run;
/// empty if the file cannot be read.
[[nodiscard]] std::string program_fingerprint(const std::string& path);
/// Returns the environment variables that are set and that affect measurements, because they select or
/// configure libraries and drivers.
[[nodiscard]] std::map<std::string, std::string> measured_environment();

/// Measures how many CPUs other programs use, from construction on.
class ForeignLoad {
 public:
  ForeignLoad() = default;
  /// Returns the mean number of CPUs that other programs kept busy; 0 if unknown. This program's running
  /// children count as other programs, but its finished children do not.
  [[nodiscard]] double cpus() const;

 private:
  struct Ticks {
    /// Clock ticks. `all` is the total time of all CPUs, and `busy` is the part in which they were not idle.
    /// `own` is the CPU time of this program and its finished children.
    double busy = 0, all = 0, own = 0;
  };
  [[nodiscard]] static Ticks now();

  Ticks start_ = now();
};

}  // namespace glyphreel::commands
