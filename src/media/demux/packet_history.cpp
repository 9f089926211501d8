#include "media/demux/packet_history.h"

#include <algorithm>
#include <utility>

namespace glyphreel::media {

void PacketHistory::add(const AVPacket& packet, bool is_skippable) {
  ++next_;
  const bool is_key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
  const auto size = static_cast<std::size_t>(std::max(packet.size, 0));
  if (bytes_ + size > max_bytes_) {
    entries_.clear();
    bytes_ = 0;
    has_gap_ = true;
  }
  if (has_gap_ && (!is_key || size > max_bytes_)) return;
  has_gap_ = false;
  entries_.push_back({PacketPtr(checked(av_packet_clone(&packet))), is_skippable});
  bytes_ += size;
}

const PacketHistory::Entry* PacketHistory::find(std::int64_t number) const {
  if (number < first() || number >= next_) return nullptr;
  return &entries_[static_cast<std::size_t>(number - first())];
}

void PacketHistory::note_output(std::int64_t number, std::int64_t pts) {
  output_.emplace(number, pts);
  last_number_ = std::max(last_number_, number);
  last_pts_ = pts;
  const Entry* entry = find(number);
  if (entry != nullptr && (entry->packet->flags & AV_PKT_FLAG_KEY) != 0) {
    while (first() < number) {
      bytes_ -= static_cast<std::size_t>(entries_.front().packet->size);
      entries_.pop_front();
    }
  }
  // Forget the output frames whose packets are no longer kept: a replay cannot decode them again.
  output_.erase(output_.begin(), output_.lower_bound({first(), INT64_MIN}));
}

void PacketHistory::begin_replay() {
  awaited_ = output_;
}

bool PacketHistory::was_output(std::int64_t number, std::int64_t pts) {
  if (output_.contains({number, pts})) {
    awaited_.erase({number, pts});
    return true;
  }
  // This frame was not output. If a later frame was output, the previous decoder dropped this frame, perhaps
  // because of damage. In that case, drop this frame again to keep the presentation order.
  return !awaited_.empty() && number < last_number_ && pts != AV_NOPTS_VALUE && last_pts_ != AV_NOPTS_VALUE &&
         pts < last_pts_;
}

void PacketHistory::forget_packets() {
  entries_.clear();
  bytes_ = 0;
  has_gap_ = false;
}

void PacketHistory::clear() {
  forget_packets();
  output_.clear();
  awaited_.clear();
  last_number_ = -1;
  last_pts_ = AV_NOPTS_VALUE;
}

}  // namespace glyphreel::media
