#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "player/player.h"

namespace glyphreel::player {
namespace {

constexpr int MaxOsdLevel = 3;
constexpr double MaxSteps = 200;  // number of steps from one end of a setting's range to the other

}  // namespace

/// The handlers of the commands, and their table.
struct PlayerCommands {
  using StopReason = Player::StopReason;
  using Clock = Player::Clock;

  // Playback.
  static void pause(Player& player, const Command& command) {
    player.playback_->set_paused(command.switched(player.playback_->controls().paused), Clock::now());
    player.osd_.show_progress();
  }
  static void seek(Player& player, const Command& command) {
    Playback& playback = *player.playback_;
    const media::SeekMode mode = command.exact ? media::SeekMode::Exact : media::SeekMode::KeyframeBefore;
    if (command.seek == SeekKind::Relative) {
      playback.seek_by(command.value, command.exact, Clock::now());
    } else if (command.seek == SeekKind::Absolute) {
      playback.seek(command.value, mode);
    } else if (playback.duration()) {
      playback.seek(*playback.duration() * command.value / 100, mode);
    }
    player.osd_.show_progress();
  }
  static void frame_step(Player& player, const Command&) { player.playback_->step_forward(Clock::now()); }
  static void frame_back_step(Player& player, const Command&) { player.playback_->step_back(Clock::now()); }
  static void speed(Player& player, const Command& command) {
    const PlaybackControls& controls = player.playback_->controls();
    player.playback_->set_speed(command.changed(controls.speed), Clock::now());
    player.osd_.show_message("speed", fmt::format("Speed: {:.2f}", controls.speed));
  }
  /// The first call sets A. The second call sets B if the position is after A. Any other call clears A and B.
  static void ab_loop(Player& player, const Command&) {
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
      message = loop_text(loop);
    }
    player.osd_.show_message("loop", message);
    player.sync_loop();
    player.osd_.show_progress();
  }
  static void loop_file(Player& player, const Command& command) {
    player.loop_.whole_file = command.switched(player.loop_.whole_file);
    player.sync_loop();
    player.osd_.show_message("loop-file", loop_text(player.loop_));
  }
  static std::string loop_text(const Player::LoopPoints& loop) {
    return loop.whole_file ? "Loop: the file" : "Loop: no";
  }
  static void chapter(Player& player, const Command& command) {
    const std::vector<Chapter>& chapters = player.osd_.state().playback.chapters;
    const double here = player.playback_->position(Clock::now());
    int current = -1;
    for (const Chapter& each : chapters) current += each.start_seconds <= here ? 1 : 0;
    const int wanted = std::max(0, current + (command.value > 0 ? 1 : -1));
    if (wanted >= static_cast<int>(chapters.size())) {
      player.osd_.show_message(
          "chapter", chapters.empty() ? "This video has no chapters." : "This is the last chapter.");
      return;
    }
    const Chapter& target = chapters[static_cast<std::size_t>(wanted)];
    player.playback_->seek(target.start_seconds, media::SeekMode::Exact);
    const std::string title = target.title.empty() ? "" : ": " + target.title;
    player.osd_.show_message("chapter", fmt::format("Chapter {}{}", wanted + 1, title));
    player.osd_.show_progress();
  }
  static void playlist_next(Player& player, const Command&) {
    if (player.playlist_.next()) {
      player.stop_ = StopReason::EntryChanged;
    } else {
      player.osd_.show_message("playlist", "This is the last input.");
    }
  }
  static void playlist_previous(Player& player, const Command&) {
    if (player.playlist_.previous()) {
      player.stop_ = StopReason::EntryChanged;
    } else {
      player.osd_.show_message("playlist", "This is the first input.");
    }
  }

