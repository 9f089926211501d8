#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace glyphreel::present {

/// Decides whether the line to a terminal can take another frame. What the system has accepted may sit in
/// buffers for seconds (sshd's alone hold megabytes), so a query follows each frame, and only the
/// terminal's answer counts. Pure: the caller passes the times, in seconds.
///
/// Policy: a frame may be sent if no query is open, or if neither the age of the oldest one nor the time
/// that the frames in flight take, estimated from recent ones, exceeds the round-trip time plus 80 ms. So a
/// long line may be full of frames, but none waits behind others for longer than that.
class TerminalLine {
 public:
  /// Records that a query was sent, after everything so far.
  void query_sent(double now);
  /// Records that the terminal answered the oldest query.
  void query_answered(double now);
  /// Returns whether another frame may be sent. A terminal that leaves its first queries open for one
  /// second is taken to answer none; later queries that are open for ten count as lost.
  [[nodiscard]] bool is_clear(double now);
  /// Returns whether the terminal answers queries.
  [[nodiscard]] bool answers() const { return !silent_; }
  [[nodiscard]] std::size_t open_queries() const { return open_.size(); }

 private:
  struct Query {
    double sent_at = 0;
    std::size_t place = 1;  ///< position among the queries open then, itself included
  };
  std::deque<Query> open_;
  std::uint64_t answers_ = 0;
  double quickest_ = 0;  ///< round-trip time: the first query is sent before any frame
  double sending_ = 0;   ///< seconds that a frame takes in addition, recently
  bool silent_ = false;
};

/// Color tolerance that lets a slow line carry more frames: one more for each frame that found the line
/// busy, one less after 12 in a row that did not. In code values per component. Pure.
class ColorTolerance {
 public:
  /// The smallest difference visible between flat areas; it halves the bytes sent.
  static constexpr int Least = 3;
  static constexpr int Most = 12;
  enum class Line { Clear, Busy };
  /// Returns the tolerance for the frame to be sent.
  int next(Line line);

 private:
  int now_ = Least;
  int clear_ = 0;  ///< frames in a row
};

}  // namespace glyphreel::present
