#include "player/osd/osd_controller.h"

#include <utility>

namespace glyphreel::player {
namespace {

constexpr double ProgressSeconds = 1.5;  // how long the progress bar stays after a seek or a mouse move

}  // namespace

OsdController::OsdController(int level, std::vector<HelpEntry> help) {
  state_.level = level;
  state_.help = std::move(help);
}

std::optional<double> OsdController::seconds_to_change() const {
  const std::optional<double> next = next_osd_change(state_);
  return next ? std::optional(*next - state_.now_seconds) : std::nullopt;
}

void OsdController::show_message(const std::string& topic, const std::string& text,
                                 std::optional<double> fraction, double shown_seconds) {
  if (is_silent_) return;
  const double now = seconds(std::chrono::steady_clock::now());
  post_message(state_.messages,
               {.topic = topic, .text = text, .until_seconds = now + shown_seconds, .fraction = fraction},
               now);
}

void OsdController::show_error(const std::string& text, const std::string& topic) {
  const double now = seconds(std::chrono::steady_clock::now());
  post_message(
      state_.messages,
      {.topic = topic, .text = text, .until_seconds = now + ErrorSeconds, .kind = MessageKind::Error}, now);
}

void OsdController::show_progress() {
  if (is_silent_) return;
  state_.progress_until_seconds = seconds(std::chrono::steady_clock::now()) + ProgressSeconds;
}

void OsdController::toggle_statistics() {
  state_.page = state_.page == OsdPage::Statistics ? OsdPage::None : OsdPage::Statistics;
  force_stats_refresh();
}

void OsdController::turn_help_page(std::optional<GridSize> grid) {
  if (state_.page != OsdPage::Help) {
    state_.page = OsdPage::Help;
    state_.help_page = 0;
  } else if (!grid || state_.help_page + 1 >= help_pages(state_, *grid)) {
    state_.page = OsdPage::None;
  } else {
    ++state_.help_page;
  }
}

std::optional<double> OsdController::press_bar(TimePoint now, GridSize grid) {
  if (!state_.mouse) return std::nullopt;
  set_now(now);
  const std::optional<ProgressBarLayout> bar = visible_progress_bar(state_, grid);
  if (!bar || (!is_dragging_ && !hits_bar(*bar, *state_.mouse))) return std::nullopt;
  const std::optional<double> target = seconds_at(*bar, state_.mouse->column);
  is_dragging_ = is_dragging_ || target;
  return target;
}

}  // namespace glyphreel::player
