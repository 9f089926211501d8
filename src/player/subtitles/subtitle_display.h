#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "media/source.h"
#include "media/subtitle/bitmap_overlay.h"
#include "player/subtitles/subtitles.h"
#include "render/text_layer.h"

namespace glyphreel::player {

/// The subtitles of the current input: the tracks inside it and the files next to it, which one is selected,
/// and what it shows now: text in cells over the picture, bitmaps composited into the frame under the cells.
/// Thread-safety: the player's thread only.
class SubtitleDisplay {
 public:
  /// Finds the tracks of an input, and selects one. `source` must outlive this object, or close().
  /// `settings`:
  /// --sid, --sub-file, --sub-delay.
  void open(const cli::Settings& settings, media::Source& source, const std::string& url);
  /// Sets where frames with bitmaps go; null: anywhere. It must outlive this object, or close().
  void set_memory(HostMemory* memory);
  /// Call this before the input closes.
  void close();

  [[nodiscard]] int track_count() const { return static_cast<int>(tracks_.size()); }
  /// Number of the selected track, from 1; 0: none.
  [[nodiscard]] int selected() const { return selected_; }
  /// As shown to the user: "2: subrip, eng"; "no" if none is selected.
  [[nodiscard]] std::string selected_name() const;
  /// Selects a track. Errors: BadInput if the track cannot be read; then none is selected.
  [[nodiscard]] Result<void> select(int number);
  /// Returns what is wrong with --sid or --sub-file, the first time it is called; empty: nothing.
  [[nodiscard]] std::string take_notice() { return std::exchange(notice_, {}); }

  /// Sets the seconds by which everything is shown later; negative: earlier.
  void set_delay(double seconds) { delay_ = seconds; }
  [[nodiscard]] double delay() const { return delay_; }
  void set_visible(bool is_visible) { is_visible_ = is_visible; }
  [[nodiscard]] bool is_visible() const { return is_visible_; }

  struct Change {
    render::TextLayer text;   ///< for the grid
    bool has_bitmap = false;  ///< in what was or is shown: the frame must be rendered again
  };
  /// Returns what to show now if that has changed. `seconds`: the position; empty: there is no frame yet.
  [[nodiscard]] std::optional<Change> update(std::optional<double> seconds, std::optional<GridSize> grid);
  /// Returns the frame with the bitmap subtitles over it.
  [[nodiscard]] Frame composited(const Frame& frame, std::optional<GridSize> grid);

 private:
  struct Track {
    media::SubtitleTrackInfo info;
    std::unique_ptr<media::SubtitleDecoder> decoder =
        nullptr;                                         ///< for a track of the input; null: not opened
    std::optional<SubtitleTrack> events = std::nullopt;  ///< empty: not loaded
    /// Packets of an unselected bitmap track, not decoded yet.
    std::deque<std::shared_ptr<const media::SubtitlePacket>> waiting = {};
    std::size_t waiting_bytes = 0;
  };
  using EventPtr = SubtitleTrack::EventPtr;
  /// The selected track; null: none.
  [[nodiscard]] Track* selected_track() {
    return selected_ > 0 ? &tracks_[static_cast<std::size_t>(selected_ - 1)] : nullptr;
  }
  [[nodiscard]] Result<void> load(Track& track);
  static void queue_packet(Track& track, std::shared_ptr<const media::SubtitlePacket> packet);
  void read();

  media::Source* source_ = nullptr;
  double origin_ = 0;  ///< the stream's start on the container's clock, in seconds
  std::vector<Track> tracks_;
  int selected_ = 0;
  double delay_ = 0;
  std::string notice_;

  bool is_visible_ = true;
  std::vector<EventPtr> shown_;
  std::optional<GridSize> grid_;  ///< that the text was laid out for
  HostMemory* memory_ = nullptr;
  std::unique_ptr<media::BitmapOverlay> bitmaps_;
};

}  // namespace glyphreel::player
