// The commands of a player, and their table.

#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "player/player.h"

namespace glyphreel::player {
namespace {

/// Replaces each ${PROPERTY} in the text by the property's value, and ${=PROPERTY} by its unformatted value.
std::string expanded(const Player& player, std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find("${");
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
    if (end == std::string_view::npos) return result += text;
    std::string_view name = text.substr(begin + 2, end - begin - 2);
    const bool is_raw = name.starts_with('=');
    if (is_raw) name.remove_prefix(1);
    result += text.substr(0, begin);
    text.remove_prefix(end + 1);
    const PropertySpec* property = find_property(name);
    const PropertyValue value = property != nullptr ? property->get(player) : PropertyValue();
    result += is_raw || property == nullptr ? text_of(value) : shown_value(domain_of(*property), value);
  }
}

}  // namespace

/// The handlers of the commands, and their table.
struct PlayerCommands {
  using StopReason = Player::StopReason;
  using Clock = Player::Clock;

  // Properties.
  /// Returns the values that the property accepts now; the limits may depend on the input.
  static PropertyDomain domain_now(const Player& player, const PropertySpec& property) {
    PropertyDomain domain = domain_of(property);
    if (property.range != nullptr) {
      const NumberRange range = property.range(player);
      domain.min = range.min;
      domain.max = range.max;
    }
    return domain;
  }
  static Result<void> assign(Player& player, const PropertySpec& property, const PropertyValue& value) {
    if (property.range == nullptr) return property.set(player, value);
    TRY_ASSIGN(const PropertyValue limited, converted(domain_now(player, property), property.name, value));
    return property.set(player, limited);
  }
  static Result<void> set(Player& player, const Command& command) {
    return assign(player, *command.property, command.values.front());
  }
  /// Runs the commands "cycle", "add" and "multiply".
  static Result<void> change(Player& player, const Command& command) {
    const PropertySpec& property = *command.property;
    if (property.step != nullptr) return property.step(player, command);
    const PropertyValue now = property.get(player);
    // Among the settable properties, only numeric properties can be unavailable. The setter of an unavailable
    // property returns the reason as an error.
    if (std::holds_alternative<std::monostate>(now)) return property.set(player, 0.0);
    const PropertyDomain domain = domain_now(player, property);
    return property.set(player, changed_value(domain, now, command.spec->action, command.value));
  }
  /// Sets the next value in the list; the first value if the current value is the last or not in the list.
  static Result<void> cycle_values(Player& player, const Command& command) {
    const auto found = std::ranges::find(command.values, command.property->get(player));
    const bool is_last = found == command.values.end() || found + 1 == command.values.end();
    return assign(player, *command.property, is_last ? command.values.front() : *(found + 1));
  }

  // Playback.
  static Result<void> seek(Player& player, const Command& command) {
    Playback& playback = *player.playback_;
    const media::SeekMode mode = command.exact ? media::SeekMode::Exact : media::SeekMode::KeyframeBefore;
    if (command.seek == SeekKind::Relative) {
      playback.seek_by(command.value,
                       command.exact ? Playback::SeekUnit::Frame : Playback::SeekUnit::Keyframe,
                       Clock::now());
    } else if (command.seek == SeekKind::Absolute) {
      playback.seek(command.value, mode);
    } else if (playback.duration()) {
      playback.seek(*playback.duration() * command.value / 100, mode);
    }
    player.osd_.show_progress();
    return {};
  }
  static Result<void> frame_step(Player& player, const Command&) {
    player.playback_->step_forward(Clock::now());
    return {};
  }
  static Result<void> frame_back_step(Player& player, const Command&) {
    player.playback_->step_back(Clock::now());
    return {};
  }
  /// The first call sets A. The second call sets B if the position is after A. Any other call clears A and B.
  static Result<void> ab_loop(Player& player, const Command&) {
    Player::LoopPoints& loop = player.loop_;
    const double here = player.playback_->frame_position(Clock::now());
    std::string message;
    if (!loop.a) {
      loop.a = here;
      message = fmt::format("Loop from {}", clock_text(here, here));
    } else if (!loop.b && here > *loop.a) {
      loop.b = here;
      message = fmt::format("Loop from {} to {}", clock_text(*loop.a, here), clock_text(here, here));
    } else {
      loop.a.reset();
      loop.b.reset();
      message = loop.whole_file ? "Loop: the file" : "Loop: no";
    }
    player.osd_.show_message("loop", message);
    player.sync_loop();
    player.osd_.show_progress();
    return {};
  }
  static Result<void> playlist_next(Player& player, const Command&) {
    if (!player.playlist_.next()) return Error{ErrorCode::Usage, "This is the last input.", {}};
    player.stop_ = StopReason::EntryChanged;
    return {};
  }
  static Result<void> playlist_previous(Player& player, const Command&) {
    if (!player.playlist_.previous()) return Error{ErrorCode::Usage, "This is the first input.", {}};
    player.stop_ = StopReason::EntryChanged;
    return {};
  }
  static Result<void> screenshot(Player& player, const Command&) {
    const Frame* frame = player.playback_->last_frame();
    if (frame == nullptr || !player.presenter_.grid()) return {};
    TRY_ASSIGN(const std::string saved, player.presenter_.take_screenshot(*frame, save_screenshot));
    player.osd_.show_message("screenshot", fmt::format("Saved {}.", saved));
    return {};
  }
  template <VideoPresenter::ScreenshotUse Text>
  static Result<void> copy(Player& player, const Command&) {
    const Frame* frame = player.playback_->last_frame();
    if (frame == nullptr || !player.presenter_.grid()) return {};
    TRY_ASSIGN(const std::string text, player.presenter_.take_screenshot(*frame, Text));
    player.presenter_.copy_to_clipboard(text);
    player.osd_.show_message("screenshot", "Copied the frame's text.");
    return {};
  }
  static Result<void> show_text(Player& player, const Command& command) {
    player.osd_.show_message("text", expanded(player, command.text), std::nullopt, command.value);
    return {};
  }
  static Result<void> quit(Player& player, const Command&) {
    player.stop_ = StopReason::Quit;
    return {};
  }
  static Result<void> show_progress(Player& player, const Command&) {
    player.osd_.show_progress();
    return {};
  }
  static Result<void> ignore(Player&, const Command&) { return {}; }

