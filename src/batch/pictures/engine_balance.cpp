#include "batch/pictures/engine_balance.h"

namespace glyphreel::batch {

Engine choose_engine(const EngineLoad& load, int pictures) {
  if (load.gpu_ms <= 0) return load.on_gpu == 0 ? Engine::Gpu : Engine::Cpu;
  if (load.cpu_ms <= 0) return Engine::Cpu;
  // While a job waits for the GPU, its CPUs are idle. Therefore, each picture that is already queued on the
  // GPU counts as `Waiting` pictures.
  constexpr int Waiting = 4;
  return load.gpu_ms * (Waiting * load.on_gpu + pictures) <= load.cpu_ms * pictures ? Engine::Gpu
                                                                                    : Engine::Cpu;
}

EngineBalance::Share EngineBalance::begin(int pictures, Engines engines) {
  // The stored GPU time may be too long, if another program slowed down the GPU during the measurement. So
  // each batch that goes to the CPU while the GPU is idle multiplies the stored GPU time by this factor. When
  // the stored time is short enough, choose_engine() chooses the GPU again.
  constexpr double Forgetting = 0.995;
  const MutexLock lock(mutex_);
  Share share{.engine = engines == Engines::Gpu ? Engine::Gpu : Engine::Cpu, .pictures = pictures};
  if (engines == Engines::Both) {
    share.engine = choose_engine(load_, pictures);
    if (share.engine == Engine::Cpu && load_.on_gpu == 0) load_.gpu_ms *= Forgetting;
  }
  if (share.engine == Engine::Gpu) {
    share.ahead = load_.on_gpu;
    load_.on_gpu += pictures;
  }
  (share.engine == Engine::Gpu ? use_.gpu : use_.cpu) += pictures;
  return share;
}

void EngineBalance::end(const Share& share, double milliseconds) {
  constexpr double Newest = 0.25;  // weight of the newest time in the running mean
  const MutexLock lock(mutex_);
  if (share.engine == Engine::Gpu) load_.on_gpu -= share.pictures;
  if (milliseconds <= 0) return;
  double& known = share.engine == Engine::Gpu ? load_.gpu_ms : load_.cpu_ms;
  const double one = milliseconds / (share.ahead + share.pictures);
  known = known > 0 ? known + Newest * (one - known) : one;
}

EngineLoad EngineBalance::load() const {
  const MutexLock lock(mutex_);
  return load_;
}

EngineUse EngineBalance::use() const {
  const MutexLock lock(mutex_);
  return use_;
}

}  // namespace glyphreel::batch
