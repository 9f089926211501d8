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
#include "gpu/device/device.h"
#include "media/source.h"
#include "present/export/frame_sink.h"
#include "render/renderer.h"
#include "session/setup.h"
#include "session/statistics.h"
#include "commands/bench/benchmark.h"
#include "commands/bench/cases.h"

namespace glyphreel::commands {

/// Runs benchmarks on one input, with renderers that all of them share.
/// Thread-safety: one thread.
class Workbench {
 public:
  /// Opens the input and the renderers, and measures the bandwidth of copying. Errors: BadInput, NoDevice,
  /// Usage (fonts), Failed.
  [[nodiscard]] static Result<std::unique_ptr<Workbench>> open(const cli::Settings& settings);
  ~Workbench();

  [[nodiscard]] std::vector<BenchCase> cases() const;

  /// Decodes frames of this size into memory, for the benchmarks of this size that follow. Errors: those of
  /// the input.
  [[nodiscard]] Result<void> load(Extent size);

  /// Warms up and runs one repetition of a benchmark. Counters per frame are NAME_ms of each stage that ran,
  /// and bytes, the minimum that memory moves. Further counters are items_per_second; first_frame_ms, from
  /// new settings to the first frame, before the measured time; bandwidth_share, bytes as a share of what
  /// copying moves in the same time (for Map and Draw, the time of their stages); and reference_ms, see
  /// copy_speed.h, measured before and after. Errors: those of the input, the renderer and the encoder.
  [[nodiscard]] Result<Repetition> run(const BenchCase& bench_case);

  /// Returns what the machine and the input are, for the members "context" of a run.
  [[nodiscard]] nlohmann::json description() const;
  /// Returns the totals over all repetitions, for --stats.
  [[nodiscard]] const session::Statistics& statistics() const { return statistics_; }
  [[nodiscard]] const StageTimes& times() const;

 private:
  /// A renderer with the times of its stages.
  struct Station {
    StageTimes times;
    std::unique_ptr<render::Renderer> renderer;
    double copy_bytes_per_ms = 0;  ///< bytes that copying reads and writes
  };

  explicit Workbench(const cli::Settings& settings) : settings_(settings) {}
  [[nodiscard]] Result<void> open_gpu();
  [[nodiscard]] Result<std::unique_ptr<media::Source>> open_source(const std::string& url, StageTimes* times,
                                                                   bool hardware);
  [[nodiscard]] std::int64_t frames_of(const BenchCase& bench_case) const;
  [[nodiscard]] Result<Repetition> decode();
  [[nodiscard]] Result<void> warm_up(const BenchCase& bench_case, present::FrameSink& sink);
  [[nodiscard]] Result<Repetition> render(const BenchCase& bench_case);
  [[nodiscard]] Result<std::unique_ptr<media::Source>> feed(const BenchCase& bench_case);
  [[nodiscard]] Result<std::unique_ptr<present::FrameSink>> open_sink(const BenchCase& bench_case);
  [[nodiscard]] Station& station(Engine engine) { return stations_[static_cast<std::size_t>(engine)]; }
  void add_counters(const BenchCase& bench_case, Repetition& repetition);
  [[nodiscard]] double bytes_per_frame(const BenchCase& bench_case) const;

  const cli::Settings settings_;
  std::string url_;
  Engine preferred_ = Engine::Cpu;
  std::shared_ptr<gpu::Device> device_;  ///< null: none is used
  std::array<Station, 2> stations_;      ///< by Engine; without a GPU the second has no renderer
  session::DeferredHostMemory memory_;
  media::DeferredHwDecode hardware_;
  media::VideoFacts facts_;
  std::vector<Frame> frames_;                  ///< in memory
  std::int64_t frame_bytes_ = 0;               ///< of each
  std::map<std::string, std::int64_t> loops_;  ///< of a benchmark: how often a repetition replays `frames_`
  double first_frame_ms_ = 0;                  ///< of the last warm_up()
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::string folder_;  ///< for videos; removed at the end; empty: not made yet
  session::Statistics statistics_;
};

}  // namespace glyphreel::commands
