#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/interrupt.h"
#include "base/io/printable.h"
#include "commands/commands.h"
#include "commands/comparison.h"
#include "commands/offline.h"
#include "commands/report.h"
#include "commands/ssim.h"
#include "gpu/gpu_renderer.h"
#include "interop/frame_importer.h"
#include "interop/gpu_hw_device_provider.h"
#include "present/export/progress.h"
#include "session/command_files.h"
#include "session/setup.h"

namespace glyphreel::commands {
namespace {

/// Compares the frames that the GPU and the CPU render from settings.inputs.front().
class CompareJob {
 public:
  explicit CompareJob(const cli::Settings& settings) : settings_(settings) {}

  /// Opens the input and both renderers, and creates the folder of --report. Errors: BadInput; NoDevice;
  /// Usage if the charset or the font is unusable; Failed if the folder cannot be written.
  [[nodiscard]] Result<void> open();
  /// Renders every frame on both renderers. Blocks until the input ends or the user interrupts. Errors: those
  /// of the input, the renderers and the report's pictures.
  [[nodiscard]] Result<Comparison> run();
  /// Writes the page of --report, prints the result, and writes --stats. Errors: Failed.
  [[nodiscard]] Result<void> report(const Comparison& comparison);

 private:
  [[nodiscard]] Result<void> open_renderers();
  [[nodiscard]] Result<void> compare(const Frame& frame, Comparison& comparison);
  [[nodiscard]] Result<Report::Source> compare_with_source(const Frame& frame, const Picture& picture);
  void print(const Comparison& comparison) const;

