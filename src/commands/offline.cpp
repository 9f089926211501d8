#include "commands/offline.h"

#include <chrono>
#include <utility>

#include "gpu/device/device_choice.h"
#include "interop/frame_importer.h"
#include "interop/gpu_hw_device_provider.h"
#include "session/setup.h"

namespace glyphreel::commands {
namespace {

constexpr int FramesInFlight = 4;  // lets decoding, mapping and encoding overlap; more would only use memory

/// Opens the GPU. With --renderer auto and without --device, returns an error if the machine has no GPU. Does
/// not load Vulkan drivers in this case: loading takes 65 ms and could find only a software driver, which
/// `auto` does not use.
Result<std::shared_ptr<gpu::Device>> open_device(const cli::EngineSettings& engine) {
  if (engine.renderer == cli::RendererChoice::Auto && engine.device.empty() && !gpu::may_have_gpu())
    return Error{ErrorCode::NoDevice, "This machine has no GPU.", {}};
  return gpu::Device::make({.selector = engine.device});
}

}  // namespace

Result<std::unique_ptr<render::Renderer>> make_offline_renderer(const cli::Settings& settings, int together,
                                                                StageTimes& times,
                                                                session::Statistics& statistics,
                                                                media::DeferredHwDecode& hardware) {
  media::HwDecodeContext offer;
  std::unique_ptr<render::Renderer> renderer;
  if (settings.engine.renderer == cli::RendererChoice::Cpu) {
    statistics.renderer_reason = "as requested";
  } else {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed_ms = [start] {
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    Result<std::shared_ptr<gpu::Device>> device = open_device(settings.engine);
    statistics.device_ms = elapsed_ms();
    TRY_ASSIGN(const session::RendererDecision decision, session::decide_renderer(settings, device));
    statistics.renderer_reason = decision.reason;
    if (device) {
      statistics.gpu = (*device)->name();
      statistics.driver = (*device)->listing().driver;
    }
    if (decision.use_gpu) {
      TRY_ASSIGN(renderer, interop::make_gpu_renderer(*device, times, FramesInFlight, together));
      offer = interop::make_hw_decode_context(*device);
      statistics.pipelines_ms = elapsed_ms() - statistics.device_ms;
    }
  }
  hardware.bind(std::move(offer));
  if (!renderer) renderer = render::make_cpu_renderer(settings.engine.threads, times);
  statistics.renderer = renderer->description();
  return renderer;
}

render::RenderSetup offline_setup(const cli::Settings& settings, GridSize grid,
                                  std::shared_ptr<const text::GlyphSet> glyphs) {
  return {.grid = grid,
          .fit = settings.layout.fit,
          .glyphs = std::move(glyphs),
          .mapping = session::mapping_parameters(settings)};
}

present::ProgressLine::Visibility progress_visibility(const cli::Settings& settings) {
  return settings.report.verbosity == log::Verbosity::Quiet ? present::ProgressLine::Visibility::Hidden
                                                            : present::ProgressLine::Visibility::Shown;
}

}  // namespace glyphreel::commands
