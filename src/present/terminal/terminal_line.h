#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace glyphreel::present {

/// Decides whether another frame may be sent to a terminal. Bytes that the system has accepted may wait in
/// buffers for seconds (sshd's buffers hold megabytes). The caller therefore sends a query after each frame,
/// and the terminal's answer shows that the frame has arrived. Pure: the caller passes the times, in seconds.
///
/// Policy: a frame may be sent if no query is open. Before the first answer, it may also be sent if one query
/// is open. From the second answer on, it may also be sent if the age of the oldest open query and the
/// estimated time to transmit the frames in flight are both at most the round-trip time plus 80 ms. So a line
/// with a long round trip can have several frames in flight, but no frame waits longer than this limit for
/// the frames before it.
class TerminalLine {
 public:
  /// Records that a query was sent.
  void query_sent(double now);
  /// Records that the terminal answered the oldest query.
  void query_answered(double now);
  /// Returns whether another frame may be sent. If the first query stays unanswered for one second, the
  /// terminal is assumed not to answer queries. If a later query stays unanswered for ten seconds, all open
  /// queries are dropped.
  [[nodiscard]] bool is_clear(double now);
  /// Returns whether the terminal answers queries.
  [[nodiscard]] bool answers() const { return !silent_; }
  [[nodiscard]] std::size_t open_queries() const { return open_.size(); }

 private:
  struct Query {
    double sent_at = 0;
    std::size_t place = 1;  ///< number of open queries when it was sent, including itself
  };
  std::deque<Query> open_;
  std::uint64_t answers_ = 0;
  /// Shortest delay of an answer: the round-trip time, because the first query is sent before any frame.
  double quickest_ = 0;
  double sending_ = 0;  ///< recent average of the seconds by which each frame in flight delays an answer
  bool silent_ = false;
};

/// Adapts the color tolerance, in code values per component, to the speed of the line: a higher tolerance
/// sends fewer bytes. Adds one for each frame that had to wait, and subtracts one after 12 frames in a row
/// that did not have to wait. Pure.
class ColorTolerance {
 public:
  /// About the smallest difference that is visible between flat areas. This tolerance halves the bytes sent,
  /// compared with no tolerance.
  static constexpr int Min = 3;
  static constexpr int Max = 12;
  enum class Line { Clear, Busy };
  /// Returns the tolerance for the frame to be sent.
  int next(Line line);

 private:
  int now_ = Min;
  int clear_ = 0;  ///< number of frames in a row that did not wait
};

}  // namespace glyphreel::present
