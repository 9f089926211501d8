#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "commands/bench/benchmark.h"
#include "commands/bench/cases.h"
#include "gpu/device/device.h"
#include "media/source.h"
#include "present/export/frame_sink.h"
#include "render/renderer.h"
#include "session/setup.h"
#include "session/statistics.h"

namespace glyphreel::commands {

/// Runs benchmarks on one input. All benchmarks share the renderers.
/// Thread-safety: one thread.
class Workbench {
 public:
  /// Opens the input and the renderers, and measures the bandwidth of copying. Errors: BadInput; NoDevice;
  /// Usage if the input cannot be read several times; Failed.
  [[nodiscard]] static Result<std::unique_ptr<Workbench>> open(const cli::Settings& settings);
  ~Workbench();

  [[nodiscard]] std::vector<BenchCase> cases() const;

  /// Decodes frames of this size into memory, for the benchmarks of this size that follow. Errors: those of
  /// the input.
  [[nodiscard]] Result<void> load(Extent size);

  /// Warms up and runs one repetition of a benchmark. Errors: those of the input, the renderer and the
  /// encoder. The repetition has these counters, among others:
  ///   NAME_ms           time per frame of each stage that ran
  ///   bytes             minimum memory traffic per frame
  ///   items_per_second  frames per second
  ///   first_frame_ms    time from new settings to the first frame, which is not part of the measured time
  ///   bandwidth_share   `bytes` divided by the time per frame and by Station::copy_bytes_per_ms; for Map and
  ///                     Draw, the time per frame is the time in the map, draw and pack stages
  ///   reference_ms      mean of reference_ms() before and after the repetition
  [[nodiscard]] Result<Repetition> run(const BenchCase& bench_case);

  /// Returns the input and the engines as members of the "context" of a run.
  [[nodiscard]] nlohmann::json description() const;
  /// Returns the totals over all repetitions, for --stats.
  [[nodiscard]] const session::Statistics& statistics() const { return statistics_; }
  [[nodiscard]] const StageTimes& times() const;

 private:
  /// A renderer with the times of its stages.
  struct Station {
    StageTimes times;
    std::unique_ptr<render::Renderer> renderer;
    double copy_bytes_per_ms = 0;  ///< bytes read plus bytes written while copying
  };

  explicit Workbench(const cli::Settings& settings) : settings_(settings) {}
  [[nodiscard]] Result<void> open_gpu();
  [[nodiscard]] Result<std::unique_ptr<media::Source>> open_source(const std::string& url, StageTimes* times,
                                                                   bool hardware);
  [[nodiscard]] std::int64_t frames_of(const BenchCase& bench_case) const;
  [[nodiscard]] Result<Repetition> decode();
  [[nodiscard]] Result<void> warm_up(const BenchCase& bench_case, present::FrameSink& sink);
  [[nodiscard]] Result<Repetition> render(const BenchCase& bench_case);
  [[nodiscard]] Result<Repetition> map_together(const BenchCase& bench_case);
  [[nodiscard]] Result<std::unique_ptr<media::Source>> feed(const BenchCase& bench_case);
  [[nodiscard]] Result<std::unique_ptr<present::FrameSink>> open_sink(const BenchCase& bench_case);
  [[nodiscard]] Station& station(BenchEngine engine) { return stations_[static_cast<std::size_t>(engine)]; }
  void add_counters(const BenchCase& bench_case, Repetition& repetition);
  [[nodiscard]] double bytes_per_frame(const BenchCase& bench_case) const;

  const cli::Settings settings_;
  std::string url_;
  BenchEngine preferred_ = BenchEngine::Cpu;
  std::shared_ptr<gpu::Device> device_;  ///< null: no GPU is used
  std::array<Station, 2> stations_;      ///< by BenchEngine; without a GPU the second has no renderer
  session::DeferredHostMemory memory_;
  media::DeferredHwDecode hardware_;
  media::VideoFacts facts_;
  std::vector<Frame> frames_;                  ///< the frames that Map and Draw replay
  std::int64_t frame_bytes_ = 0;               ///< size of each frame in `frames_`
  std::map<std::string, std::int64_t> loops_;  ///< by benchmark: how often a repetition replays `frames_`
  double first_frame_ms_ = 0;                  ///< measured by the last warm_up()
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::string folder_;  ///< temporary folder for encoded videos; empty: not made yet
  session::Statistics statistics_;
};

}  // namespace glyphreel::commands
