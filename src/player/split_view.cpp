#include "player/split_view.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/distribution.h"
#include "import/frame_importer.h"

namespace glyphreel::player {
namespace {

Error needs_device(const Error& error) {
  return {ErrorCode::NoDevice, fmt::format("Split view needs a Vulkan device: {}", error.message), error.cause};
}

/// Empty where the GPU tells no times.
std::optional<double> map_ms(const StageTimes& times) {
  constexpr std::size_t Frames = 24;
  std::vector<float> recent = times.recent(Stage::Map, Frames);
  if (recent.empty()) return std::nullopt;
  return quantile(std::move(recent), 0.5);
}

}  // namespace

Result<std::shared_ptr<render::SplitRenderer>> make_split_view(const cli::Settings& settings,
                                                               std::shared_ptr<gpu::Device> device) {
  if (!device) {
    Result<std::shared_ptr<gpu::Device>> made = gpu::Device::make({.selector = settings.device});
    if (!made) return needs_device(made.error());
    device = *std::move(made);
  }
  render::SplitHalf gpu{.times = std::make_unique<StageTimes>(), .renderer = nullptr};
  Result<std::unique_ptr<gpu::GpuRenderer>> renderer =
      importer::make_gpu_renderer(std::move(device), *gpu.times, gpu::FramesInFlight);
  if (!renderer) return needs_device(renderer.error());
  gpu.renderer = *std::move(renderer);
  render::SplitHalf cpu{.times = std::make_unique<StageTimes>(), .renderer = nullptr};
  cpu.renderer = render::make_cpu_renderer(settings.threads, *cpu.times);
  return std::shared_ptr<render::SplitRenderer>(
      render::make_split_renderer(std::move(gpu), std::move(cpu), settings.threads));
}

SplitFacts split_facts(const render::SplitRenderer& split) {
  using Side = render::SplitRenderer::Side;
  constexpr std::string_view CpuPrefix = "CPU, ";
  std::string cpu = split.description(Side::Right);
  if (cpu.starts_with(CpuPrefix)) cpu.erase(0, CpuPrefix.size());
  const render::SplitFindings& found = split.findings();
  return {.left = {"GPU", split.description(Side::Left), map_ms(split.times(Side::Left))},
          .right = {"CPU", std::move(cpu), map_ms(split.times(Side::Right))},
          .cells = found.cells,
          .differing = found.differing,
          .frames = found.frames,
          .differing_in_all = found.differing_in_all};
}

}  // namespace glyphreel::player