  static constexpr auto Table = std::to_array<CommandSpec>({
      {"set", "PROPERTY VALUE", "Sets a property.", CommandSyntax::Set, set},
      {"add", "PROPERTY [NUMBER]",
       "Adds NUMBER (default: 1) to the property, and stops at its limits. If the property is a choice from "
       "a list, moves NUMBER entries forward.",
       CommandSyntax::Number, change, PropertyAction::Add},
      {"multiply", "PROPERTY NUMBER", "Multiplies the property by NUMBER, and stops at its limits.",
       CommandSyntax::Number, change, PropertyAction::Multiply},
      {"cycle", "PROPERTY [up|down]",
       "Switches a yes/no property, or moves any other property to its next (up) or previous (down) value. "
       "After the last value comes the first.",
       CommandSyntax::Cycle, change, PropertyAction::Cycle},
      {"cycle-values", "[!reverse] PROPERTY VALUE...",
       "Sets the property to the VALUE after the current one; with !reverse, to the VALUE before it.",
       CommandSyntax::Values, cycle_values},
      {"seek", "NUMBER [FLAGS]",
       "Seeks by NUMBER seconds. FLAGS, joined by +: absolute (NUMBER is seconds from the start), "
       "absolute-percent (NUMBER is a percentage of the duration), exact (to the exact frame instead of a "
       "keyframe).",
       CommandSyntax::Seek, seek},
      {"frame-step", "", "Shows the next frame and pauses.", CommandSyntax::Plain, frame_step},
      {"frame-back-step", "", "Shows the previous frame and pauses.", CommandSyntax::Plain, frame_back_step},
      {"ab-loop", "", "Sets the loop's start; the second time, its end; the third time, clears both.",
       CommandSyntax::Plain, ab_loop},
      {.name = "playlist-next",
       .help = "Plays the next input.",
       .run = playlist_next,
       .runs_while_opening = true},
      {.name = "playlist-prev",
       .help = "Plays the previous input.",
       .run = playlist_previous,
       .runs_while_opening = true},
      {"screenshot", "", "Saves the frame in the formats of --screenshot-format.", CommandSyntax::Plain,
       screenshot},
      {"copy-text", "", "Copies the frame to the clipboard, as characters.", CommandSyntax::Plain,
       copy<screenshot_text>},
      {"copy-ansi", "", "Copies the frame to the clipboard, as characters with escape sequences for colors.",
       CommandSyntax::Plain, copy<screenshot_ansi>},
      {"show-text", "TEXT [MILLISECONDS]",
       "Shows TEXT, with each ${PROPERTY} replaced by the property's value, and each ${=PROPERTY} by the "
       "unformatted value.",
       CommandSyntax::ShowText, show_text},
      {"show-progress", "", "Shows the position and the progress bar.", CommandSyntax::Plain, show_progress},
      {.name = "quit", .help = "Ends playback.", .run = quit, .runs_while_opening = true},
      {"ignore", "", "Does nothing; bind a key to it to disable the key.", CommandSyntax::Plain, ignore},
  });
};

std::span<const CommandSpec> command_table() {
  return PlayerCommands::Table;
}

}  // namespace glyphreel::player
