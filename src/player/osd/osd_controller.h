#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "player/osd/osd.h"

namespace glyphreel::player {

/// The on-screen display of a running player: its state on the player's clock, its messages and pages, and
/// the mouse on its progress bar.
/// Thread-safety: one thread.
class OsdController {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  OsdController(int level, std::vector<HelpEntry> help);

  [[nodiscard]] OsdState& state() { return state_; }
  [[nodiscard]] const OsdState& state() const { return state_; }
  /// Sets the time that the display shows.
  void set_now(TimePoint now) { state_.now_seconds = seconds(now); }
  /// Returns the seconds until the display changes with time alone; empty: it does not.
  [[nodiscard]] std::optional<double> seconds_to_change() const;

  /// Shows a short message, in place of the last one on the topic. `fraction`: see OsdMessage.
  void show_message(const std::string& topic, const std::string& text,
                    std::optional<double> fraction = std::nullopt);
  void show_error(const std::string& text, const std::string& topic = {});
  /// Shows the progress bar for a while.
  void show_progress();
  void toggle_statistics();
  /// Opens the help, turns its pages, and closes it after the last. `grid` is empty before the first frame.
  void turn_help_page(std::optional<GridSize> grid);

  /// Whether the figures of pages and headings are due: faster ones could not be read.
  [[nodiscard]] bool figures_are_due(TimePoint now) const { return now >= next_figures_; }
  /// Call this when figures were updated that are on screen.
  void note_figures(TimePoint now) { next_figures_ = now + std::chrono::milliseconds(250); }
  /// Makes the figures due at once.
  void expire_figures() { next_figures_ = {}; }

  /// The left mouse button is down. Returns where on the progress bar it points to, in seconds of the input,
  /// if it was pressed there; then it drags the bar until release_bar().
  [[nodiscard]] std::optional<double> press_bar(TimePoint now, GridSize grid);
  void release_bar() { is_dragging_ = false; }
  [[nodiscard]] bool is_dragging() const { return is_dragging_; }

 private:
  [[nodiscard]] double seconds(TimePoint now) const {
    return std::chrono::duration<double>(now - start_).count();
  }

  const TimePoint start_ = std::chrono::steady_clock::now();
  OsdState state_;
  TimePoint next_figures_{};
  bool is_dragging_ = false;
};

}  // namespace glyphreel::player
