#include "commands/bench/workbench.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "cli/assets.h"
#include "commands/bench/copy_speed.h"
#include "commands/bench/frame_feed.h"
#include "commands/bench/samples.h"
#include "commands/offline.h"
#include "gpu/gpu_renderer.h"
#include "gpu/resources/copy_timing.h"
#include "interop/frame_importer.h"
#include "interop/gpu_hw_device_provider.h"
#include "media/ffmpeg/picture_limits.h"
#include "present/export/recorder.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr int FramesInFlight = 4;             // as in recordings
constexpr std::int64_t FramesFromFile = 120;  // per repetition of a benchmark that reads the input
// Maximum total size of the frames in memory: larger than most CPU caches, but small enough to load quickly.
constexpr std::int64_t MaxLoadedBytes = 96 << 20;
constexpr std::int64_t MaxLoaded = 24, MinLoaded = 4;
constexpr double RepetitionMs = 150;  // a repetition replays the frames for at least this time
constexpr std::size_t CopiedBytes = std::size_t{64} << 20;
constexpr int Copies = 8;

double process_cpu_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Measures wall and CPU time from its construction.
class Stopwatch {
 public:
  [[nodiscard]] double real_ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }
  [[nodiscard]] Repetition per_frame(std::int64_t frames) const {
    const auto count = static_cast<double>(std::max<std::int64_t>(1, frames));
    return {.frames = frames,
            .real_ms = real_ms() / count,
            .cpu_ms = (process_cpu_ms() - cpu_) / count,
            .counters = {}};
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_ = process_cpu_ms();
};

/// Remembers the total time of each stage, to find the time that a repetition adds.
class StageTotals {
 public:
  explicit StageTotals(const StageTimes& times) {
    for (std::size_t i = 0; i < StageCount; ++i) before_[i] = times.summary(static_cast<Stage>(i));
  }
  /// For each stage that has run since this object was constructed, adds a counter to `repetition`: NAME_ms,
  /// the stage's mean duration.
  void add_means(const StageTimes& times, Repetition& repetition) const {
    for (std::size_t i = 0; i < StageCount; ++i) {
      const auto stage = static_cast<Stage>(i);
      const StageSummary now = times.summary(stage);
      if (now.count == before_[i].count) continue;
      repetition.counters[fmt::format("{}_ms", stage_name(stage))] =
          (now.total_ms - before_[i].total_ms) / static_cast<double>(now.count - before_[i].count);
    }
  }

 private:
  std::array<StageSummary, StageCount> before_;
};

/// Discards all frames.
class NullSink final : public present::FrameSink {
 public:
  explicit NullSink(PictureFormat format) : format_(format) {}
  PictureFormat picture_format() const override { return format_; }
  Result<void> write(const render::RenderedFrame& /*frame*/) override { return {}; }
  Result<void> write_audio(const media::AudioPacket& /*packet*/) override { return {}; }
  Result<void> finish() override { return {}; }
  std::string abandon() override { return {}; }
  std::string description() const override { return "none"; }

 private:
  PictureFormat format_;
};

Error not_repeatable(const std::string& url) {
  return {ErrorCode::Usage,
          fmt::format(
              "'glyphreel bench' reads its input several times, which {} does not allow; give a file.", url),
          {}};
}

}  // namespace

Workbench::~Workbench() {
  std::error_code left_behind;  // ignored, because a leftover temporary folder does no harm
  if (!folder_.empty()) fs::remove_all(folder_, left_behind);
}

