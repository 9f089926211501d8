#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/distribution.h"
#include "base/result.h"
#include "base/stage_times.h"
#include "cli/settings.h"
#include "media/source.h"
#include "player/osd/statistics_page.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

/// What `--stats` tells of a run. Fields as in the manual page.
struct Statistics {
  std::chrono::steady_clock::time_point process_start = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> first_frame, last_frame;  ///< shown
  double device_ms = 0;     ///< spent on making the device
  double pipelines_ms = 0;  ///< spent on making the renderer

  std::string gpu;  ///< "none" where no device was made
  std::string driver;
  std::string renderer;
  std::string renderer_reason;
  media::VideoFacts input;
  std::string input_url;
  media::HardwareUse hardware;

  std::int64_t decoded = 0, mapped = 0, drawn = 0, presented = 0, encoded = 0;
  std::int64_t dropped = 0;   ///< for being late, or unseen
  std::int64_t skipped = 0;   ///< for being more than the screen can show
  std::int64_t repeated = 0;  ///< refreshes of the screen, or frames, for which a picture stood too long
  std::int64_t late = 0;      ///< shown after their end
  std::uint64_t host_bytes_copied = 0;
  double wall_seconds = 0;
  Distribution seeks_ms;          ///< from the last request to its picture, per seek that led to one
  Distribution av_offsets_ms;     ///< sound minus picture per presented frame, as heard and shown
  Distribution pacing_errors_ms;  ///< time shown minus time due per presented frame

  void note_frame_shown() {
    last_frame = std::chrono::steady_clock::now();
    if (!first_frame) first_frame = last_frame;
  }
};

[[nodiscard]] nlohmann::json statistics_json(const Statistics& statistics, const cli::Settings& settings,
                                             const StageTimes& times);

/// `json` indented. Control characters are escaped, and bytes that are no UTF-8, which file names and
/// metadata may hold, become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::json& json);

/// Writes settings.stats_file where one is asked for. Errors: write_file()'s.
[[nodiscard]] Result<void> write_statistics(const Statistics& statistics, const cli::Settings& settings,
                                            const StageTimes& times);

/// Frames per second: off line over the whole run, on a screen from the first frame shown to the last.
[[nodiscard]] double frames_per_second(const Statistics& statistics);

/// What the statistics page tells of the stages that did something lately. `split`: null, or what renders;
/// then its stages are those of both sides.
[[nodiscard]] std::vector<StageFacts> stage_facts(const StageTimes& times,
                                                  const render::SplitRenderer* split = nullptr);

/// Memory of this process that is not swapped out; 0 where it cannot be told.
[[nodiscard]] std::uint64_t resident_bytes();

/// Model name of the processor, from /proc/cpuinfo; "unknown" elsewhere.
[[nodiscard]] std::string cpu_name();

}  // namespace glyphreel::player
