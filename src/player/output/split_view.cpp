#include "player/output/split_view.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/threads/distribution.h"
#include "interop/frame_importer.h"

namespace glyphreel::player {
namespace {

Error needs_device(const Error& error) {
  return {ErrorCode::NoDevice,
          "Split view needs a Vulkan device, and none can be used; 'glyphreel info' lists the devices.",
          full_text(error)};
}

/// Returns the median mapping time, in milliseconds, over the last `frames` frames, or over the last 24
/// frames if `frames` is larger than 24. Returns empty if no times were reported.
std::optional<double> map_ms(const StageTimes& times, std::int64_t frames) {
  constexpr std::int64_t MaxFrames = 24;
  std::vector<float> recent = times.recent(Stage::Map, static_cast<std::size_t>(std::min(frames, MaxFrames)));
  if (recent.empty()) return std::nullopt;
  return quantile(std::move(recent), 0.5);
}

}  // namespace

Result<std::shared_ptr<render::SplitRenderer>> make_split_view(const SplitViewOptions& options) {
  std::shared_ptr<gpu::Device> device = options.device;
  if (!device) {
    Result<std::shared_ptr<gpu::Device>> made =
        gpu::Device::make({.selector = options.settings.engine.device});
    if (!made) return needs_device(made.error());
    device = *std::move(made);
  }
  render::SplitHalf gpu{.times = std::make_unique<StageTimes>(), .renderer = nullptr};
  Result<std::unique_ptr<gpu::GpuRenderer>> renderer =
      interop::make_gpu_renderer(std::move(device), *gpu.times, gpu::FramesInFlight);
  if (!renderer) return needs_device(renderer.error());
  gpu.renderer = *std::move(renderer);
  render::SplitHalf cpu{.times = std::make_unique<StageTimes>(), .renderer = nullptr};
  cpu.renderer = render::make_cpu_renderer(options.settings.engine.threads, *cpu.times);
  auto split = std::make_shared<render::SplitRenderer>(std::move(gpu), std::move(cpu),
                                                       options.settings.engine.threads);
  if (options.frame) {
    TRY(split->configure(options.setup));
    TRY(split->render(*options.frame, options.frame_options));
  }
  return split;
}

SplitFacts split_facts(const render::SplitRenderer& split) {
  using Side = render::SplitRenderer::Side;
  constexpr std::string_view CpuPrefix = "CPU, ";
  std::string cpu = split.description(Side::Right);
  if (cpu.starts_with(CpuPrefix)) cpu.erase(0, CpuPrefix.size());
  const std::int64_t frames = split.findings().frames;
  return {.left = {"GPU", split.description(Side::Left), map_ms(split.times(Side::Left), frames)},
          .right = {"CPU", std::move(cpu), map_ms(split.times(Side::Right), frames)},
          .findings = split.findings()};
}

}  // namespace glyphreel::player
