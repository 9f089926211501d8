#pragma once

#include <cstdint>

#include "base/mutex.h"

namespace glyphreel::batch {

/// Where pictures are rendered. Both engines produce the same cells.
enum class Engine { Cpu, Gpu };

/// Inputs of choose_engine().
struct EngineLoad {
  double cpu_ms = 0, gpu_ms = 0;  ///< measured time of one picture; 0: unknown
  int on_gpu = 0;                 ///< number of pictures that the GPU renders or has queued
};
/// Numbers of pictures for which each engine was chosen.
struct EngineUse {
  std::int64_t cpu = 0, gpu = 0;
};
/// Returns the engine that should render a batch of `pictures` so that all jobs finish as early as possible.
/// An engine whose time is unknown gets the batch, to measure that time; the GPU gets only one such batch at
/// a time.
[[nodiscard]] Engine choose_engine(const EngineLoad& load, int pictures);

/// Divides a collection's pictures between the GPU and the CPUs, based on the measured times of both engines.
/// All jobs share the GPU, and each job has its own CPUs.
/// Thread-safety: any thread.
class EngineBalance {
 public:
  enum class Engines { Cpu, Gpu, Both };
  /// A batch of pictures for one engine.
  struct Share {
    Engine engine = Engine::Cpu;
    int pictures = 0;
    int ahead = 0;  ///< number of pictures that were queued on the GPU before this batch
  };
  /// Chooses one of the allowed `engines` for a batch. Call end() once the batch is rendered.
  [[nodiscard]] Share begin(int pictures, Engines engines) EXCLUDES(mutex_);
  /// `milliseconds`: how long the batch took; 0: not measured.
  void end(const Share& share, double milliseconds) EXCLUDES(mutex_);

  [[nodiscard]] EngineLoad load() const EXCLUDES(mutex_);
  [[nodiscard]] EngineUse use() const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  EngineLoad load_ GUARDED_BY(mutex_);
  EngineUse use_ GUARDED_BY(mutex_);
};

}  // namespace glyphreel::batch
