#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "player/osd/osd.h"

namespace glyphreel::player {

/// Controls a player's on-screen display: the display's state, messages and pages. Also handles dragging on
/// the progress bar.
/// Thread-safety: one thread.
class OsdController {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  OsdController(int level, std::vector<HelpEntry> help);

  [[nodiscard]] OsdState& state() { return state_; }
  [[nodiscard]] const OsdState& state() const { return state_; }
  /// Sets the current time, which determines what the display shows.
  void set_now(TimePoint now) { state_.now_seconds = seconds(now); }
  /// Returns the seconds until next_osd_change(); empty if there is none.
  [[nodiscard]] std::optional<double> seconds_to_change() const;

  /// Shows a short message, which replaces an earlier message on the same topic. `fraction`: see OsdMessage.
  void show_message(const std::string& topic, const std::string& text,
                    std::optional<double> fraction = std::nullopt, double shown_seconds = NoteSeconds);
  void show_error(const std::string& text, const std::string& topic = {});
  /// Shows the progress bar for a while.
  void show_progress();
  /// While silent, show_message() and show_progress() do nothing. Returns whether the OSD was silent before.
  bool set_silent(bool is_silent) { return std::exchange(is_silent_, is_silent); }
  void toggle_statistics();
  /// Opens the help, shows its next page, or closes it after the last page. `grid`: empty before the first
  /// frame.
  void turn_help_page(std::optional<GridSize> grid);

  /// Whether it is time to refresh the numbers on the statistics page and the split view's heading. They
  /// change at most four times per second, so that the user can read them.
  [[nodiscard]] bool stats_refresh_due(TimePoint now) const { return now >= next_stats_refresh_; }
  /// Call this after refreshing numbers that are on screen.
  void mark_stats_refreshed(TimePoint now) { next_stats_refresh_ = now + std::chrono::milliseconds(250); }
  /// Makes stats_refresh_due() return true until the next mark_stats_refreshed().
  void force_stats_refresh() { next_stats_refresh_ = {}; }

  /// Call this when the left mouse button is pressed, and when the mouse moves while is_dragging(). If the
  /// button was pressed on the progress bar, returns the time under the mouse, in seconds from the input's
  /// start. Otherwise returns empty.
  [[nodiscard]] std::optional<double> press_bar(TimePoint now, GridSize grid);
  void release_bar() { is_dragging_ = false; }
  [[nodiscard]] bool is_dragging() const { return is_dragging_; }

 private:
  [[nodiscard]] double seconds(TimePoint now) const {
    return std::chrono::duration<double>(now - start_).count();
  }

  const TimePoint start_ = std::chrono::steady_clock::now();
  OsdState state_;
  TimePoint next_stats_refresh_{};
  bool is_dragging_ = false;
  bool is_silent_ = false;
};

}  // namespace glyphreel::player
