#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "player/osd/text_canvas.h"

namespace glyphreel::player {

/// The timing of one stage over the last few seconds.
struct StageFacts {
  std::string name;    ///< "decode"
  std::string engine;  ///< "libavcodec h264, 2 threads", "llvmpipe"
  double mean_ms = 0, p99_ms = 0;
  std::vector<float> recent_ms;  ///< one per frame, oldest first
};

struct QueueFacts {
  int depth = 0, capacity = 0;
};

/// The content of the statistics page. Empty strings and missing values are left out.
struct StatisticsFacts {
  std::string input;  ///< title or file name
  std::string codec;  ///< "h264"
  Extent size;        ///< of the video, in pixels
  double input_fps = 0;
  std::string pixel_format;  ///< "yuv420p"
  std::string audio;         ///< "PulseAudio, 48000 Hz, 2 channels, aac"

  GridSize grid;
  CellSize cell;  ///< pixels; {0, 0} in a terminal, whose cells have no known size
  std::string charset, mode, color_mode;
  std::string font;

  std::vector<StageFacts> stages;  ///< in the order that a frame passes through them

  double shown_fps = 0;
  std::int64_t dropped = 0, repeated = 0, late = 0;
  std::optional<double> av_offset_ms;        ///< positive: the audio is ahead of the video
  std::optional<double> display_latency_ms;  ///< see ScreenTiming::latency
  std::vector<float> jitter_ms;              ///< how late each frame was shown, oldest first
  std::vector<float> av_offsets_ms;          ///< av_offset_ms of the last frames, oldest first

  std::optional<QueueFacts> recording;  ///< queue of frames waiting to be encoded; empty: no recording
  std::optional<double> buffered_seconds;
  std::optional<std::uint64_t> host_bytes_per_frame;
  std::uint64_t memory_bytes = 0;
};

/// Draws the statistics on a panel at the left of `canvas`. If there is little room, the less important lines
/// are left out.
void draw_statistics_page(TextCanvas canvas, const StatisticsFacts& facts);

/// Formats bytes as "614 kB" or "1.2 MB", with up to three significant digits. 1 kB is 1000 bytes.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace glyphreel::player
