#pragma once

#include <cstdint>

#include "base/mutex.h"

namespace glyphreel::batch {

/// Where pictures are rendered. Both engines produce the same cells.
enum class Engine { Cpu, Gpu };

/// What the choice of an engine depends on.
struct EngineLoad {
  double cpu_ms = 0, gpu_ms = 0;  ///< measured time of one picture; 0: unknown
  int on_gpu = 0;                 ///< pictures of all jobs that the GPU renders now, one after the other
};
/// The pictures that each engine was chosen for.
struct EngineUse {
  std::int64_t cpu = 0, gpu = 0;
};
/// Returns the engine with which all jobs end first if one of them renders so many further pictures on it. An
/// engine whose time is unknown gets a batch, but the GPU only one at a time.
[[nodiscard]] Engine choose_engine(const EngineLoad& load, int pictures);

/// Divides the pictures of a collection between the GPU, which all jobs share, and the CPUs, of which each
/// job has its own, by the times that both are measured to need.
/// Thread-safety: any thread.
class EngineBalance {
 public:
  enum class Engines { Cpu, Gpu, Both };
  /// Pictures that an engine renders together.
  struct Share {
    Engine engine = Engine::Cpu;
    int pictures = 0;
    int ahead = 0;  ///< pictures that the GPU had to render before them
  };
  /// Chooses the engine for a batch among those that the job may use. Call end() once it is rendered.
  [[nodiscard]] Share begin(int pictures, Engines engines) EXCLUDES(mutex_);
  /// `milliseconds`: how long the batch took; 0: not measured.
  void end(const Share& share, double milliseconds) EXCLUDES(mutex_);

  /// Returns the measured times.
  [[nodiscard]] EngineLoad load() const EXCLUDES(mutex_);
  [[nodiscard]] EngineUse use() const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  EngineLoad load_ GUARDED_BY(mutex_);
  EngineUse use_ GUARDED_BY(mutex_);
};

}  // namespace glyphreel::batch
