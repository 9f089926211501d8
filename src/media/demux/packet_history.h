#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// The packets from which another decoder can resume after one has failed, and which of their frames were
/// output. They reach back to the last keyframe that was output, since frames shown before a keyframe may
/// depend on packets before it. Thread-safety: one thread at a time.
class PacketHistory {
 public:
  /// Several seconds of 4K video. If a stream has more than this between two keyframes and its decoder
  /// fails there, the frames up to the next keyframe are lost.
  static constexpr std::size_t MaxBytes = std::size_t{64} << 20;

  explicit PacketHistory(std::size_t max_bytes = MaxBytes) : max_bytes_(max_bytes) {}

  struct Entry {
    PacketPtr packet;
    bool is_skippable = false;  ///< see add()
  };
  /// Keeps a packet. They are numbered from 0, without gaps, in the order in which they are sent to decoders.
  /// `is_skippable`: its frame will be discarded.
  void add(const AVPacket& packet, bool is_skippable);
  [[nodiscard]] std::int64_t next_number() const { return next_; }
  /// Counts a sent packet that need not be kept. Call only while nothing is kept.
  void pass() { ++next_; }
  /// Returns a kept packet; null if that number is not kept.
  [[nodiscard]] const Entry* find(std::int64_t number) const;
  /// The packet at which a new decoder starts; next_number() if nothing is kept.
  [[nodiscard]] std::int64_t first() const { return next_ - static_cast<std::int64_t>(entries_.size()); }
  /// Packets since the last keyframe were too many to keep: a new decoder must wait for the next one.
  [[nodiscard]] bool has_gap() const { return has_gap_; }

  /// Records that a frame was output: of which packet, and with which raw pts (a VP9 packet can show an
  /// older packet's frame).
  void note_output(std::int64_t number, std::int64_t pts);
  /// Call when another decoder starts, at first().
  void begin_replay();
  /// Whether a decoded frame was output before, or precedes one that was.
  [[nodiscard]] bool was_output(std::int64_t number, std::int64_t pts);

  /// Drops the packets, since no decoder will have to resume here, but not the record of output frames.
  void forget_packets();
  /// Call after a seek.
  void clear();

 private:
  std::size_t max_bytes_;
  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
  std::int64_t next_ = 0;
  bool has_gap_ = false;
  std::set<std::pair<std::int64_t, std::int64_t>> output_;  ///< number and pts, of kept packets
  std::set<std::pair<std::int64_t, std::int64_t>>
      awaited_;                             ///< of those, what the new decoder has not output yet
  std::int64_t last_number_ = -1;           ///< the highest one of an output frame
  std::int64_t last_pts_ = AV_NOPTS_VALUE;  ///< of the last output frame
};

}  // namespace glyphreel::media
