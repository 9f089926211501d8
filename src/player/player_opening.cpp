// The player while it opens the next input or fetches a playlist: the screen and some keys work meanwhile.

#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "media/input/fetch.h"
#include "base/threads/background_call.h"
#include "player/player.h"

namespace glyphreel::player {
namespace {

constexpr double LookSeconds = 0.1;   // between two checks for Ctrl-C
constexpr double QuickSeconds = 0.5;  // an opening that takes longer is announced

}  // namespace

/// Runs a call that may be slow. Returns its result, or empty if the user went elsewhere meanwhile, see
/// `next`.
template <typename T>
Result<std::optional<Result<T>>> Player::attend(const std::string& name,
                                                std::function<Result<T>(const std::stop_token&)> call,
                                                LoopAction& next) {
  // Before there is a screen, Ctrl-C is the only input, and media::Input handles that itself.
  if (!screen_ || !live_) return std::optional<Result<T>>(call({}));
  BackgroundCall<T> under_way("open", std::move(call), [this] { wake(); });
  const TimePoint start = Clock::now();
  bool is_announced = false;
  while (true) {
    if (std::optional<Result<T>> result = under_way.poll()) return result;
    TRY_ASSIGN(next, take_inputs_while_opening());
    if (next == LoopAction::Going && interrupted()) next = LoopAction::Quit;
    if (next != LoopAction::Going) return std::optional<Result<T>>();
    if (!is_announced && std::chrono::duration<double>(Clock::now() - start).count() > QuickSeconds) {
      is_announced = true;
      show_message("opening", fmt::format("Opening {}", name));
    }
    TRY(show_while_opening());
  }
}

Result<std::optional<Result<std::unique_ptr<Playback>>>> Player::open_playback(const PlaylistEntry& entry,
                                                                               std::uint32_t number,
                                                                               LoopAction& next) {
  const auto open = [this, url = entry.url, controls = controls_, audio_track = audio_track_,
                     still_seconds = playlist_.still_image_seconds(), number](const std::stop_token& stop) {
    return Playback::open(
        settings_,
        {.url = url,
         .times = &times_,
         .statistics = &statistics_,
         .controls = controls,
         .audio_track = audio_track,
         .still_seconds = still_seconds,
         .stop_opening = stop,
         .on_sound = [this, number](const media::AudioBlock& block) { sound_tap_.add(number, block); },
         .wake = [this] { wake(); }});
  };
  return attend<std::unique_ptr<Playback>>(entry.name(), open, next);
}

/// Replaces a playlist on the network with its entries.
Result<Player::LoopAction> Player::expand_playlist() {
  LoopAction next = LoopAction::Going;
  const auto fetch = [url = playlist_.current()->url](const std::stop_token& stop) {
    return media::fetch_text(url, stop);
  };
  TRY_ASSIGN(std::optional<Result<std::string>> text,
             attend<std::string>(playlist_.current()->name(), fetch, next));
  if (text && !*text && text->error().code == ErrorCode::Interrupted) return std::move(text->error());
  if (text) playlist_.expand_current([&](const std::string&) { return *std::move(text); });
  return next;
}

/// Keys that need a playing input wait for it.
Result<Player::LoopAction> Player::take_inputs_while_opening() {
  TRY_ASSIGN(std::vector<UiEvent> inputs, screen_->wait(inputs_.empty() ? LookSeconds : 0));
  std::move(inputs.begin(), inputs.end(), std::back_inserter(inputs_));
  while (!inputs_.empty()) {
    const UiEvent input = std::move(inputs_.front());
    inputs_.pop_front();
    if (std::holds_alternative<CloseInput>(input)) return LoopAction::Quit;
    if (const auto* key = std::get_if<KeyInput>(&input)) {
      const Command* command = bindings_.find(key->key);
      if (command == nullptr) continue;
      const auto runs_while_opening = command->spec->runs_while_opening;
      if (runs_while_opening == nullptr || !runs_while_opening(*this, *command)) {
        inputs_for_next_.push_back(input);
        continue;
      }
      const LoopAction next = execute(*command);
      if (next != LoopAction::Going) return next;
    } else if (const auto* dropped = std::get_if<FilesDropped>(&input)) {
      if (playlist_.replace(dropped->paths)) return LoopAction::Other;
      report_problems();
    } else if (std::holds_alternative<SizeChanged>(input)) {
      size_changed_ = true;
    } else if (std::holds_alternative<WindowExposed>(input)) {
      needs_redraw_ = true;
    } else if (std::holds_alternative<MouseReleased>(input)) {
      dragging_ = false;
    }
  }
  return LoopAction::Going;
}

/// Shows the previous input's last picture at the screen's current size, under the text.
Result<void> Player::show_while_opening() {
  if (std::exchange(size_changed_, false)) {
    TRY(screen_->sync_size());
    live_->sync_cell();
    TRY(configure());
  }
  if (live_->poll()) grid_.reset();
  if (!grid_) TRY(configure());
  osd_.now_seconds = osd_seconds(Clock::now());
  needs_redraw_ = update_overlay() || needs_redraw_;
  if (screen_->visibility() != Playback::Visibility::Seen) return {};
  if (std::exchange(needs_render_, false) && frame_before_) {
    needs_redraw_ = false;
    TRY(show_unless_lost(*screen_, *frame_before_));
  } else if (std::exchange(needs_redraw_, false)) {
    TRY(screen_->show_again());
  }
  return {};
}

}  // namespace glyphreel::player
