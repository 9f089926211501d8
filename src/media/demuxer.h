#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "media/ffmpeg.h"
#include "media/input.h"
#include "media/spliced_times.h"

namespace glyphreel::media {

/// Reads an input's packets ahead on a thread of its own, so that neither a slow disk nor a stalled network
/// holds the decoders back, and sorts them by stream. Readers of different streams may be threads of their
/// own: one that falls behind does not starve the others. Where the input starts over, its time goes on (see
/// SplicedTimes). Thread-safety: any thread; jump() from one thread at a time.
class Demuxer {
 public:
  struct Options {
    std::vector<int> streams;  ///< indices of those whose packets are wanted; the others are thrown away
    /// Packets are read ahead until they take so much memory, or until a reader waits for one.
    std::size_t read_ahead_bytes = 16UL * 1024 * 1024;
    /// Where a stream's packets lie far from the others' in the file, those are kept up to here while a
    /// reader waits for it. Beyond that a reader that respects hold() waits until the others have taken some;
    /// for one that does not, the oldest are thrown away. What lies ready is never more than this and one
    /// packet.
    std::size_t most_bytes = 128UL * 1024 * 1024;
  };
  /// `input` outlives the Demuxer, which alone reads from it until it is destroyed. Where the system has no
  /// room for its thread the input is at its end, and take_error() has the reason.
  Demuxer(Input& input, Options options);
  /// Interrupts the input.
  ~Demuxer();
  Demuxer(const Demuxer&) = delete;
  Demuxer& operator=(const Demuxer&) = delete;

  struct Packet {
    PacketPtr packet;
    std::uint32_t epoch = 0;  ///< as the last jump() before it was named
  };
  /// Whether a reader is served while hold() is on. Who ignores it leads: the others follow what that one
  /// finds.
  enum class Hold { Ignored, Respected };
  /// The first of the queued packets of these streams, in the input's order; waits for one. Empty: the end,
  /// or the input was interrupted; after a jump packets come again.
  [[nodiscard]] std::optional<Packet> next(const std::vector<int>& streams, Hold hold) EXCLUDES(mutex_);
  /// The same without waiting.
  [[nodiscard]] std::optional<Packet> try_next(const std::vector<int>& streams) EXCLUDES(mutex_);

  /// Why reading ended before the input's end; once.
  [[nodiscard]] std::optional<Error> take_error() EXCLUDES(mutex_);
  /// Whether reading ended because the connection broke, see Input::has_broken().
  [[nodiscard]] bool has_broken() const EXCLUDES(mutex_);
  /// Where the last packet of a stream that a reader took ends, in its time base; AV_NOPTS_VALUE: none was
  /// taken.
  [[nodiscard]] std::int64_t taken_until(int stream) const EXCLUDES(mutex_);
  /// It ended for good: opening the input again does not help.
  [[nodiscard]] bool has_failed() const EXCLUDES(mutex_);

  struct JumpTarget {
    int stream = 0;
    std::int64_t min = 0, wanted = 0, max = 0;  ///< in the stream's time base, as for avformat_seek_file()
  };
  /// Goes on from another place; waits until that is done, and throws away what was read before. An AVERROR
  /// where the input cannot: then nothing has changed. Packets from there on are of `epoch`.
  [[nodiscard]] int jump(const JumpTarget& target, std::uint32_t epoch) EXCLUDES(mutex_);
  struct SkipTarget {
    int stream = 0;
    std::int64_t pts = 0;  ///< in its time base
    int companion = -1;    ///< another stream that is to go on from its own place, such as sound; -1: none
    std::int64_t companion_pts = 0;
  };
  enum class Skip {
    NotThere,    ///< what was read ahead does not hold the place, or not all that belongs to it
    GoesOn,      ///< it does, and no key frame lies before it: decoding goes on
    AtKeyFrame,  ///< packets before the last key frame before it were thrown away
  };
  /// A jump ahead within what was read already, which neither reads nor decodes anything twice. Packets keep
  /// their epoch: relabel() gives them another.
  [[nodiscard]] Skip skip_to(const SkipTarget& target) EXCLUDES(mutex_);
  /// After the end: the input was opened again, and is read from its beginning. Packets are of `epoch`.
  /// Between the end and this call the input is the caller's alone.
  void start_again(std::uint32_t epoch) EXCLUDES(mutex_);
  /// Calls what was read and is still to be read by another epoch: for a seek that goes on from where it is.
  void relabel(std::uint32_t epoch) EXCLUDES(mutex_);
  /// While on, readers that respect it wait: between the jumps of one seek.
  void hold(bool on) EXCLUDES(mutex_);