Result<std::unique_ptr<Workbench>> Workbench::open(const cli::Settings& settings) {
  std::unique_ptr<Workbench> bench(new Workbench(settings));
  bench->url_ = settings.inputs.empty() ? "demo:" : settings.inputs.front();
  if (bench->url_ == "-") return not_repeatable("standard input");
  TRY_ASSIGN(const std::unique_ptr<media::Source> source, bench->open_source(bench->url_, nullptr, false));
  const media::InputFacts& input = source->input();
  if (input.is_live || input.kind == media::InputKind::Camera || input.kind == media::InputKind::Screen)
    return not_repeatable(bench->url_);
  bench->facts_ = source->facts();
  bench->statistics_.input = bench->facts_;
  bench->statistics_.input_url = bench->url_;
  Station& cpu = bench->station(BenchEngine::Cpu);
  cpu.renderer = render::make_cpu_renderer(settings.engine.threads, cpu.times);
  cpu.copy_bytes_per_ms = copy_bytes_per_ms(CopiedBytes, Copies, settings.engine.threads);
  if (settings.engine.renderer != cli::RendererChoice::Cpu) TRY(bench->open_gpu());
  bench->statistics_.renderer = bench->station(bench->preferred_).renderer->description();
  return bench;
}

/// Opens the GPU, if there is one. Errors: NoDevice only with --renderer gpu.
Result<void> Workbench::open_gpu() {
  Result<std::shared_ptr<gpu::Device>> device = gpu::Device::make({.selector = settings_.engine.device});
  TRY_ASSIGN(const session::RendererDecision decision, session::decide_renderer(settings_, device));
  statistics_.renderer_reason = decision.reason;
  if (!device) return {};
  device_ = *device;
  statistics_.gpu = device_->name();
  statistics_.driver = device_->listing().driver;
  Station& gpu = station(BenchEngine::Gpu);
  TRY_ASSIGN(gpu.renderer, interop::make_gpu_renderer(device_, gpu.times, FramesInFlight,
                                                      settings_.bench.matrix ? MostInBatch : 1));
  memory_.bind(gpu.renderer->frame_memory());
  hardware_.bind(interop::make_hw_decode_context(device_));
  TRY_ASSIGN(const double copy_ms, gpu::copy_ms(device_, CopiedBytes, Copies));
  if (copy_ms > 0) gpu.copy_bytes_per_ms = 2.0 * CopiedBytes / copy_ms;
  if (decision.use_gpu) preferred_ = BenchEngine::Gpu;
  return {};
}

std::vector<BenchCase> Workbench::cases() const {
  std::error_code unknown;
  const bool is_file = url_ == "demo:" || fs::is_regular_file(url_, unknown);
  return plan_cases(choose_cases(
      settings_,
      {.input = facts_.size, .scalable = is_file, .has_gpu = device_ != nullptr, .preferred = preferred_}));
}

Result<std::unique_ptr<media::Source>> Workbench::open_source(const std::string& url, StageTimes* times,
                                                              bool hardware) {
  return session::open_input(settings_, {.url = url,
                                         .decoding_goal = media::DecodingGoal::Throughput,
                                         .memory = &memory_,
                                         .times = times,
                                         .hardware = hardware ? &hardware_ : nullptr,
                                         .ends_on_interrupt = true});
}

Result<void> Workbench::load(Extent size) {
  frames_.clear();
  std::string url = url_;
  if (size != facts_.size) {
    if (url == "demo:") {
      TRY_ASSIGN(url, cli::find_asset("demo.mp4"));
    }
    url = scaled_input(url, size);
  }
  TRY_ASSIGN(const std::unique_ptr<media::Source> source, open_source(url, nullptr, false));
  TRY_ASSIGN(frames_, read_frames(*source, 1));
  TRY_ASSIGN(frames_.front(), on_host(frames_.front(), nullptr));
  frame_bytes_ = std::max<std::int64_t>(1, media::bytes_of(frames_.front().view));
  std::int64_t count = std::clamp(MaxLoadedBytes / frame_bytes_, MinLoaded, MaxLoaded);
  if (settings_.playback.frames) count = std::min<std::int64_t>(count, *settings_.playback.frames);
  while (std::ssize(frames_) < count) {
    TRY_ASSIGN(const media::SourceItem item, source->read());
    if (std::holds_alternative<media::EndOfStream>(item)) break;
    if (const auto* frame = std::get_if<Frame>(&item)) {
      TRY_ASSIGN(Frame host, on_host(*frame, nullptr));
      frames_.push_back(std::move(host));
    }
  }
  return {};
}

