#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "media/demux/timestamp_unwrapper.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/input/input.h"
#include "media/stream/source_item.h"

namespace glyphreel::media {

/// Reads an input's packets ahead on a separate thread and queues them by stream. Short delays of a disk or a
/// network therefore do not block the decoders. Each stream may be read by a different thread; a slow reader
/// does not starve the other readers. If the input's timestamps restart, the packets' times continue without
/// a jump (see TimestampUnwrapper).
/// Thread-safety: any thread; seek() from one thread at a time.
class Demuxer {
 public:
  struct Options {
    std::vector<int> streams;  ///< indices of the streams to read; packets of all other streams are discarded
    /// The thread reads ahead until the queued packets have this many bytes. Above this limit, it reads only
    /// while a reader waits for a packet.
    std::size_t read_ahead_bytes = 16UL * 1024 * 1024;
    /// The limit on the total size of the queued packets, in bytes. The queues reach it if a reader waits for
    /// a packet that is far ahead in the file, because the thread queues the packets of all other streams
    /// until it has read that packet. At the limit, if the waiting reader uses Freeze::Respected, the thread
    /// pauses until other readers have taken packets. If the waiting reader uses Freeze::Ignored, the thread
    /// drops the oldest packets. The queues exceed the limit by one packet at most.
    std::size_t max_bytes = 128UL * 1024 * 1024;
  };
  /// `input` must outlive the Demuxer; only the Demuxer may read from it. If the system cannot create the
  /// thread, the input counts as ended and take_error() returns the reason.
  Demuxer(Input& input, Options options);
  /// Interrupts the input and waits for the thread.
  ~Demuxer();
  Demuxer(const Demuxer&) = delete;
  Demuxer& operator=(const Demuxer&) = delete;

  struct Packet {
    PacketPtr packet;
    std::uint32_t epoch = 0;  ///< set by the last seek(), restart() or relabel()
  };
  /// Whether next() waits while freeze(true) is in effect, that is, during a seek. The reader that performs
  /// the seek ignores the freeze; the other readers wait until the seek is complete.
  enum class Freeze { Ignored, Respected };
  /// Returns the queued packet of `streams` that comes first in the input; waits if none is queued. Returns
  /// empty after an interrupt, and when the input has ended and no packets of `streams` are left.
  [[nodiscard]] std::optional<Packet> next(const std::vector<int>& streams, Freeze freeze_mode)
      EXCLUDES(mutex_);
  /// Same as next() with Freeze::Respected, but does not wait.
  [[nodiscard]] std::optional<Packet> try_next(const std::vector<int>& streams) EXCLUDES(mutex_);

  /// Returns and clears the error that ended reading before the end of the input; empty if there is none.
  [[nodiscard]] std::optional<Error> take_error() EXCLUDES(mutex_);
  /// Whether reading ended because the connection was lost, see Input::has_broken().
  [[nodiscard]] bool has_broken() const EXCLUDES(mutex_);
  /// Returns the latest end time of the packets that readers took from a stream since the last seek, in the
  /// stream's time base; AV_NOPTS_VALUE if no packet was taken.
  [[nodiscard]] std::int64_t taken_until(int stream) const EXCLUDES(mutex_);
  /// Whether reading failed permanently: reopening the input does not help.
  [[nodiscard]] bool has_failed() const { return has_failed_; }

  struct SeekTarget {
    int stream = 0;
    std::int64_t min = 0, wanted = 0, max = 0;  ///< in the stream's time base, as for avformat_seek_file()
  };
  /// Seeks, and waits until the seek is complete. Drops all queued packets; packets read afterward have
  /// `epoch`. Returns an AVERROR, and changes nothing, if the input cannot seek.
  [[nodiscard]] int seek(const SeekTarget& target, std::uint32_t epoch) EXCLUDES(mutex_);
  struct SkipTarget {
    int stream = 0;
    std::int64_t pts = 0;  ///< in the stream's time base
    /// Another stream, such as audio, that must continue at secondary_pts; -1: none. If its reader may have
    /// read past secondary_pts, skip_to() returns NotBuffered.
    int secondary_stream = -1;
    std::int64_t secondary_pts = 0;  ///< in the secondary stream's time base
  };
  enum class Skip {
    NotBuffered,        ///< the target is not queued, or the secondary reader may be past secondary_pts
    ContinuesDecoding,  ///< the target is queued, but there is no keyframe to skip to: keep decoding
    AtKeyFrame,         ///< the stream's queue now starts at the last keyframe at or before the target
  };
  /// Seeks forward within the queued packets, without reading or decoding anything twice. The packets keep
  /// their epoch until relabel().
  [[nodiscard]] Skip skip_to(const SkipTarget& target) EXCLUDES(mutex_);
  /// Reads a reopened input from its beginning; the packets have `epoch`. Call only after the input ended.
  /// Between the end of the input and this call, the caller may use the input, for example to reopen it.
  void restart(std::uint32_t epoch) EXCLUDES(mutex_);
  /// Sets the epoch of queued and future packets, for a seek that continues from the current position.
  void relabel(std::uint32_t epoch) EXCLUDES(mutex_);
  /// After freeze(true), next() with Freeze::Respected waits until freeze(false). Used during a seek, which
  /// may need several attempts.
  void freeze(bool on) EXCLUDES(mutex_);

