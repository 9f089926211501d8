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
#include "player/subtitles/subtitle_track.h"
#include "render/text_layer.h"

namespace glyphreel::player {

/// The subtitle tracks of the current input, including the subtitle files next to the input. One track can be
/// selected. Text is laid out in cells over the video. Bitmaps are composited into the frame before the frame
/// is mapped to characters.
/// Thread-safety: the player's thread only.
class SubtitleDisplay {
 public:
  /// Finds the tracks of an input, and selects one. `source` must remain valid until close() or the
  /// destructor. Uses --sid, --sub-file and --sub-delay of `settings`.
  void open(const cli::Settings& settings, media::Source& source, const std::string& url);
  /// Sets the memory for the frames that composited() makes; null: any host memory. `memory` must remain
  /// valid until close() or the destructor.
  void set_memory(HostMemory* memory);
  /// Removes all tracks. Call this before closing the input.
  void close();

  [[nodiscard]] int track_count() const { return static_cast<int>(tracks_.size()); }
  /// Returns the number of the selected track, from 1; 0 if none is selected.
  [[nodiscard]] int selected() const { return selected_; }
  /// Returns the selected track's name for the user, such as "2: subrip, eng"; "no" if none is selected.
  [[nodiscard]] std::string selected_name() const;
  /// Selects a track by its number; 0: none. Errors: BadInput if the track cannot be read; no track is then
  /// selected.
  [[nodiscard]] Result<void> select(int number);
  /// Returns why open() could not select a track, but only once; otherwise empty.
  [[nodiscard]] std::string take_notice() { return std::exchange(notice_, {}); }

  /// Shows subtitles later by this many seconds; negative: earlier.
  void set_delay(double seconds) { delay_ = seconds; }
  [[nodiscard]] double delay() const { return delay_; }
  void set_visible(bool is_visible) { is_visible_ = is_visible; }
  [[nodiscard]] bool is_visible() const { return is_visible_; }

  struct Change {
    render::TextLayer text;  ///< the text to show, laid out on the grid
    /// True if bitmaps are shown now, or were shown before this change. In both cases, the frame must be
    /// rendered again.
    bool has_bitmap = false;
  };
  /// Returns the subtitles to show if they have changed; otherwise empty. `seconds`: the playback position;
  /// empty before the first frame.
  [[nodiscard]] std::optional<Change> update(std::optional<double> seconds, std::optional<GridSize> grid);
  /// Returns the frame with the bitmap subtitles over it.
  [[nodiscard]] Frame composited(const Frame& frame, std::optional<GridSize> grid);

 private:
  struct Track {
    media::SubtitleTrackInfo info;
    /// Decoder of a track of the input; null: not opened, or the track is a separate file.
    std::unique_ptr<media::SubtitleDecoder> decoder = nullptr;
    std::optional<SubtitleTrack> events = std::nullopt;  ///< empty until loaded
    /// Packets of an unselected bitmap track, not decoded yet.
    std::deque<std::shared_ptr<const media::SubtitlePacket>> waiting = {};
    std::size_t waiting_bytes = 0;
  };
  using EventPtr = SubtitleTrack::EventPtr;
  /// Returns the selected track; null if none is selected.
  [[nodiscard]] Track* selected_track() {
    return selected_ > 0 ? &tracks_[static_cast<std::size_t>(selected_ - 1)] : nullptr;
  }
  [[nodiscard]] Result<void> load(Track& track);
  static void queue_packet(Track& track, std::shared_ptr<const media::SubtitlePacket> packet);
  void read();

  media::Source* source_ = nullptr;
  double origin_ = 0;  ///< the video stream's start on the container's clock, in seconds
  std::vector<Track> tracks_;
  int selected_ = 0;
  double delay_ = 0;
  std::string notice_;

  bool is_visible_ = true;
  std::vector<EventPtr> shown_;
  std::optional<GridSize> grid_;  ///< grid that the text was laid out for
  HostMemory* memory_ = nullptr;
  std::unique_ptr<media::BitmapOverlay> bitmaps_;
};

}  // namespace glyphreel::player
