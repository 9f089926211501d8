#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/thread_annotations.h"
#include "media/subtitle_event.h"

namespace glyphreel::player {

/// The events of one subtitle track, found by time. They come as packets are read, in any order; those that
/// come again after a seek are dropped. An event of unknown end lasts until the next one of the same run of
/// packets, and is forgotten where a seek leaves its end unread. Pictures are kept up to a bound; those
/// farthest from what was read last go first. Thread-safety: every member may be called from any thread.
class SubtitleTrack {
 public:
  using EventPtr = std::shared_ptr<const media::SubtitleEvent>;
  /// Of bitmaps, bytes; a film's take about 100 MiB. A seek back reads again what was dropped.
  static constexpr std::size_t DefaultPictureBytes = std::size_t{128} << 20;
  /// Shown at once at most: more is a damaged file.
  static constexpr std::size_t MaxVisible = 64;

  /// A track whose events come one by one.
  explicit SubtitleTrack(std::size_t picture_bytes = DefaultPictureBytes);
  /// A whole file's, with nothing dropped.
  [[nodiscard]] static std::unique_ptr<SubtitleTrack> of_file(std::vector<media::SubtitleEvent> events);

  /// Events in the order that their packets were read in; another `epoch` than before tells of a seek
  /// between.
  void add(std::vector<media::SubtitleEvent> events, std::uint32_t epoch) EXCLUDES(mutex_);

  /// What is shown at a time on the events' own scale, plus the delay: by layer, then start, then the file's
  /// order.
  [[nodiscard]] std::vector<EventPtr> visible_at(double seconds) const EXCLUDES(mutex_);
  /// The next time after `seconds` at which visible_at() changes, as far as is known; infinity: never.
  [[nodiscard]] double next_change_after(double seconds) const EXCLUDES(mutex_);

  /// Seconds that everything is shown later; negative: earlier.
  void set_delay(double seconds) EXCLUDES(mutex_);
  [[nodiscard]] double delay() const EXCLUDES(mutex_);

  /// Raised whenever what visible_at() tells may have changed otherwise than by time.
  [[nodiscard]] std::uint64_t version() const EXCLUDES(mutex_);
  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_);

 private:
  struct Entry {
    double start = 0;
    double end = 0;
    EventPtr event;
  };

  void insert(media::SubtitleEvent event) REQUIRES(mutex_);
  void close_open_entries(const media::SubtitleEvent& next) REQUIRES(mutex_);
  void forget_open_entries() REQUIRES(mutex_);
  void drop_far_pictures(double seconds) REQUIRES(mutex_);
  void erase(std::size_t index) REQUIRES(mutex_);
  void update_latest_ends(std::size_t from) REQUIRES(mutex_);
  [[nodiscard]] bool holds(const media::SubtitleEvent& event) const REQUIRES(mutex_);
  /// Index of the first entry that starts after `seconds`.
  [[nodiscard]] std::size_t first_after(double seconds) const REQUIRES(mutex_);
  template <typename Visit>
  void visit_visible(double seconds, Visit visit) const REQUIRES(mutex_);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);  ///< by start
  /// The latest end of each block of entries, so that a search need not look at each of a long film's.
  std::vector<double> latest_ends_ GUARDED_BY(mutex_);
  /// Those of this run of packets whose end has not been met.
  std::vector<EventPtr> open_ GUARDED_BY(mutex_);
  std::optional<std::uint32_t> epoch_ GUARDED_BY(mutex_);
  std::size_t picture_limit_;
  std::size_t picture_bytes_ GUARDED_BY(mutex_) = 0;
  double delay_ GUARDED_BY(mutex_) = 0;
  std::uint64_t version_ GUARDED_BY(mutex_) = 0;
};

}  // namespace glyphreel::player
