#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Keeps recent packets, so that a new decoder can resume where a failed decoder stopped, and records which
/// of their frames were output. The oldest packet kept is the last keyframe whose frame was output. A
/// keyframe that was sent but not yet output does not suffice, since frames shown before it may depend on
/// older packets. Thread-safety: one thread at a time.
class PacketHistory {
 public:
  /// Enough for several seconds of 4K video. If the packets between two keyframes are larger in total and the
  /// decoder fails, the frames up to the second keyframe are lost.
  static constexpr std::size_t MaxBytes = std::size_t{64} << 20;

  explicit PacketHistory(std::size_t max_bytes = MaxBytes) : max_bytes_(max_bytes) {}

  struct Entry {
    PacketPtr packet;
    bool is_skippable = false;  ///< see add()
  };
  /// Keeps a packet. Packets are numbered from 0, without gaps, in the order in which they are sent to
  /// decoders. `is_skippable`: the packet's frame will be discarded.
  void add(const AVPacket& packet, bool is_skippable);
  [[nodiscard]] std::int64_t next_number() const { return next_; }
  /// Counts a packet that was sent and need not be kept. Call only while no packets are kept.
  void pass() { ++next_; }
  /// Returns the packet with this number; null if it is not kept.
  [[nodiscard]] const Entry* find(std::int64_t number) const;
  /// Returns the number of the packet at which a new decoder starts; next_number() if no packets are kept.
  [[nodiscard]] std::int64_t first() const { return next_ - static_cast<std::int64_t>(entries_.size()); }
  /// Whether the packets since the last keyframe were too large to keep. A new decoder must then wait for
  /// the next keyframe.
  [[nodiscard]] bool has_gap() const { return has_gap_; }

  /// Records that a frame was output. `number` is the number of the frame's packet, and `pts` is the frame's
  /// timestamp as decoded. `number` alone is not unique, since VP9 can show an older packet's frame again.
  void note_output(std::int64_t number, std::int64_t pts);
  /// Call when a new decoder starts decoding at first().
  void begin_replay();
  /// Whether a decoded frame must be dropped because it, or a frame after it, was already output.
  [[nodiscard]] bool was_output(std::int64_t number, std::int64_t pts);

  /// Drops the packets but keeps the record of output frames. Call when no decoder will have to resume from
  /// these packets.
  void forget_packets();
  /// Drops packets and records. Call after a seek.
  void clear();

 private:
  std::size_t max_bytes_;
  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
  std::int64_t next_ = 0;
  bool has_gap_ = false;
  /// The packet number and the pts of each output frame whose packet is kept.
  std::set<std::pair<std::int64_t, std::int64_t>> output_;
  std::set<std::pair<std::int64_t, std::int64_t>>
      awaited_;                             ///< elements of output_ that the new decoder has not output yet
  std::int64_t last_number_ = -1;           ///< the highest packet number of an output frame
  std::int64_t last_pts_ = AV_NOPTS_VALUE;  ///< pts of the last output frame
};

}  // namespace glyphreel::media