Result<Repetition> Workbench::run(const BenchCase& bench_case) {
  const double reference = reference_ms();
  TRY_ASSIGN(Repetition repetition, bench_case.workload == Workload::Decode ? decode()
                                    : bench_case.batch > 1                  ? map_together(bench_case)
                                                                            : render(bench_case));
  repetition.counters["reference_ms"] = (reference + reference_ms()) / 2;
  add_counters(bench_case, repetition);
  return repetition;
}

Result<Repetition> Workbench::decode() {
  StageTimes& times = station(preferred_).times;
  TRY_ASSIGN(std::unique_ptr<media::Source> input, open_source(url_, &times, preferred_ == BenchEngine::Gpu));
  TRY_ASSIGN(const std::unique_ptr<FrameFeed> feed, FrameFeed::primed(std::move(input)));
  const StageTotals before(times);
  const std::int64_t most = settings_.playback.frames.value_or(FramesFromFile);
  std::int64_t frames = 0;
  const Stopwatch watch;
  while (frames < most && !interrupted()) {
    TRY_ASSIGN(const media::SourceItem item, feed->read());
    if (std::holds_alternative<media::EndOfStream>(item)) break;
    if (std::holds_alternative<Frame>(item)) ++frames;
  }
  Repetition repetition = watch.per_frame(frames);
  before.add_means(times, repetition);
  statistics_.frames.decoded += frames;
  return repetition;
}

/// Returns how many frames a repetition renders. If the input has fewer frames, the repetition renders all of
/// them.
std::int64_t Workbench::frames_of(const BenchCase& bench_case) const {
  if (settings_.playback.frames) return *settings_.playback.frames;
  const auto loops = loops_.find(case_name(bench_case));
  const bool is_replay = bench_case.workload == Workload::Map || bench_case.workload == Workload::Draw;
  return is_replay && loops != loops_.end() ? loops->second * std::ssize(frames_) : FramesFromFile;
}

/// Returns what a benchmark reads: the frames in memory, or the input.
Result<std::unique_ptr<media::Source>> Workbench::feed(const BenchCase& bench_case) {
  if (bench_case.workload == Workload::Text || bench_case.workload == Workload::Video) {
    TRY_ASSIGN(std::unique_ptr<media::Source> input,
               open_source(url_, &station(bench_case.engine).times, bench_case.engine == BenchEngine::Gpu));
    TRY_ASSIGN(std::unique_ptr<FrameFeed> primed, FrameFeed::primed(std::move(input)));
    return std::unique_ptr<media::Source>(std::move(primed));
  }
  return std::unique_ptr<media::Source>(FrameFeed::replaying(frames_, frames_of(bench_case), facts_));
}

Result<std::unique_ptr<present::FrameSink>> Workbench::open_sink(const BenchCase& bench_case) {
  if (bench_case.workload != Workload::Video) {
    return std::unique_ptr<present::FrameSink>(std::make_unique<NullSink>(
        bench_case.workload == Workload::Draw ? PictureFormat::Bgra8 : PictureFormat::None));
  }
  if (folder_.empty()) {
    std::error_code problem;
    std::string name = (fs::temp_directory_path(problem) / "glyphreel-bench-XXXXXX").string();
    if (problem || ::mkdtemp(name.data()) == nullptr) {
      return Error{ErrorCode::Failed,
                   "The encoder's output needs a temporary folder; set TMPDIR to a writable folder.", name};
    }
    folder_ = name;
  }
  return present::open_video_sink({.path = folder_ + "/bench.mp4",
                                   .threads = settings_.engine.threads,
                                   .grid = bench_case.grid,
                                   .size = {bench_case.grid.columns * settings_.layout.cell.width,
                                            bench_case.grid.rows * settings_.layout.cell.height},
                                   .time_base = facts_.time_base,
                                   .frame_rate = facts_.frame_rate,
                                   .overwrite = true},
                                  std::nullopt);
}