  const cli::Settings& settings_;
  StageTimes gpu_times_{StageTimes::Keep::All};  // keeps every duration for the plots of --report
  StageTimes cpu_times_{StageTimes::Keep::All};
  session::Statistics statistics_;
  session::DeferredHostMemory memory_;
  media::DeferredHwDecode hardware_;
  std::unique_ptr<media::Source> source_;
  std::unique_ptr<gpu::GpuRenderer> gpu_;
  std::unique_ptr<render::Renderer> cpu_;
  session::WindowLayout layout_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::unique_ptr<Report> report_;  ///< null without --report
  std::optional<SourceSimilarity> similarity_;
};

Result<void> CompareJob::open() {
  const std::string& url = settings_.inputs.front();
  TRY_ASSIGN(source_, session::open_input(settings_, {.url = url,
                                                      .decoding_goal = media::DecodingGoal::Throughput,
                                                      .memory = &memory_,
                                                      .times = &cpu_times_,
                                                      .hardware = &hardware_,
                                                      .ends_on_interrupt = true}));
  statistics_.input = source_->facts();
  statistics_.input_url = url;
  TRY_ASSIGN(layout_, session::offline_layout(settings_, source_->facts()));
  TRY(open_renderers());
  if (!settings_.report.directory.empty()) {
    TRY_ASSIGN(report_, Report::make(settings_.report.directory, session::input_files(settings_)));
  }
  return {};
}

Result<void> CompareJob::open_renderers() {
  TRY_ASSIGN(const std::shared_ptr<gpu::Device> device,
             gpu::Device::make({.selector = settings_.engine.device}));
  statistics_.gpu = device->name();
  statistics_.driver = device->listing().driver;
  TRY_ASSIGN(gpu_, interop::make_gpu_renderer(device, gpu_times_, 1));
  cpu_ = render::make_cpu_renderer(settings_.engine.threads, cpu_times_);
  memory_.bind(gpu_->frame_memory());
  hardware_.bind(interop::make_hw_decode_context(device));
  statistics_.renderer = gpu_->description() + " against " + cpu_->description();
  TRY_ASSIGN(glyphs_, session::make_glyphs(settings_, layout_.cell));
  render::RenderSetup setup = offline_setup(settings_, layout_.grid, glyphs_);
  setup.picture = PictureFormat::Bgra8;
  similarity_.emplace(setup, session::frame_options(settings_).light, settings_.engine.threads);
  TRY(gpu_->configure(setup));
  return cpu_->configure(setup);
}

Result<Comparison> CompareJob::run() {
  present::ProgressLine progress(progress_visibility(settings_));
  present::ProgressState state{.total_frames =
                                   session::expected_frames(settings_, source_->facts(), source_->range())};
  Comparison comparison;
  present::ProcessedSpan processed;
  const auto start = std::chrono::steady_clock::now();
  auto work_start = start;
  while (!interrupted() && (!settings_.playback.frames || comparison.frames < *settings_.playback.frames)) {
    TRY_ASSIGN(const media::SourceItem item, source_->read());
    if (std::holds_alternative<media::EndOfStream>(item)) break;
    const auto* frame = std::get_if<Frame>(&item);
    if (frame == nullptr) continue;
    if (comparison.frames == 0) {
      work_start = std::chrono::steady_clock::now();
      progress.begin();
    }
    TRY(compare(*frame, comparison));
    processed.add(*frame);
    state.frames = comparison.frames;
    state.media_seconds = processed.seconds();
    progress.update(state);
  }
  progress.finish(state);
  statistics_.hardware = source_->hardware_use();
  statistics_.frames.decoded = statistics_.frames.mapped = statistics_.frames.drawn = comparison.frames;
  statistics_.host_bytes_copied += gpu_->bytes_copied();
  const auto end = std::chrono::steady_clock::now();
  statistics_.wall_seconds = std::chrono::duration<double>(end - start).count();
  statistics_.work_seconds = std::chrono::duration<double>(end - work_start).count();
  return comparison;
}

Result<void> CompareJob::compare(const Frame& frame, Comparison& comparison) {
  const render::FrameOptions options = session::frame_options(settings_);
  TRY_ASSIGN(const render::RenderedFrame on_gpu, gpu_->render(frame, options));
  TRY_ASSIGN(const render::RenderedFrame on_cpu, cpu_->render(frame, options));
  comparison.add(on_gpu, on_cpu);
  statistics_.host_bytes_copied += frame.bytes_copied;
  if (!report_ && !settings_.report.json) return {};
  TRY_ASSIGN(const Report::Source source, compare_with_source(frame, on_cpu.picture));
  comparison.ssim_sum = comparison.ssim_sum.value_or(0) + source.ssim;
  return report_ ? report_->add(on_gpu, on_cpu, source) : Result<void>();
}

Result<Report::Source> CompareJob::compare_with_source(const Frame& frame, const Picture& picture) {
  TRY_ASSIGN(const std::span<const std::uint32_t> scaled, similarity_->scaled(frame));
  return Report::Source{scaled, ssim(picture, scaled, glyphs_->cell())};
}

Result<void> CompareJob::report(const Comparison& comparison) {
  if (report_) {
    TRY(report_->finish({.title = statistics_.input_url,
                         .gpu = gpu_->description(),
                         .cpu = cpu_->description(),
                         .gpu_times = &gpu_times_,
                         .cpu_times = &cpu_times_,
                         .comparison = &comparison,
                         .glyphs = glyphs_.get()}));
  }
  print(comparison);
  return session::write_statistics(statistics_, settings_, gpu_times_);
}

void CompareJob::print(const Comparison& comparison) const {
  const nlohmann::json json = comparison_json(comparison, glyphs_.get(), gpu_times_, cpu_times_);
  if (settings_.report.json) {
    std::puts(session::json_text(json).c_str());
    return;
  }
  fmt::print("{} frames of {} cells\n", comparison.frames, layout_.grid.cells());
  fmt::print("{:<22}{}\n", "mismatched cells", comparison.mismatched_cells);
  fmt::print("{:<22}{}\n", "mismatched pixels", comparison.mismatched_pixels);
  fmt::print("{:<22}{:.2f} ms  {}\n", "GPU map + draw", json["gpu_ms"].get<double>(), gpu_->description());
  fmt::print("{:<22}{:.2f} ms  {}\n", "CPU map + draw", json["cpu_ms"].get<double>(), cpu_->description());
  fmt::print("{:<22}{:.2f}\n", "speedup", json["speedup"].get<double>());
  if (json.contains("ssim")) {
    fmt::print(
        "{:<22}{:.4f}  similarity of the text picture to the source, by the mean luma of cell-wide "
        "squares\n",
        "SSIM", json["ssim"].get<double>());
  }
  if (comparison.first_mismatch) {
    fmt::print("{:<22}{}\n", "first mismatch", printable(json["first_mismatch"].dump()));
  }
}

}  // namespace

Result<int> run_compare(const cli::Settings& settings) {
  CompareJob job(settings);
  TRY(job.open());
  TRY_ASSIGN(const Comparison comparison, job.run());
  TRY(job.report(comparison));
  if (comparison.frames == 0 && !interrupted()) {
    return Error{ErrorCode::BadInput,
                 fmt::format("{} contains no frame to compare; check --start, --end and --length.",
                             settings.inputs.front())};
  }
  if (!comparison.is_equal()) return EXIT_FAILURE;
  return interrupted() ? static_cast<int>(ErrorCode::Interrupted) : EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
