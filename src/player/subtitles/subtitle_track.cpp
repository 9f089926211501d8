#include "player/subtitles/subtitle_track.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace glyphreel::player {
namespace {

using media::SubtitleEvent;

constexpr double Never = std::numeric_limits<double>::infinity();
constexpr std::size_t BlockSize = 64;
// Maximum number of events with the same start. A damaged file may have more, and comparing all pairs would
// take minutes.
constexpr int MaxSameStart = 1024;

std::size_t bitmap_bytes(const SubtitleEvent& event) {
  std::size_t bytes = 0;
  if (event.bitmap == nullptr) return bytes;
  for (const media::SubtitlePicture& picture : event.bitmap->pictures)
    bytes += sizeof picture + picture.indices.size();
  return bytes;
}

/// Whether `a` and `b` are the same event, decoded from a packet that was read twice. In that case, their
/// times come from the same bytes and are exactly equal.
bool is_same(const SubtitleEvent& a, const SubtitleEvent& b) {
  const bool same_bitmap =
      (a.bitmap == nullptr) == (b.bitmap == nullptr) && (a.bitmap == nullptr || *a.bitmap == *b.bitmap);
  return a.start_seconds == b.start_seconds && a.end_seconds == b.end_seconds && a.layer == b.layer &&
         a.alignment == b.alignment && a.lines == b.lines && same_bitmap;
}

}  // namespace

SubtitleTrack::SubtitleTrack(std::size_t bitmap_bytes) : bitmap_limit_(bitmap_bytes) {}

SubtitleTrack SubtitleTrack::of_file(std::vector<SubtitleEvent> events) {
  SubtitleTrack track(std::numeric_limits<std::size_t>::max());
  track.add(std::move(events), 0);
  return track;
}

void SubtitleTrack::add(std::vector<SubtitleEvent> events, std::uint32_t epoch) {
  if (epoch_ && *epoch_ != epoch) drop_open_entries();
  epoch_ = epoch;
  for (SubtitleEvent& event : events) {
    if (!std::isfinite(event.start_seconds)) continue;
    const double start = event.start_seconds;
    close_open_entries(event);
    if (!event.clears_display() && event.end_seconds > event.start_seconds && !contains(event))
      insert(std::move(event));
    drop_far_bitmaps(start);
  }
}

/// Ends each event of open_ that started before `next`. The event ends when `next` starts, or at its own end
/// if that is earlier.
void SubtitleTrack::close_open_entries(const SubtitleEvent& next) {
  std::erase_if(open_, [&](const EventPtr& open) {
    if (open->start_seconds >= next.start_seconds) return false;
    for (std::size_t i = first_after(open->start_seconds);
         i-- > 0 && entries_[i].start == open->start_seconds;) {
      if (entries_[i].event != open) continue;
      entries_[i].end = std::min(entries_[i].end, next.start_seconds);
      update_latest_ends(i);
    }
    return true;
  });
}

void SubtitleTrack::drop_open_entries() {
  for (const EventPtr& open : open_) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.event == open && entry.end == Never;
    });
    if (found != entries_.end()) erase(static_cast<std::size_t>(found - entries_.begin()));
  }
  open_.clear();
}

bool SubtitleTrack::contains(const SubtitleEvent& event) const {
  int together = 0;
  for (std::size_t i = first_after(event.start_seconds);
       i-- > 0 && entries_[i].start == event.start_seconds;) {
    if (is_same(*entries_[i].event, event) || ++together == MaxSameStart) return true;
  }
  return false;
}

void SubtitleTrack::insert(SubtitleEvent event) {
  bitmap_bytes_ += bitmap_bytes(event);
  const auto shared = std::make_shared<const SubtitleEvent>(std::move(event));
  // open_ contains every bitmap, even one with an end time, because the next event may replace it earlier.
  if (shared->end_seconds == Never || shared->bitmap != nullptr) open_.push_back(shared);
  const std::size_t at = first_after(shared->start_seconds);
  entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(at),
                  {shared->start_seconds, shared->end_seconds, shared});
  update_latest_ends(at);
}

void SubtitleTrack::erase(std::size_t index) {
  bitmap_bytes_ -= bitmap_bytes(*entries_[index].event);
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
  update_latest_ends(index);
}

void SubtitleTrack::update_latest_ends(std::size_t from) {
  latest_ends_.resize((entries_.size() + BlockSize - 1) / BlockSize);
  for (std::size_t block = from / BlockSize; block < latest_ends_.size(); ++block) {
    const std::size_t end = std::min(entries_.size(), (block + 1) * BlockSize);
    double latest = -Never;
    for (std::size_t i = block * BlockSize; i < end; ++i) latest = std::max(latest, entries_[i].end);
    latest_ends_[block] = latest;
  }
}

/// Drops bitmaps until the rest is within the limit. `seconds` is the time of the last packet read. Drops the
/// bitmaps farthest from that time first, because they are needed last.
void SubtitleTrack::drop_far_bitmaps(double seconds) {
  const auto has_bitmap = [](const Entry& entry) { return entry.event->bitmap != nullptr; };
  while (bitmap_bytes_ > bitmap_limit_) {
    const auto first = std::find_if(entries_.begin(), entries_.end(), has_bitmap);
    const auto last = std::find_if(entries_.rbegin(), entries_.rend(), has_bitmap);
    if (first == entries_.end() || &*first == &*last) return;
    const Entry& farther = seconds - first->start > last->start - seconds ? *first : *last;
    std::erase(open_, farther.event);
    erase(static_cast<std::size_t>(&farther - entries_.data()));
  }
}

std::size_t SubtitleTrack::first_after(double seconds) const {
  const auto found = std::upper_bound(entries_.begin(), entries_.end(), seconds,
                                      [](double time, const Entry& entry) { return time < entry.start; });
  return static_cast<std::size_t>(found - entries_.begin());
}

std::vector<SubtitleTrack::EventPtr> SubtitleTrack::visible_at(double seconds) const {
  std::vector<EventPtr> visible;
  const std::size_t end = first_after(seconds);
  for (std::size_t i = 0; i < end && visible.size() < MaxVisible; ++i) {
    if (i % BlockSize == 0 && latest_ends_[i / BlockSize] <= seconds) {
      i += BlockSize - 1;
    } else if (entries_[i].end > seconds) {
      visible.push_back(entries_[i].event);
    }
  }
  std::stable_sort(visible.begin(), visible.end(), [](const EventPtr& a, const EventPtr& b) {
    if (a->layer != b->layer) return a->layer < b->layer;
    return a->start_seconds != b->start_seconds ? a->start_seconds < b->start_seconds : a->order < b->order;
  });
  return visible;
}

}  // namespace glyphreel::player
