#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/threads/distribution.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/stream/video_facts.h"
#include "session/shown_rate.h"

namespace glyphreel::session {

/// Returns how long ago this process was started, in milliseconds, to within the kernel's clock tick (10 ms);
/// 0 if that is unknown.
[[nodiscard]] double process_age_ms();

struct FrameCounts {
  std::int64_t decoded = 0, mapped = 0, drawn = 0, presented = 0, encoded = 0;
  /// Frames that pacing dropped because they were late, or because they became due while the output was
  /// hidden. Frames that a seek drops are not counted.
  std::int64_t dropped = 0;
  std::int64_t skipped = 0;  ///< frames not shown because the frame rate is higher than the refresh rate
  /// The number of screen refreshes for which frames remained on the screen beyond their duration. If the
  /// refresh rate is unknown, counts frame durations instead of refreshes.
  std::int64_t repeated = 0;
  std::int64_t late = 0;  ///< frames that were shown after their end time
};

/// What `--stats` reports about a run.
struct Statistics {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double process_ms = process_age_ms();  ///< from the start of the process to `start`
  /// When the first frame was shown (in playback) or rendered (in offline work).
  std::optional<std::chrono::steady_clock::time_point> first_frame;
  double device_ms = 0;     ///< time to create the device
  double pipelines_ms = 0;  ///< time to create the renderer

  std::string gpu;  ///< name of the device; empty: no device was created
  std::string driver;
  std::string renderer;
  std::string renderer_reason;
  media::VideoFacts input;
  std::string input_url;
  media::HwDecodeStatus hardware;

  FrameCounts frames;
  std::uint64_t host_bytes_copied = 0;
  double wall_seconds = 0;
  double work_seconds = 0;  ///< in offline work: time from the first decoded frame to the end
  ShownRate shown_rate;     ///< in playback: rate of the frames that are shown
  /// For each seek, the time from the request to the first frame. A seek that was replaced by a newer seek
  /// before its frame was shown is not counted.
  Distribution seeks_ms;
  Distribution av_offsets_ms;     ///< audio position minus frame time, per presented frame
  Distribution pacing_errors_ms;  ///< how late each presented frame appeared; negative: early

  std::optional<double> display_latency_ms;  ///< the last measured ScreenTiming::latency
};

/// Returns an object with an entry for each stage that has run. The key is the stage's name. The value has
/// the fields count, mean_ms, p50_ms, p99_ms, max_ms and engine.
[[nodiscard]] nlohmann::json stages_json(const StageTimes& times);

[[nodiscard]] nlohmann::json statistics_json(const Statistics& statistics, const cli::Settings& settings,
                                             const StageTimes& times);

/// Returns `json` indented. Control characters are escaped; invalid UTF-8 bytes, which file names and
/// metadata may contain, become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::json& json);

/// Writes settings.stats_file if it is set. Errors: those of write_file().
[[nodiscard]] Result<void> write_statistics(const Statistics& statistics, const cli::Settings& settings,
                                            const StageTimes& times);

/// Returns the frames per second. If frames were shown on a screen, returns the rate of `shown_rate`.
/// Otherwise, divides the number of encoded frames, or of mapped frames if none was encoded, by
/// `work_seconds`.
[[nodiscard]] double frames_per_second(const Statistics& statistics);

/// Returns the resident memory of this process in bytes; 0 if it is unknown.
[[nodiscard]] std::uint64_t resident_bytes();

/// Returns the CPU's model name from /proc/cpuinfo; "unknown" if that file does not contain it.
[[nodiscard]] std::string cpu_name();

}  // namespace glyphreel::session