/// Applies the settings and renders each of the frames that load() has decoded into memory, so that caches,
/// clock rates and memory are in the state of a long run. Chooses how often a repetition replays the frames.
Result<void> Workbench::warm_up(const BenchCase& bench_case, present::FrameSink& sink) {
  cli::Settings settings = settings_;
  settings.glyphs.mode = bench_case.mode;
  settings.picture.color = bench_case.color;
  TRY_ASSIGN(glyphs_, session::make_glyphs(settings, settings.layout.cell));
  render::RenderSetup setup = offline_setup(settings, bench_case.grid, glyphs_);
  setup.picture = sink.picture_format();
  setup.want_cells = setup.picture == PictureFormat::None;
  render::Renderer& renderer = *station(bench_case.engine).renderer;
  const render::FrameOptions options = session::frame_options(settings);
  const Stopwatch first;
  TRY(renderer.configure(setup));
  TRY(renderer.render(frames_.front(), options));
  first_frame_ms_ = first.real_ms();
  std::vector<double> times;
  for (const Frame& frame : frames_) {
    const Stopwatch one;
    TRY(renderer.render(frame, options));
    times.push_back(one.real_ms());
    if (interrupted()) break;
  }
  // Use the median, because run_in_slices() may have paused this process while it rendered some frame.
  const double pass_ms = median(times) * static_cast<double>(frames_.size());
  const double loops = std::ceil(RepetitionMs / std::max(pass_ms, 0.01));
  loops_.try_emplace(case_name(bench_case),
                     std::clamp<std::int64_t>(static_cast<std::int64_t>(loops), 1, 256));
  return {};
}

Result<Repetition> Workbench::render(const BenchCase& bench_case) {
  Station& used = station(bench_case.engine);
  TRY_ASSIGN(const std::unique_ptr<present::FrameSink> sink, open_sink(bench_case));
  TRY(warm_up(bench_case, *sink));
  TRY_ASSIGN(const std::unique_ptr<media::Source> source, feed(bench_case));
  const StageTotals before(used.times);
  StageTimes dropped;  // times of the NullSink; not reported
  const std::uint64_t copied = used.renderer->bytes_copied();
  const Stopwatch watch;
  TRY_ASSIGN(const present::RecordOutcome outcome,
             present::record({.source = source.get(),
                              .renderer = used.renderer.get(),
                              .frame_options = session::frame_options(settings_),
                              .sink = sink.get(),
                              .times = bench_case.workload == Workload::Video ? &used.times : &dropped,
                              .max_frames = frames_of(bench_case),
                              .progress = present::ProgressLine::Visibility::Hidden}));
  Repetition repetition = watch.per_frame(outcome.mapped);
  before.add_means(used.times, repetition);
  if (outcome.mapped > 0) {
    repetition.counters["copied_bytes"] =
        static_cast<double>(outcome.host_bytes_copied - copied) / static_cast<double>(outcome.mapped);
  }
  repetition.counters["first_frame_ms"] = first_frame_ms_;
  statistics_.frames.decoded += outcome.decoded;
  statistics_.frames.mapped += outcome.mapped;
  statistics_.frames.drawn += outcome.drawn;
  statistics_.frames.encoded += bench_case.workload == Workload::Video ? outcome.encoded : 0;
  statistics_.host_bytes_copied += outcome.host_bytes_copied - copied;
  statistics_.work_seconds += outcome.work_seconds;
  return repetition;
}

