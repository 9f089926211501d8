#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/frame.h"
#include "base/queue.h"
#include "base/result.h"
#include "media/source.h"

namespace glyphreel::player {

/// Decodes ahead of the player on a thread of its own, into a bounded queue.
/// Thread-safety: the player's thread alone.
class DecodeThread {
 public:
  /// Frames decoded ahead: a quarter of a second at 60 fps, so that a busy moment costs nothing.
  static constexpr std::size_t Capacity = 16;

  struct Options {
    media::Source* source = nullptr;       ///< outlives the thread
    bool loop = false;                     ///< seek to the start at the end
    double loop_from_seconds = 0;
    std::function<void()> on_frame;        ///< called on the decoding thread after each frame: a wake-up, no more
  };
  explicit DecodeThread(Options options);
  ~DecodeThread();
  DecodeThread(const DecodeThread&) = delete;
  DecodeThread& operator=(const DecodeThread&) = delete;

  /// Moves what was decoded since to the waiting frames.
  void fetch();
  /// Frames that wait to be shown, oldest first.
  [[nodiscard]] std::deque<Frame>& waiting() { return waiting_; }
  /// No frame will come any more.
  [[nodiscard]] bool finished() const { return waiting_.empty() && queue_.finished(); }
  /// Why decoding ended early; only after finished().
  [[nodiscard]] const std::optional<Error>& error();

 private:
  void decode(const std::stop_token& stop);

  Options options_;
  BoundedQueue<Frame> queue_{Capacity};
  std::deque<Frame> waiting_;
  std::optional<Error> error_;  ///< written by the thread before it closes the queue
  std::jthread thread_;
};

}  // namespace glyphreel::player
