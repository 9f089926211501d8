#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/threads/distribution.h"

namespace glyphreel {

/// The stages that a frame passes through, in order.
enum class Stage { Decode, Import, Map, Draw, Pack, Readback, Present, Encode, Audio };
inline constexpr std::size_t StageCount = 9;
/// Returns the stage's name in lower case, as in the statistics file.
[[nodiscard]] const char* stage_name(Stage stage);

/// Statistics of one stage's durations over a run.
struct StageSummary {
  std::uint64_t count = 0;
  double mean_ms = 0, p50_ms = 0, p99_ms = 0, max_ms = 0, total_ms = 0;
  std::string engine;  ///< the implementation, for example "libavcodec h264" or "llvmpipe"
};

/// Collects the duration of every pass through every stage. Memory does not grow unless Keep::All is set.
/// Thread-safety: every member may be called from any thread.
class StageTimes {
 public:
  enum class Keep {
    Recent,  ///< the most recent durations of each stage, at most Distribution::Remembered
    All,     ///< every duration; for runs of limited length
  };
  explicit StageTimes(Keep keep = Keep::Recent) : keep_(keep) {}

  void add(Stage stage, double milliseconds) noexcept EXCLUDES(mutex_);
  void set_engine(Stage stage, std::string engine) EXCLUDES(mutex_);
  [[nodiscard]] StageSummary summary(Stage stage) const EXCLUDES(mutex_);
  /// Returns the sum of a stage's durations in milliseconds. Cheaper than summary().
  [[nodiscard]] double total_ms(Stage stage) const EXCLUDES(mutex_);
  /// Returns the most recent durations in milliseconds, oldest first: at most `count`, and at most
  /// Distribution::Remembered.
  [[nodiscard]] std::vector<float> recent(Stage stage, std::size_t count) const EXCLUDES(mutex_);
  [[nodiscard]] std::string engine(Stage stage) const EXCLUDES(mutex_);
  /// Returns every stored duration in milliseconds, in the order added.
  [[nodiscard]] std::vector<float> samples(Stage stage) const EXCLUDES(mutex_);

 private:
  struct Samples {
    Distribution milliseconds;
    std::vector<float> all;  ///< every duration if Keep::All is set; otherwise empty
    std::string engine;
  };
  const Keep keep_;
  mutable Mutex mutex_;
  std::array<Samples, StageCount> stages_ GUARDED_BY(mutex_);
};

/// Adds the lifetime of this object to the durations of a stage.
class ScopedStage {
 public:
  ScopedStage(StageTimes& times, Stage stage) : times_(times), stage_(stage) {}
  ~ScopedStage() {
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start_;
    times_.add(stage_, spent.count());
  }
  ScopedStage(const ScopedStage&) = delete;
  ScopedStage& operator=(const ScopedStage&) = delete;

 private:
  StageTimes& times_;
  Stage stage_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace glyphreel