  /// Returns how much is queued: the seconds of `stream`, and the bytes of all streams. Does not set
  /// ReadAhead::is_reconnecting.
  [[nodiscard]] ReadAhead read_ahead(int stream) const EXCLUDES(mutex_);

  /// Returns the number of reads that found damaged data.
  [[nodiscard]] std::uint64_t damaged_reads() const { return damaged_reads_; }

 private:
  struct Queued {
    Packet packet;
    std::uint64_t number = 0;  ///< index of the packet in the order of reading
  };
  struct Stream {
    bool wanted = false;
    AVRational time_base{0, 1};
    std::deque<Queued> packets;
    /// Latest end time (pts + duration) of the packets that readers took since the last seek.
    std::int64_t taken_until = AV_NOPTS_VALUE;
  };
  /// A waiting reader and its streams. As soon as a packet of these streams is queued, the reader no longer
  /// counts as starved, even if its thread has not woken up yet.
  struct Waiting {
    const std::vector<int>* streams = nullptr;
    Freeze freeze_mode = Freeze::Respected;
  };
  /// Which readers to consider. Leading: only readers that use Freeze::Ignored.
  enum class Readers { All, Leading };
  struct PendingSeek {
    SeekTarget target;
    std::uint32_t epoch = 0;
    int result = 0;
    bool done = false;
  };

  void work(const std::stop_token& stop) EXCLUDES(mutex_);
  void fail(Error error) EXCLUDES(mutex_);
  void do_seek() REQUIRES(mutex_);
  void read_one(MutexLock& lock) REQUIRES(mutex_);
  void store(PacketPtr packet) REQUIRES(mutex_);
  void note_failure(int averror) REQUIRES(mutex_);
  [[nodiscard]] bool wants_to_read() const REQUIRES(mutex_) {
    return !ended_ && (bytes_ < options_.read_ahead_bytes || is_starved(Readers::Leading) ||
                       (is_starved(Readers::All) && bytes_ < options_.max_bytes));
  }
  [[nodiscard]] bool is_starved(Readers which) const REQUIRES(mutex_);
  [[nodiscard]] Stream* earliest(const std::vector<int>& streams) REQUIRES(mutex_);
  [[nodiscard]] std::optional<Packet> take(const std::vector<int>& streams) REQUIRES(mutex_);
  Packet pop_front(Stream& stream) REQUIRES(mutex_);
  void start_over(std::uint32_t epoch) REQUIRES(mutex_);

  Input& input_;
  const Options options_;
  mutable Mutex mutex_;
  ConditionVariable work_available_;  ///< wakes the thread: the queues have room, or a seek was requested
  ConditionVariable changed_;  ///< wakes readers: a packet arrived, the input ended, or a seek finished
  std::vector<Stream> streams_ GUARDED_BY(mutex_);
  TimestampUnwrapper times_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t count_ GUARDED_BY(mutex_) = 0;
  std::uint32_t epoch_ GUARDED_BY(mutex_) = 0;
  std::vector<Waiting> waiting_ GUARDED_BY(mutex_);
  bool is_frozen_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  bool has_broken_ GUARDED_BY(mutex_) = false;  ///< whether ended_ is set because the connection was lost
  std::atomic<bool> has_failed_ = false;
  PendingSeek* seek_ GUARDED_BY(mutex_) = nullptr;
  std::optional<Error> error_ GUARDED_BY(mutex_);
  int failures_in_a_row_ GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint64_t> damaged_reads_ = 0;
  std::jthread thread_;
};

}  // namespace glyphreel::media
