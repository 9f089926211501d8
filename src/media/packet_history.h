#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "media/ffmpeg.h"

namespace glyphreel::media {

/// The packets from which another decoder can go on where one has failed, and which of their frames were
/// given out. They reach back to the last key frame that was given out, since frames before one may need what
/// lies before it. Thread-safety: one thread at a time.
class PacketHistory {
 public:
  /// Several seconds of what 4K films have; a stream with more than that between two key frames loses the
  /// rest of such a stretch where its decoder fails.
  static constexpr std::size_t MostBytes = std::size_t{64} << 20;

  explicit PacketHistory(std::size_t most_bytes = MostBytes) : most_bytes_(most_bytes) {}

  /// A packet that is kept, and with it those that were added after it until the next trimming.
  struct Entry {
    Entry(PacketPtr kept, bool unseen, std::int64_t its_number)
        : packet(std::move(kept)), is_unseen(unseen), number(its_number) {}
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    const PacketPtr packet;
    const bool is_unseen;
    const std::int64_t number;
    std::shared_ptr<Entry> next;  ///< null: none was added since; written to by add()
  };
  /// Packets are numbered from 0, without gaps, in the order in which decoders take them.
  void add(const AVPacket& packet, bool is_unseen);
  [[nodiscard]] std::int64_t next_number() const { return next_; }
  /// A packet that need not be kept has been taken; nothing is kept before it any more.
  void pass() { ++next_; }
  /// A packet that is kept; null: that number is not.
  [[nodiscard]] const Entry* find(std::int64_t number) const;
  /// Where a new decoder begins; next_number() where nothing is kept.
  [[nodiscard]] std::int64_t first() const { return next_ - static_cast<std::int64_t>(entries_.size()); }
  /// The packet at first(); null where nothing is kept. Whoever holds it may look at those after it, on any
  /// thread, up to the last that had been added by then; they live as long, those of later groups do not.
  [[nodiscard]] std::shared_ptr<const Entry> oldest() const;
  /// Packets since the last key frame were too many to be kept: a new decoder must wait for the next one.
  [[nodiscard]] bool has_gap() const { return has_gap_; }

  /// A frame was given out: of which packet, and with which raw pts (a packet of VP9 can show an older one's
  /// frame).
  void give(std::int64_t number, std::int64_t pts);
  /// Another decoder begins, at first().
  void begin_again();
  /// Whether a frame that a decoder has made was given out before, or lies before one that was.
  [[nodiscard]] bool was_given(std::int64_t number, std::int64_t pts);

  /// No decoder will have to go on from here: lets the packets go, not what was given.
  void forget_packets();
  /// After a seek.
  void clear();

 private:
  /// Cuts the packets that are left from those who hold older ones.
  void chain_anew();

  std::size_t most_bytes_;
  std::deque<std::shared_ptr<Entry>> entries_;
  std::size_t bytes_ = 0;
  std::int64_t next_ = 0;
  bool has_gap_ = false;
  std::set<std::pair<std::int64_t, std::int64_t>> given_;  ///< number and pts, of packets that are kept
  std::set<std::pair<std::int64_t, std::int64_t>>
      awaited_;                             ///< of those, what the new decoder has not made yet
  std::int64_t last_number_ = -1;           ///< the highest given
  std::int64_t last_pts_ = AV_NOPTS_VALUE;  ///< the last given
};

}  // namespace glyphreel::media