  // Audio and text.
  static void volume(Player& player, const Command& command) {
    const PlaybackControls& controls = player.playback_->controls();
    player.playback_->set_volume(command.changed(controls.volume));
    player.osd_.show_message("volume", fmt::format("Volume: {:.0f} %", controls.volume),
                             controls.volume / PlaybackControls::MaxVolume);
  }
  static void mute(Player& player, const Command& command) {
    const PlaybackControls& controls = player.playback_->controls();
    player.playback_->set_muted(command.switched(controls.muted));
    player.osd_.show_message("mute", controls.muted ? "Mute: yes" : "Mute: no");
  }
  static void audio(Player& player, const Command&) {
    const int count = static_cast<int>(player.playback_->facts().audio_tracks.size());
    const media::InputFacts& input = player.playback_->source().input();
    if (count < 2) {
      player.osd_.show_message(
          "audio", count == 0 ? "This video has no sound." : "This video has only one audio track.");
    } else if (!input.is_seekable && !input.is_network()) {
      player.osd_.show_message("audio", "This input is a pipe; choose the audio track with --aid.");
    } else {
      player.reopen_with_audio_track(std::max(1, player.playback_->facts().audio_track) % count + 1);
    }
  }
  static void audio_delay(Player& player, const Command& command) {
    const PlaybackControls& controls = player.playback_->controls();
    player.playback_->set_audio_delay(command.changed(controls.audio_delay));
    player.osd_.show_message("audio-delay", fmt::format("Sound: {:+.0f} ms", controls.audio_delay * 1000));
  }
  /// Selects the next subtitle track; after the last one, turns subtitles off.
  static void subtitles(Player& player, const Command&) {
    SubtitleDisplay& display = player.subtitles_;
    if (display.track_count() == 0) {
      player.osd_.show_message("sub", "This video has no subtitles; add some with --sub-file.");
      return;
    }
    const Result<void> selected = display.select((display.selected() + 1) % (display.track_count() + 1));
    if (!selected) player.osd_.show_error(selected.error().message);
    player.osd_.show_message("sub", fmt::format("Subtitles: {}", display.selected_name()));
  }
  static void subtitle_visibility(Player& player, const Command& command) {
    SubtitleDisplay& display = player.subtitles_;
    display.set_visible(command.switched(display.is_visible()));
    player.osd_.show_message("sub-visibility",
                             display.is_visible() ? "Subtitles: shown" : "Subtitles: hidden");
  }
  static void subtitle_delay(Player& player, const Command& command) {
    SubtitleDisplay& display = player.subtitles_;
    display.set_delay(command.changed(display.delay()));
    player.osd_.show_message("sub-delay", fmt::format("Subtitles: {:+.0f} ms", display.delay() * 1000));
  }

  // Picture.
  static void picture(Player& player, const Command& command) {
    if (command.action == PropertyAction::Set) {
      player.presenter_.set_property(*command.spec->picture, command.text);
      return;
    }
    const double steps = command.action == PropertyAction::Add
                             ? std::clamp(std::round(std::abs(command.value)), 1.0, MaxSteps)
                             : 1;
    for (int i = 0; i < steps; ++i) player.presenter_.apply_step(*command.picture_step());
  }
  static void split(Player& player, const Command& command) {
    player.presenter_.request_split(command.switched(player.presenter_.wants_split()));
  }

  // Window.
  static void fullscreen(Player& player, const Command& command) {
    VideoOutput& output = player.presenter_.output();
    output.set_fullscreen(command.switched(output.is_fullscreen()));
  }
  static void screenshot(Player& player, const Command&) {
    const Frame* frame = player.playback_->last_frame();
    if (frame == nullptr || !player.presenter_.grid()) return;
    const Result<std::string> saved = player.presenter_.save_screenshot(*frame);
    if (saved) {
      player.osd_.show_message("screenshot", fmt::format("Saved {} and its text.", *saved));
    } else {
      player.osd_.show_error(saved.error().message);
    }
  }
  static void record(Player& player, const Command& command) {
    player.set_recording(command.switched(player.recording_.is_recording()));
  }
  static void statistics(Player& player, const Command&) { player.osd_.toggle_statistics(); }
  static void help(Player& player, const Command&) { player.osd_.turn_help_page(player.presenter_.grid()); }
  static void osd_level(Player& player, const Command& command) {
    int& level = player.osd_.state().level;
    level = command.action == PropertyAction::Cycle
                ? (level + 1) % (MaxOsdLevel + 1)
                : static_cast<int>(std::clamp<double>(command.changed(level), 0, MaxOsdLevel));
    player.osd_.show_message("osd-level", fmt::format("On-screen display level: {}", level));
  }
  static void quit(Player& player, const Command&) { player.stop_ = StopReason::Quit; }
  static void ignore(Player&, const Command&) {}