  /// Wants a stream's packets from now on, or no longer.
  void select(int stream, bool wanted) EXCLUDES(mutex_);

  /// What lies ready.
  struct Level {
    std::size_t bytes = 0;
    double ahead_seconds = 0;  ///< of the stream that was asked for
    bool at_end = false;       ///< nothing more will come
    bool is_starved = false;   ///< a reader that ignores hold() waits for the input right now
  };
  [[nodiscard]] Level level(int stream) const EXCLUDES(mutex_);

  /// Reads of damaged stretches.
  [[nodiscard]] std::uint64_t damaged_reads() const EXCLUDES(mutex_);

 private:
  struct Queued {
    Packet packet;
    std::uint64_t number = 0;  ///< in the input's order
  };
  struct Stream {
    bool wanted = false;
    AVRational time_base{0, 1};
    std::deque<Queued> packets;
    std::int64_t taken_until =
        AV_NOPTS_VALUE;  ///< where the latest packet ends that a reader took since the last jump
  };
  /// A reader, and its streams: it is starved until one of them has a packet, whether it was awake by then or
  /// not.
  struct Waiting {
    const std::vector<int>* streams = nullptr;
    Hold hold = Hold::Respected;
  };
  struct Jump {
    JumpTarget target;
    std::uint32_t epoch = 0;
    int result = 0;
    bool done = false;
  };

  void work(const std::stop_token& stop) EXCLUDES(mutex_);
  void fail(Error error) EXCLUDES(mutex_);
  void do_jump(std::unique_lock<std::mutex>& lock) REQUIRES(mutex_);
  void read_one(std::unique_lock<std::mutex>& lock) REQUIRES(mutex_);
  void store(PacketPtr packet) REQUIRES(mutex_);
  void note_failure(int averror) REQUIRES(mutex_);
  [[nodiscard]] bool wants_to_read() const REQUIRES(mutex_) {
    return !ended_ && (bytes_ < options_.read_ahead_bytes || is_leader_starved() ||
                       (is_reader_starved() && bytes_ < options_.most_bytes));
  }
  [[nodiscard]] bool is_starved(const Waiting& reader) const REQUIRES(mutex_);
  [[nodiscard]] bool is_reader_starved() const REQUIRES(mutex_);
  [[nodiscard]] bool is_leader_starved() const REQUIRES(mutex_);
  [[nodiscard]] std::optional<Packet> take(const std::vector<int>& streams) REQUIRES(mutex_);
  void drop_oldest() REQUIRES(mutex_);
  void drop_all() REQUIRES(mutex_);

  Input& input_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable_any work_there_;  ///< for the thread: room, a jump
  std::condition_variable changed_;         ///< for readers: packets, the end, a jump done
  std::vector<Stream> streams_ GUARDED_BY(mutex_);
  SplicedTimes times_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t count_ GUARDED_BY(mutex_) = 0;
  std::uint32_t epoch_ GUARDED_BY(mutex_) = 0;
  std::vector<Waiting> waiting_ GUARDED_BY(mutex_);
  bool held_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  bool has_broken_ GUARDED_BY(mutex_) = false;  ///< why ended_ is set
  bool has_failed_ GUARDED_BY(mutex_) = false;
  Jump* jump_ GUARDED_BY(mutex_) = nullptr;
  std::optional<Error> error_ GUARDED_BY(mutex_);
  int failures_in_a_row_ GUARDED_BY(mutex_) = 0;
  std::uint64_t damaged_reads_ GUARDED_BY(mutex_) = 0;
  std::jthread thread_;
};

}  // namespace glyphreel::media
