#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace glyphreel::present {

/// Whether the line to a terminal can take another frame. What the system takes from us may lie in buffers
/// for seconds (sshd's alone hold megabytes), so the terminal itself is asked behind each frame and what it
/// answers counts. Pure: times are the caller's, in seconds. Policy: a frame may follow where no question is
/// open, or where neither the oldest one's age nor what the frames before it take, by what the last ones
/// took, is more than the way there and back and 80 ms. So the way may be long and full of frames, but none
/// waits behind others for more than that.
class TerminalLine {
 public:
  /// A question was sent, behind everything so far.
  void asked(double now);
  /// The terminal answered the oldest question.
  void answered(double now);
  /// Whether another frame may be sent. A terminal that leaves its first questions open for a second answers
  /// none; later ones that are open for ten count as lost.
  [[nodiscard]] bool is_clear(double now);
  /// Whether questions are of use.
  [[nodiscard]] bool answers() const { return !silent_; }
  [[nodiscard]] std::size_t open_questions() const { return open_.size(); }
  /// Seconds that an answer takes when nothing is in its way; 0 before the first one.
  [[nodiscard]] double quickest_seconds() const { return quickest_; }

 private:
  struct Question {
    double asked = 0;
    std::size_t place = 1;  ///< among those open then, itself included
  };
  std::deque<Question> open_;
  std::uint64_t answers_ = 0;
  double quickest_ = 0;  ///< the way there and back: the first question is asked before any frame
  double sending_ = 0;   ///< what a frame takes besides, lately
  bool silent_ = false;
};

/// How far colours may be off so that a slow line carries more frames: more by a step with each frame that
/// found the line busy, less by one after 12 that did not. In code values of each component. Pure.
class LineTolerance {
 public:
  LineTolerance(int least, int most) : least_(least), most_(most), now_(least) {}
  enum class Met { Clear, Busy };
  /// A frame is sent; its tolerance.
  int next(Met met);

 private:
  int least_, most_, now_;
  int clear_ = 0;  ///< frames in a row
};

}  // namespace glyphreel::present