  // Whether a command runs while an input is being opened.
  static bool always(const Player&, const Command&) { return true; }
  static bool if_cycled(const Player&, const Command& command) {
    return command.action == PropertyAction::Cycle;
  }
  static bool if_recording(const Player& player, const Command& command) {
    return player.recording_.is_recording() && if_cycled(player, command);
  }

  // Commands that mpv also has use mpv's keys. On many keyboards, "=" is the "+" key without Shift.
  static constexpr auto Table = std::to_array<CommandSpec>({
      {.name = "pause",
       .run = pause,
       .group = "Playing",
       .defaults = {{{"SPACE p MBTN_RIGHT", "cycle pause", "pause or resume"}}}},
      {.name = "seek",
       .run = seek,
       .syntax = CommandSyntax::Seek,
       .group = "Playing",
       .defaults = {{{"LEFT", "seek -5", "5 seconds back"},
                     {"RIGHT", "seek 5", "5 seconds forward"},
                     {"DOWN", "seek -60", "1 minute back"},
                     {"UP", "seek 60", "1 minute forward"},
                     {"Shift+LEFT", "seek -1 exact", "1 second back, exactly"},
                     {"Shift+RIGHT", "seek 1 exact", "1 second forward, exactly"},
                     {"WHEEL_LEFT", "seek -10", "10 seconds back"},
                     {"WHEEL_RIGHT", "seek 10", "10 seconds forward"}}}},
      {.name = "frame-step",
       .run = frame_step,
       .syntax = CommandSyntax::Plain,
       .group = "Playing",
       .defaults = {{{".", "frame-step", "next frame"}}}},
      {.name = "frame-back-step",
       .run = frame_back_step,
       .syntax = CommandSyntax::Plain,
       .group = "Playing",
       .defaults = {{{",", "frame-back-step", "previous frame"}}}},
      {.name = "speed",
       .run = speed,
       .group = "Playing",
       .defaults = {{{"[", "multiply speed 0.9091", "slower"},
                     {"]", "multiply speed 1.1", "faster"},
                     {"{", "multiply speed 0.5", "half the speed"},
                     {"}", "multiply speed 2", "twice the speed"},
                     {"BS", "set speed 1", "normal speed"}}}},
      {.name = "ab-loop",
       .run = ab_loop,
       .syntax = CommandSyntax::Plain,
       .group = "Playing",
       .defaults = {{{"l", "ab-loop", "loop from A to B"}}}},
      {.name = "loop-file",
       .run = loop_file,
       .group = "Playing",
       .defaults = {{{"L", "cycle loop-file", "loop the file"}}}},
      {.name = "chapter",
       .run = chapter,
       .group = "Playing",
       .defaults = {{{"PGUP", "add chapter 1", "next chapter"},
                     {"PGDWN", "add chapter -1", "previous chapter"}}}},
      {.name = "playlist-next",
       .run = playlist_next,
       .syntax = CommandSyntax::Plain,
       .group = "Playing",
       .defaults = {{{"> ENTER", "playlist-next", "next input"}}},
       .runs_while_opening = always},
      {.name = "playlist-prev",
       .run = playlist_previous,
       .syntax = CommandSyntax::Plain,
       .group = "Playing",
       .defaults = {{{"<", "playlist-prev", "previous input"}}},
       .runs_while_opening = always},
      {.name = "volume",
       .run = volume,
       .group = "Sound and text",
       .defaults = {{{"9 / WHEEL_DOWN", "add volume -2", "quieter"},
                     {"0 * WHEEL_UP", "add volume 2", "louder"}}}},
      {.name = "mute", .run = mute, .group = "Sound and text", .defaults = {{{"m", "cycle mute", "mute"}}}},
      {.name = "audio",
       .run = audio,
       .group = "Sound and text",
       .defaults = {{{"#", "cycle audio", "next audio track"}}}},
      {.name = "audio-delay",
       .run = audio_delay,
       .group = "Sound and text",
       .defaults = {{{"Ctrl++ Ctrl+= Ctrl+Shift+=", "add audio-delay 0.1", "sound later"},
                     {"Ctrl+- Ctrl+_", "add audio-delay -0.1", "sound earlier"}}}},
      {.name = "sub",
       .run = subtitles,
       .group = "Sound and text",
       .defaults = {{{"j", "cycle sub", "next subtitles"}}}},
      {.name = "sub-visibility",
       .run = subtitle_visibility,
       .group = "Sound and text",
       .defaults = {{{"v", "cycle sub-visibility", "subtitles on and off"}}}},
      {.name = "sub-delay",
       .run = subtitle_delay,
       .group = "Sound and text",
       .defaults = {{{"x", "add sub-delay 0.1", "subtitles later"},
                     {"z", "add sub-delay -0.1", "subtitles earlier"}}}},
      {.name = "mode",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"g", "cycle mode", "next mode"}}},
       .picture = PictureProperty::Mode},
      {.name = "color",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"c", "cycle color", "next colors"}}},
       .picture = PictureProperty::Color},
      {.name = "charset",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"h", "cycle charset", "next characters"}}},
       .picture = PictureProperty::Charset},
      {.name = "effect",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"e", "cycle effect", "next effect"}}},
       .picture = PictureProperty::Effect},
      {.name = "cell",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"+ =", "add cell 1", "larger cells"}, {"-", "add cell -1", "smaller cells"}}},
       .picture = PictureProperty::Cell},
      {.name = "contrast",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"1", "add contrast -1", "less contrast"}, {"2", "add contrast 1", "more contrast"}}},
       .picture = PictureProperty::Contrast},
      {.name = "brightness",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"3", "add brightness -1", "darker"}, {"4", "add brightness 1", "brighter"}}},
       .picture = PictureProperty::Brightness},
      {.name = "gamma",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"5", "add gamma -1", "less gamma"}, {"6", "add gamma 1", "more gamma"}}},
       .picture = PictureProperty::Gamma},
      {.name = "saturation",
       .run = picture,
       .group = "Picture",
       .defaults = {{{"7", "add saturation -1", "less saturation"},
                     {"8", "add saturation 1", "more saturation"}}},
       .picture = PictureProperty::Saturation},
      {.name = "split",
       .run = split,
       .group = "Picture",
       .defaults = {{{"t", "cycle split", "GPU and CPU side by side"}}}},
      {.name = "fullscreen",
       .run = fullscreen,
       .group = "Window",
       .defaults = {{{"f F11 MBTN_LEFT_DBL", "cycle fullscreen", "fullscreen"},
                     {"ESC", "set fullscreen no", "leave fullscreen"}}},
       .runs_while_opening = if_cycled},
      {.name = "screenshot",
       .run = screenshot,
       .syntax = CommandSyntax::Plain,
       .group = "Window",
       .defaults = {{{"s", "screenshot", "save picture and text"}}}},
      {.name = "record",
       .run = record,
       .group = "Window",
       .defaults = {{{"r", "cycle record", "record to a file"}}},
       .runs_while_opening = if_recording},
      {.name = "stats",
       .run = statistics,
       .group = "Window",
       .defaults = {{{"i", "cycle stats", "statistics"}}}},
      {.name = "help", .run = help, .group = "Window", .defaults = {{{"?", "cycle help", "this help"}}}},
      {.name = "osd-level",
       .run = osd_level,
       .group = "Window",
       .defaults = {{{"o", "cycle osd-level", "on-screen display level"}}}},
      {.name = "quit",
       .run = quit,
       .syntax = CommandSyntax::Plain,
       .group = "Window",
       .defaults = {{{"q", "quit", "quit"}}},
       .runs_while_opening = always},
      {.name = "ignore", .run = ignore, .syntax = CommandSyntax::Plain},
  });
};

std::span<const CommandSpec> command_table() {
  return PlayerCommands::Table;
}

}  // namespace glyphreel::player
