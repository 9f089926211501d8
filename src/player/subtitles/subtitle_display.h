#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/frame.h"
#include "cli/options/settings.h"
#include "media/source.h"
#include "media/subtitle/bitmap_overlay.h"
#include "player/subtitles/subtitle_choice.h"
#include "render/text_layer.h"

namespace glyphreel::player {

/// Shows the selected subtitles of the current input: text in cells over the picture, bitmaps composited into
/// the frame under the cells.
/// Thread-safety: the player's thread only.
class SubtitleDisplay {
 public:
  /// Finds the tracks of an input. `source` must outlive this object, or close().
  void open(const cli::Settings& settings, media::Source& source, const std::string& url);
  /// Sets where frames with bitmaps go; null: anywhere. It must outlive this object, or close().
  void set_memory(HostMemory* memory);
  /// Call this before the input closes.
  void close();

  /// The tracks; only between open() and close().
  [[nodiscard]] SubtitleChoice& tracks() { return *tracks_; }
  [[nodiscard]] const SubtitleChoice& tracks() const { return *tracks_; }
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
  std::unique_ptr<SubtitleChoice> tracks_;
  bool is_visible_ = true;
  std::vector<SubtitleChoice::EventPtr> shown_;
  std::optional<GridSize> grid_;  ///< that the text was laid out for
  HostMemory* memory_ = nullptr;
  std::unique_ptr<media::BitmapOverlay> bitmaps_;
};

}  // namespace glyphreel::player