/// Maps the frames in memory in batches, each in one submission. As in a batch of pictures, no frame depends
/// on the one before.
Result<Repetition> Workbench::map_together(const BenchCase& bench_case) {
  NullSink sink(PictureFormat::None);
  TRY(warm_up(bench_case, sink));
  Station& used = station(bench_case.engine);
  const render::FrameOptions options = session::frame_options(settings_);
  std::vector<Frame> batch;
  for (int i = 0; i < bench_case.batch; ++i) {
    batch.push_back(frames_[static_cast<std::size_t>(i) % frames_.size()]);
    batch.back().epoch = static_cast<std::uint32_t>(i);
  }
  const auto map_batch = [&]() -> Result<void> {
    TRY(used.renderer->submit_together(batch, options));
    for (int i = 0; i < bench_case.batch; ++i) TRY(used.renderer->collect());
    return {};
  };
  TRY(map_batch());  // allocates the memory for results
  const StageTotals before(used.times);
  const std::uint64_t copied = used.renderer->bytes_copied();
  const std::int64_t wanted = frames_of(bench_case);
  std::int64_t frames = 0;
  const Stopwatch watch;
  for (; frames < wanted && !interrupted(); frames += bench_case.batch) TRY(map_batch());
  Repetition repetition = watch.per_frame(frames);
  before.add_means(used.times, repetition);
  const std::uint64_t bytes = used.renderer->bytes_copied() - copied;
  repetition.counters["copied_bytes"] =
      static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, frames));
  repetition.counters["first_frame_ms"] = first_frame_ms_;
  statistics_.frames.mapped += frames;
  statistics_.host_bytes_copied += bytes;
  return repetition;
}

/// Returns the minimum memory traffic: each result is written once, and read once by the next stage.
double Workbench::bytes_per_frame(const BenchCase& bench_case) const {
  const auto frame = static_cast<double>(frame_bytes_);
  const double cells = static_cast<double>(bench_case.grid.cells()) * sizeof(render::Cell);
  const double pixels = static_cast<double>(bench_case.grid.cells()) * settings_.layout.cell.width *
                        settings_.layout.cell.height;
  switch (bench_case.workload) {
    case Workload::Decode:
      return frame;
    case Workload::Map:
      return frame + cells;
    case Workload::Draw:
      return frame + 2 * cells + 4 * pixels;
    case Workload::Text:
      return 2 * frame + 2 * cells;
    case Workload::Video:
      return 2 * frame + 2 * cells + 2 * 1.5 * pixels;
  }
  return 0;
}

void Workbench::add_counters(const BenchCase& bench_case, Repetition& repetition) {
  auto& counters = repetition.counters;
  if (repetition.real_ms <= 0) return;
  const double bytes = bytes_per_frame(bench_case);
  counters["items_per_second"] = 1000 / repetition.real_ms;
  counters["bytes"] = bytes;
  counters["bytes_per_second"] = 1000 * bytes / repetition.real_ms;
  double busy_ms = repetition.real_ms;
  if (bench_case.workload == Workload::Map || bench_case.workload == Workload::Draw) {
    busy_ms = 0;
    for (const char* stage : {"map_ms", "draw_ms", "pack_ms"}) {
      if (const auto found = counters.find(stage); found != counters.end()) busy_ms += found->second;
    }
  }
  const double copy = station(bench_case.engine).copy_bytes_per_ms;
  if (copy > 0 && busy_ms > 0) counters["bandwidth_share"] = bytes / busy_ms / copy;
}

const StageTimes& Workbench::times() const {
  return stations_[static_cast<std::size_t>(preferred_)].times;
}

nlohmann::json Workbench::description() const {
  nlohmann::json json{{"input",
                       {{"url", url_},
                        {"codec", facts_.codec},
                        {"pix_fmt", facts_.pixel_format},
                        {"width", facts_.size.width},
                        {"height", facts_.size.height},
                        {"fps", facts_.frame_rate.is_positive() ? facts_.frame_rate.value() : 0.0}}},
                      {"cpu_renderer", stations_[0].renderer->description()},
                      {"cpu_copy_bytes_per_second", stations_[0].copy_bytes_per_ms * 1000}};
  if (device_ == nullptr) return json;
  json["gpu"] = {{"name", device_->name()},
                 {"driver", device_->listing().driver},
                 {"uuid", device_->listing().uuid},
                 {"kind", gpu::kind_name(device_->listing().kind)},
                 {"copy_bytes_per_second", stations_[1].copy_bytes_per_ms * 1000}};
  return json;
}

}  // namespace glyphreel::commands
