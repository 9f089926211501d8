#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <variant>

#include "base/frame.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/threads/queue.h"
#include "media/source.h"

namespace glyphreel::player {

/// Decodes ahead of the player on a separate thread, into a bounded queue. Seeks also run on that thread.
/// Thread-safety: the player's thread only.
class DecodeThread {
 public:
  /// Maximum number of frames in waiting(); the queue has the same maximum. Each of the two can hold a
  /// quarter of a second at 60 fps, so that a short delay drops no frame. If the frames are large, both
  /// maximums are smaller, see media::max_queued().
  static constexpr std::size_t Capacity = 16;
  /// Maximum numbers of hardware frames in waiting() and in the queue. They are smaller than Capacity because
  /// hardware decoders have few surfaces. The total number of hardware frames stays below
  /// media::MaxHeldSurfaces, including the frame that the thread is sending, the frame on screen and the
  /// frames that a renderer reads.
  static constexpr std::size_t MaxWaitingSurfaces = 4, MaxQueuedSurfaces = 2;

  /// `source` must outlive the thread, and must have been opened with `reports_skipped`. `on_change` is
  /// called on the decode thread when fetch() has something new to fetch: a frame, the end or an error. It
  /// must only wake the player, and may be empty. If the thread cannot be started, at_end() is true and
  /// take_error() returns the reason.
  explicit DecodeThread(media::Source& source, std::function<void()> on_change = {});
  ~DecodeThread();
  DecodeThread(const DecodeThread&) = delete;
  DecodeThread& operator=(const DecodeThread&) = delete;

  struct Target {
    double seconds = 0;  ///< from the stream's start
    media::SeekMode mode = media::SeekMode::Exact;
    std::uint32_t epoch = 0;  ///< see media::Source::seek()
  };
  /// Starts a seek, and drops the waiting frames at once. The new seek replaces a pending seek.
  void seek(const Target& target) EXCLUDES(mutex_);
  /// Whether a seek is pending: the thread has not reported a frame, the end or an error since the last seek.
  [[nodiscard]] bool is_seeking() const { return seeking_; }

  /// Moves newly decoded frames from the queue into waiting().
  void fetch();
  /// Returns the frames that were decoded after the last seek and wait to be shown, oldest first.
  [[nodiscard]] std::deque<Frame>& waiting() { return waiting_; }
  /// Whether waiting() is full: fetch() adds no frame until the caller removes a frame.
  [[nodiscard]] bool is_full() const { return waiting_.size() >= max_waiting(); }
  /// Whether the input has ended and waiting() is empty. After a seek, more frames may follow.
  [[nodiscard]] bool at_end() const { return ended_ && waiting_.empty(); }
  /// Whether the input has ended: without a seek, no frame will follow those in waiting().
  [[nodiscard]] bool is_complete() const { return ended_; }
  /// Returns the error that ended decoding early; empty if there is no such error. Returns the error only
  /// once, and only after waiting() has become empty.
  [[nodiscard]] std::optional<Error> take_error() {
    return at_end() ? std::exchange(error_, std::nullopt) : std::nullopt;
  }
  /// Returns the error of a failed seek, but only once; otherwise empty. After a failed seek, decoding
  /// continues after the frames that seek() dropped.
  [[nodiscard]] std::optional<Error> take_seek_error() { return std::exchange(seek_error_, std::nullopt); }

 private:
  struct SeekFailed {
    Error error;
  };
  /// A report from the thread. `seek` is the number of the last seek before the report. The player's thread
  /// discards the report if it has requested a newer seek.
  struct Report {
    std::uint64_t seek = 0;
    std::variant<Frame, media::EndOfStream, Error, SeekFailed> what;
  };
  /// Report::seek has this value if the report is the error that ended the thread. fetch() never discards
  /// this report.
  static constexpr std::uint64_t AnySeek = std::numeric_limits<std::uint64_t>::max();
  struct Request {
    Target target;
    std::uint64_t seek = 0;
  };

  void work(const std::stop_token& stop) EXCLUDES(mutex_);
  [[nodiscard]] std::optional<Request> take_request() EXCLUDES(mutex_);
  [[nodiscard]] bool send(Report report);
  void fail(Error error);
  [[nodiscard]] static std::size_t queue_limit(const Frame& frame, std::size_t surfaces);
  [[nodiscard]] std::size_t max_waiting() const;

  media::Source& source_;
  const std::function<void()> on_change_;
  BoundedQueue<Report> queue_{Capacity};
  Mutex mutex_;
  ConditionVariable request_pending_;
  std::optional<Request> request_ GUARDED_BY(mutex_);

  // Used on the player's thread only.
  std::uint64_t seeks_ = 0;
  std::deque<Frame> waiting_;
  bool seeking_ = false;
  bool ended_ = false;
  bool has_failed_ = false;  ///< the thread has ended permanently
  std::optional<Error> error_;
  std::optional<Error> seek_error_;

  std::jthread thread_;
};

}  // namespace glyphreel::player
