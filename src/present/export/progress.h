#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/frame.h"

namespace glyphreel::present {

/// The numbers that a progress line shows.
struct ProgressState {
  std::int64_t frames = 0;
  std::int64_t total_frames = 0;  ///< 0: unknown
  double media_seconds = 0;       ///< seconds of the input processed so far
  std::size_t decode_queue = 0, decode_capacity = 0;
  std::size_t encode_queue = 0, encode_capacity = 0;
};

/// Measures how much of an input was processed: from the start of the first frame to the end of the last.
class ProcessedSpan {
 public:
  void add(const Frame& frame);
  [[nodiscard]] double seconds() const { return start_ ? end_ - *start_ : 0; }

 private:
  std::optional<double> start_;
  double end_ = 0;
};

/// Shows progress on stderr in a line that it rewrites: bar, frames, frames per second, speed, queue depths,
/// time left. If stderr is not a terminal, prints a plain line every five seconds instead.
/// Thread-safety: one thread.
class ProgressLine {
 public:
  enum class Visibility { Shown, Hidden };
  explicit ProgressLine(Visibility visibility);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Starts the time over which the rates are measured. Call it at the first frame.
  void begin() { start_ = std::chrono::steady_clock::now(); }
  /// Shows the state, at most ten times a second.
  void update(const ProgressState& state);
  /// Shows the last state and ends the line.
  void finish(const ProgressState& state);

 private:
  void print(const ProgressState& state);

  bool shown_;
  bool terminal_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
};

/// Returns the text for a terminal `width` columns wide. Pure, for tests.
[[nodiscard]] std::string progress_text(const ProgressState& state, double elapsed_seconds, int width);

/// Returns a duration as "1:02:03" or "2:03", rounded to seconds.
[[nodiscard]] std::string clock_text(double seconds);

}  // namespace glyphreel::present
