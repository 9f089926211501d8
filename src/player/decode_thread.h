#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "base/frame.h"
#include "base/queue.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "media/source.h"

namespace glyphreel::player {

/// Decodes ahead of the player on a thread of its own, into a bounded queue, and seeks.
/// Thread-safety: the player's thread alone.
class DecodeThread {
 public:
  /// Frames decoded ahead: a quarter of a second at 60 fps, so that a busy moment costs nothing. Fewer where
  /// they are large, see media::most_queued().
  static constexpr std::size_t Capacity = 16;
  /// Those of hardware decoders are few: so many wait, so many more are on their way to there. With one that
  /// is handed over, one that is shown and those that a renderer reads, they are fewer than
  /// media::MostHeldSurfaces.
  static constexpr std::size_t WaitingSurfaces = 4, SurfacesOnTheirWay = 2;

  struct Options {
    media::Source* source = nullptr;  ///< outlives the thread; opened with `tells_skipped`
    std::function<void()> on_change;  ///< called on the decoding thread after each frame: a wake-up, no more
  };
  /// Where the system has no room for the thread it is at its end, and take_error() has the reason.
  explicit DecodeThread(Options options);
  ~DecodeThread();
  DecodeThread(const DecodeThread&) = delete;
  DecodeThread& operator=(const DecodeThread&) = delete;

  struct Target {
    double seconds = 0;  ///< from the stream's start
    media::SeekMode mode = media::SeekMode::Exact;
    std::uint32_t epoch = 0;  ///< see media::Source::seek()
  };
  /// Seeks; a newer request takes the place of one that has not led to a frame yet. Frames of before are gone
  /// at once.
  void seek(const Target& target) EXCLUDES(mutex_);
  /// Whether a seek has not led to a frame, an end or an error yet.
  [[nodiscard]] bool is_seeking() const { return seeking_; }

  /// Moves what was decoded since to the waiting frames.
  void fetch();
  /// Frames that wait to be shown, oldest first; those after the last seek alone.
  [[nodiscard]] std::deque<Frame>& waiting() { return waiting_; }
  /// No more frames will wait than do now.
  [[nodiscard]] bool is_full() const { return waiting_.size() >= most_waiting(); }
  /// The input is at its end, and no frame waits: a seek may bring some again.
  [[nodiscard]] bool at_end() const { return ended_ && waiting_.empty(); }
  /// No more frames will come than wait now, unless a seek brings some.
  [[nodiscard]] bool is_complete() const { return ended_; }
  /// Why decoding ended early, once, and only when no frame waits any more.
  [[nodiscard]] std::optional<Error> take_error() {
    return at_end() ? std::exchange(error_, std::nullopt) : std::nullopt;
  }
  /// Why a seek led nowhere, once; playing goes on where it was.
  [[nodiscard]] std::optional<Error> take_seek_error() { return std::exchange(seek_error_, std::nullopt); }

 private:
  struct SeekFailed {
    Error error;
  };
  /// What the thread tells, and which seek it belongs to: those of older ones are thrown away.
  struct Report {
    std::uint64_t seek = 0;
    std::variant<Frame, media::EndOfStream, Error, SeekFailed> what;
  };
  static constexpr std::uint64_t AnySeek =
      std::numeric_limits<std::uint64_t>::max();  ///< the thread's last report
  struct Request {
    Target target;
    std::uint64_t seek = 0;
  };

  void work(const std::stop_token& stop) EXCLUDES(mutex_);
  [[nodiscard]] std::optional<Request> take_request() EXCLUDES(mutex_);
  [[nodiscard]] bool tell(Report report);
  void fail(Error error);
  [[nodiscard]] static std::size_t most_of(const Frame& frame, std::size_t surfaces);
  [[nodiscard]] std::size_t most_waiting() const;

  Options options_;
  BoundedQueue<Report> queue_{Capacity};
  std::mutex mutex_;
  std::condition_variable_any request_there_;
  std::optional<Request> request_ GUARDED_BY(mutex_);

  // The player's thread's own.
  std::uint64_t seeks_ = 0;
  std::deque<Frame> waiting_;
  bool seeking_ = false;
  bool ended_ = false;
  bool has_failed_ = false;  ///< for good
  std::optional<Error> error_;
  std::optional<Error> seek_error_;

  std::jthread thread_;
};

}  // namespace glyphreel::player
