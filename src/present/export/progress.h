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

/// A line on stderr that is rewritten at most ten times a second. If stderr is not a terminal, prints a plain
/// line every five seconds instead.
/// Thread-safety: one thread.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { end(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether enough time has passed since the last print() to print again.
  [[nodiscard]] bool is_due() const;
  /// Prints a text, cut off at the width of the terminal.
  void print(std::string text);
  /// Removes the line from the terminal, so that messages can be printed; the next print() shows it again.
  void clear();
  /// Ends the line.
  void end();
  [[nodiscard]] int width() const;  ///< of the terminal, in columns

 private:
  bool terminal_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Shows progress on stderr in a StatusLine: bar, frames, frames per second, speed, queue depths, time left.
/// Thread-safety: one thread.
class ProgressLine {
 public:
  enum class Visibility { Shown, Hidden };
  explicit ProgressLine(Visibility visibility) : shown_(visibility == Visibility::Shown) {}

  /// Sets the start time, from which the rates are computed, to now. Call it at the first frame.
  void begin() { start_ = std::chrono::steady_clock::now(); }
  /// Shows the state, at most ten times a second.
  void update(const ProgressState& state);
  /// Shows `state` and ends the line.
  void finish(const ProgressState& state);

 private:
  void print(const ProgressState& state);

  bool shown_;
  StatusLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Returns the text of a ProgressLine in a terminal of `width` columns. Pure; declared here for tests.
[[nodiscard]] std::string progress_text(const ProgressState& state, double elapsed_seconds, int width);

/// Returns a duration as "1:02:03" or "2:03", rounded to seconds.
[[nodiscard]] std::string clock_text(double seconds);

}  // namespace glyphreel::present
