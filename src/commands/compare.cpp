#include <cstdio>
#include <cstdlib>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "base/io/printable.h"
#include "interop/frame_importer.h"
#include "interop/gpu_hw_device_provider.h"
#include "session/command_files.h"
#include "session/setup.h"
#include "session/statistics.h"
#include "present/export/progress.h"
#include "commands/commands.h"
#include "commands/comparison.h"
#include "commands/report.h"

namespace glyphreel::commands {
Result<int> run_compare(const cli::Settings& settings) {
  StageTimes gpu_times{StageTimes::Keep::All};  // for the plots
  StageTimes cpu_times{StageTimes::Keep::All};
  session::Statistics statistics;
  session::DeferredHostMemory memory;
  media::DeferredHwDecode hardware;
  const std::string url = settings.inputs.empty() ? "demo:" : settings.inputs.front();
  TRY_ASSIGN(const std::unique_ptr<media::Source> source,
             session::open_input(settings, {.url = url,
                                            .memory = &memory,
                                            .times = &cpu_times,
                                            .hardware = &hardware,
                                            .ends_on_interrupt = true}));
  statistics.input = source->facts();
  statistics.input_url = url;

  TRY_ASSIGN(const std::shared_ptr<gpu::Device> device, gpu::Device::make({.selector = settings.device}));
  statistics.gpu = device->name();
  statistics.driver = device->listing().driver;
  TRY_ASSIGN(const std::unique_ptr<gpu::GpuRenderer> gpu, interop::make_gpu_renderer(device, gpu_times, 1));
  const std::unique_ptr<render::Renderer> cpu = render::make_cpu_renderer(settings.threads, cpu_times);
  memory.bind(gpu->frame_memory());
  hardware.bind(interop::make_hw_decode_context(device));
  statistics.renderer = gpu->description() + " against " + cpu->description();

  TRY_ASSIGN(const std::shared_ptr<const text::GlyphSet> glyphs,
             session::make_glyphs(settings, settings.cell));
  const render::RenderSetup setup{.grid = session::offline_grid(settings, source->facts()),
                                  .fit = settings.fit,
                                  .glyphs = glyphs,
                                  .mapping = session::mapping_parameters(settings),
                                  .effect = session::effect(settings),
                                  .picture = PictureFormat::Bgra8};
  TRY(gpu->configure(setup));
  TRY(cpu->configure(setup));

  present::ProgressLine progress(settings.verbosity == log::Verbosity::Quiet
                                     ? present::ProgressLine::Visibility::Hidden
                                     : present::ProgressLine::Visibility::Shown);
  present::ProgressState state{.total_frames = session::expected_frames(settings, source->facts())};
  std::unique_ptr<Report> report;
  if (!settings.report_directory.empty()) {
    TRY_ASSIGN(report, Report::make(settings.report_directory, session::input_files(settings)));
  }
  Comparison comparison;
  const auto start = std::chrono::steady_clock::now();
  while (!interrupted() && (!settings.frames || comparison.frames < *settings.frames)) {
    TRY_ASSIGN(const media::SourceItem item, source->read());
    if (std::holds_alternative<media::EndOfStream>(item)) break;
    const auto* frame = std::get_if<Frame>(&item);
    if (frame == nullptr) continue;
    TRY(gpu->submit(*frame));
    TRY_ASSIGN(const render::RenderedFrame on_gpu, gpu->collect());
    TRY(cpu->submit(*frame));
    TRY_ASSIGN(const render::RenderedFrame on_cpu, cpu->collect());
    comparison.add(on_gpu, on_cpu);
    if (report) {
      TRY(report->add(on_gpu, on_cpu));
    }
    statistics.host_bytes_copied += frame->bytes_copied;
    state.frames = comparison.frames;
    state.media_seconds = frame->pts_seconds();
    progress.update(state);
  }
  progress.finish(state);
  statistics.hardware = source->hardware_use();
  statistics.decoded = statistics.mapped = statistics.drawn = comparison.frames;
  statistics.host_bytes_copied += gpu->bytes_copied();
  statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const double gpu_ms = frame_ms(gpu_times);
  const double cpu_ms = frame_ms(cpu_times);
  const nlohmann::json json = comparison_json(comparison, glyphs.get(), gpu_times, cpu_times);
  if (report) {
    TRY(report->finish({.title = url,
                        .gpu = gpu->description(),
                        .cpu = cpu->description(),
                        .gpu_times = &gpu_times,
                        .cpu_times = &cpu_times,
                        .comparison = &comparison,
                        .glyphs = glyphs.get()}));
  }
  if (settings.json) {
    std::puts(session::json_text(json).c_str());
  } else {
    fmt::print("{} frames of {} cells\n", comparison.frames, setup.grid.cells());
    fmt::print("{:<22}{}\n", "mismatched cells", comparison.mismatched_cells);
    fmt::print("{:<22}{}\n", "mismatched pixels", comparison.mismatched_pixels);
    fmt::print("{:<22}{:.2f} ms  {}\n", "GPU map + draw", gpu_ms, gpu->description());
    fmt::print("{:<22}{:.2f} ms  {}\n", "CPU map + draw", cpu_ms, cpu->description());
    fmt::print("{:<22}{:.2f}\n", "speedup", gpu_ms > 0 ? cpu_ms / gpu_ms : 0.0);
    if (comparison.first_mismatch)
      fmt::print("first mismatch        {}\n", printable(json["first_mismatch"].dump()));
  }
  TRY(session::write_statistics(statistics, settings, gpu_times));
  if (comparison.frames == 0 && interrupted()) return static_cast<int>(ErrorCode::Interrupted);
  if (comparison.frames == 0)
    return Error{ErrorCode::BadInput, fmt::format("{} contains no frame to compare.", url), {}};
  if (!comparison.is_equal()) return EXIT_FAILURE;
  return interrupted() ? static_cast<int>(ErrorCode::Interrupted) : EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
