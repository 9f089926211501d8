#include "batch/pictures/engine_balance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace glyphreel::batch::engine_balance_test {
namespace {

TEST(EngineBalance, ChoosesTheFasterEngineUnlessItIsBusy) {
  EXPECT_EQ(choose_engine({.cpu_ms = 5, .gpu_ms = 1}, 10), Engine::Gpu);
  EXPECT_EQ(choose_engine({.cpu_ms = 5, .gpu_ms = 1, .on_gpu = 10}, 10), Engine::Gpu);
  EXPECT_EQ(choose_engine({.cpu_ms = 5, .gpu_ms = 1, .on_gpu = 11}, 10), Engine::Cpu);
  EXPECT_EQ(choose_engine({.cpu_ms = 1, .gpu_ms = 4}, 10), Engine::Cpu);
}

TEST(EngineBalance, MeasuresBothEnginesFirst) {
  EXPECT_EQ(choose_engine({}, 10), Engine::Gpu);
  EXPECT_EQ(choose_engine({.on_gpu = 10}, 10), Engine::Cpu);
  EXPECT_EQ(choose_engine({.cpu_ms = 4}, 10), Engine::Gpu);
  EXPECT_EQ(choose_engine({.gpu_ms = 1}, 10), Engine::Cpu);
}

/// Simulates one GPU and several jobs, each with its own CPU, until `pictures` pictures are rendered. The
/// GPU renders one batch after the other.
struct StandIn {
  double gpu_ms = 1, cpu_ms = 1;  ///< time to render one picture
  int jobs = 4;
  int batch = 8;
  int pictures = 8000;

  int on_gpu = 0;  ///< pictures that the GPU has rendered
  double end_ms = 0;

  void run(EngineBalance& balance, EngineBalance::Engines engines = EngineBalance::Engines::Both) {
    struct Job {
      double free_at = 0;
      double began = 0;
      std::optional<EngineBalance::Share> share = {};
    };
    std::vector<Job> all(static_cast<std::size_t>(jobs));
    double gpu_free_at = 0;
    for (int begun = 0; begun < pictures;) {
      Job& job = *std::ranges::min_element(all, {}, &Job::free_at);
      const double now = job.free_at;
      if (job.share) balance.end(*job.share, now - job.began);
      job.began = now;
      job.share = balance.begin(batch, engines);
      begun += batch;
      if (job.share->engine == Engine::Gpu) {
        on_gpu += batch;
        gpu_free_at = std::max(now, gpu_free_at) + batch * gpu_ms;
        job.free_at = gpu_free_at;
      } else {
        job.free_at = now + batch * cpu_ms;
      }
    }
    for (const Job& job : all) end_ms = std::max(end_ms, job.free_at);
  }
};

TEST(EngineBalance, SlowDeviceGetsItsShare) {
  // The GPUs range from far faster to far slower than a CPU.
  for (const double gpu_ms : {0.02, 0.2, 0.5, 1.0, 2.0, 10.0, 100.0}) {
    EngineBalance balance;
    StandIn machine{.gpu_ms = gpu_ms};
    machine.run(balance);
    // A job's CPU is idle while the job waits for the GPU.
    const double least_ms = machine.pictures / (1 / gpu_ms + (machine.jobs - 1) / machine.cpu_ms);
    const double cpus_alone_ms = machine.pictures * machine.cpu_ms / machine.jobs;
    const double measuring_ms = machine.batch * gpu_ms;
    EXPECT_LT(machine.end_ms, 1.15 * std::min(cpus_alone_ms, least_ms) + measuring_ms) << gpu_ms;
    if (gpu_ms <= 0.2) {
      EXPECT_GT(machine.on_gpu, machine.pictures / 2) << gpu_ms;
    }
    if (gpu_ms >= 2) {
      EXPECT_LT(machine.on_gpu, machine.pictures / 10) << gpu_ms;
    }
    if (gpu_ms >= 100) {
      EXPECT_LT(machine.on_gpu, machine.pictures / 100) << gpu_ms;
    }
  }
}

TEST(EngineBalance, UsesADeviceThatBecomesFast) {
  EngineBalance balance;
  StandIn slow{.gpu_ms = 5, .pictures = 800};
  slow.run(balance);
  StandIn fast{.gpu_ms = 0.1, .pictures = 8000};
  fast.run(balance);
  EXPECT_GT(fast.on_gpu, fast.pictures / 2);
}

TEST(EngineBalance, UsesOnlyTheEngineThatWasChosen) {
  EngineBalance balance;
  StandIn slow{.gpu_ms = 100, .pictures = 80};
  slow.run(balance, EngineBalance::Engines::Gpu);
  EXPECT_EQ(slow.on_gpu, slow.pictures);
  StandIn fast{.gpu_ms = 0.01, .pictures = 80};
  fast.run(balance, EngineBalance::Engines::Cpu);
  EXPECT_EQ(fast.on_gpu, 0);
}

}  // namespace
}  // namespace glyphreel::batch::engine_balance_test
