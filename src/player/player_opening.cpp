// The player while the next input is opened, or a playlist fetched: the screen and some keys work meanwhile.

#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "media/fetch.h"
#include "player/background_call.h"
#include "player/player.h"

namespace glyphreel::player {
namespace {

constexpr double LookSeconds = 0.1;   // between two looks for Ctrl-C
constexpr double QuickSeconds = 0.5;  // an opening that takes longer is announced

}  // namespace

/// The result of a call that may be slow. Empty: the user went elsewhere meanwhile, see `next`.
template <typename T>
Result<std::optional<Result<T>>> Player::attend(const std::string& name,
                                                std::function<Result<T>(const std::stop_token&)> call,
                                                Next& next) {
  // Before there is a screen, Ctrl-C is all the input that there is, and media::Input answers that itself.
  if (!screen_ || !live_) return std::optional<Result<T>>(call({}));
  BackgroundCall<T> under_way("open", std::move(call), [this] { wake(); });
  const TimePoint start = Clock::now();
  bool is_announced = false;
  while (true) {
    if (std::optional<Result<T>> result = under_way.poll()) return result;
    TRY_ASSIGN(next, take_inputs_while_opening());
    if (next == Next::Going && interrupted()) next = Next::Quit;
    if (next != Next::Going) return std::optional<Result<T>>();
    if (!is_announced && std::chrono::duration<double>(Clock::now() - start).count() > QuickSeconds) {
      is_announced = true;
      tell("opening", fmt::format("Opening {}", name));
    }
    TRY(show_while_opening());
  }
}

Result<std::optional<Result<std::unique_ptr<Playback>>>> Player::open_playback(const PlaylistEntry& entry,
                                                                               std::uint32_t number,
                                                                               Next& next) {
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

/// Puts what a playlist on the network names in its place.
Result<Player::Next> Player::expand_playlist() {
  Next next = Next::Going;
  const auto fetch = [url = playlist_.current()->url](const std::stop_token& stop) {
    return media::fetch_text(url, stop);
  };
  TRY_ASSIGN(std::optional<Result<std::string>> text,
             attend<std::string>(playlist_.current()->name(), fetch, next));
  if (text && !*text && text->error().code == ErrorCode::Interrupted) return std::move(text->error());
  if (text) playlist_.expand_current([&](const std::string&) { return *std::move(text); });
  return next;
}

/// Keys that need an input that plays wait for it.
Result<Player::Next> Player::take_inputs_while_opening() {
  TRY_ASSIGN(std::vector<ScreenInput> inputs, screen_->wait(inputs_.empty() ? LookSeconds : 0));
  std::move(inputs.begin(), inputs.end(), std::back_inserter(inputs_));
  while (!inputs_.empty()) {
    const ScreenInput input = std::move(inputs_.front());
    inputs_.pop_front();
    if (std::holds_alternative<CloseInput>(input)) return Next::Quit;
    if (const auto* key = std::get_if<KeyInput>(&input)) {
      const Command* command = bindings_.find(key->key);
      if (command == nullptr) continue;
      if (!works_while_opening(*command)) {
        inputs_for_next_.push_back(input);
        continue;
      }
      const Next next = execute(*command);
      if (next != Next::Going) return next;
    } else if (const auto* dropped = std::get_if<FilesDropped>(&input)) {
      if (playlist_.replace(dropped->paths)) return Next::Other;
      tell_problems();
    } else if (std::holds_alternative<SizeChanged>(input)) {
      size_changed_ = true;
    } else if (std::holds_alternative<PictureLost>(input)) {
      lost_ = true;
    } else if (std::holds_alternative<MouseReleased>(input)) {
      dragging_ = false;
    }
  }
  return Next::Going;
}

bool Player::works_while_opening(const Command& command) const {
  switch (command.verb) {
    case CommandVerb::Quit:
    case CommandVerb::PlaylistNext:
    case CommandVerb::PlaylistPrevious:
      return true;
    case CommandVerb::Cycle:
      return command.property == "fullscreen" || (command.property == "record" && recording_);
    default:
      return false;
  }
}

/// The last picture of the input before, in the size that the screen has now, under the text.
Result<void> Player::show_while_opening() {
  if (std::exchange(size_changed_, false)) {
    TRY(screen_->follow_size());
    live_->follow_cell();
    TRY(configure());
  }
  if (live_->poll()) grid_.reset();
  if (!grid_) TRY(configure());
  osd_.now_seconds = osd_seconds(Clock::now());
  lost_ = update_overlay() || lost_;
  if (screen_->visibility() != Playback::Visibility::Seen) return {};
  if (std::exchange(stale_, false) && frame_before_) {
    lost_ = false;
    TRY(screen_->show(*frame_before_));
  } else if (std::exchange(lost_, false)) {
    TRY(screen_->show_again());
  }
  return {};
}

}  // namespace glyphreel::player
