#include "tools/offline.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "import/frame_importer.h"
#include "import/gpu_hardware_devices.h"
#include "player/setup.h"

namespace glyphreel::tools {
namespace {

constexpr int FramesInFlight = 4;  // decoding, mapping and encoding overlap; more only adds memory

}  // namespace

Result<std::unique_ptr<render::Renderer>> make_offline_renderer(const cli::Settings& settings,
                                                                StageTimes& times,
                                                                player::Statistics& statistics,
                                                                media::LateHardware& hardware) {
  media::HardwareOffer offer;
  std::unique_ptr<render::Renderer> renderer;
  if (settings.renderer == cli::RendererChoice::Cpu) {
    statistics.renderer_reason = "as asked";
  } else {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed_ms = [start] {
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    Result<std::shared_ptr<gpu::Device>> device = gpu::Device::make({.selector = settings.device});
    statistics.device_ms = elapsed_ms();
    TRY_ASSIGN(const player::RendererDecision decision,
               player::decide_renderer(settings, device ? device->get() : nullptr,
                                       device ? nullptr : &device.error()));
    statistics.renderer_reason = decision.reason;
    if (device) {
      statistics.gpu = (*device)->name();
      statistics.driver = (*device)->listing().driver;
    }
    if (decision.use_gpu) {
      TRY_ASSIGN(renderer, importer::make_gpu_renderer(*device, times, FramesInFlight));
      offer = importer::offer_hardware(*device);
      statistics.pipelines_ms = elapsed_ms() - statistics.device_ms;
    }
  }
  hardware.bind(std::move(offer));
  if (!renderer) renderer = render::make_cpu_renderer(settings.threads, times);
  statistics.renderer = renderer->description();
  log::info("Renderer: {} ({}).", statistics.renderer, statistics.renderer_reason);
  return renderer;
}

}  // namespace glyphreel::tools
