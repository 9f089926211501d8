#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "cli/options.h"
#include "player/player.h"
#include "player/recording/screenshot.h"
#include "player/stage_facts.h"

namespace glyphreel::player {
namespace {

constexpr double ProgressSeconds = 1.5;  // how long the progress bar stays after a seek or a mouse move
constexpr int MaxOsdLevel = 3;
constexpr double MaxSteps = 200;                           // from one end of a setting's range to the other
constexpr std::chrono::milliseconds FiguresInterval{250};  // figures that change faster cannot be read
constexpr std::size_t Plotted = 240;                       // frames

}  // namespace

/// The handlers of the commands, and their table.
struct Player::Commands {
  // Playing.
  static void pause(Player& player, const Command& command) {
    player.playback_->set_paused(command.switched(player.playback_->controls().paused), Clock::now());
    player.show_progress();
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
    player.show_progress();
  }
  static void frame_step(Player& player, const Command&) { player.playback_->step_forward(Clock::now()); }
  static void frame_back_step(Player& player, const Command&) { player.playback_->step_back(Clock::now()); }
  static void speed(Player& player, const Command& command) {
    const PlaybackControls& controls = player.playback_->controls();
    player.playback_->set_speed(command.changed(controls.speed), Clock::now());
    player.show_message("speed", fmt::format("Speed: {:.2f}", controls.speed));
  }
  static void ab_loop(Player& player, const Command&) { player.loop_a_b(); }
  static void loop_file(Player& player, const Command& command) {
    player.loops_file_ = command.switched(player.loops_file_);
    player.sync_loop();
    player.show_message("loop-file", player.loops_file_ ? "Loop: the file" : "Loop: no");
  }
  static void chapter(Player& player, const Command& command) {
    player.seek_to_chapter(command.value > 0 ? 1 : -1);
  }
  static void playlist_next(Player& player, const Command&) {
    if (player.playlist_.next()) {
      player.next_ = LoopAction::Other;
    } else {
      player.show_message("playlist", "This is the last input.");
    }
  }
  static void playlist_previous(Player& player, const Command&) {
    if (player.playlist_.previous()) {
      player.next_ = LoopAction::Other;
    } else {
      player.show_message("playlist", "This is the first input.");
    }
  }

  // Sound and text.
  static void volume(Player& player, const Command& command) {
    const PlaybackControls& controls = player.playback_->controls();
    player.playback_->set_volume(command.changed(controls.volume));
    player.show_message("volume", fmt::format("Volume: {:.0f} %", controls.volume),
                        controls.volume / PlaybackControls::MaxVolume);
  }
  static void mute(Player& player, const Command& command) {
    const PlaybackControls& controls = player.playback_->controls();
    player.playback_->set_muted(command.switched(controls.muted));
    player.show_message("mute", controls.muted ? "Mute: yes" : "Mute: no");
  }
  static void audio(Player& player, const Command&) { player.next_audio_track(); }
  static void audio_delay(Player& player, const Command& command) {
    const PlaybackControls& controls = player.playback_->controls();
    player.playback_->set_audio_delay(command.changed(controls.audio_delay));
    player.show_message("audio-delay", fmt::format("Sound: {:+.0f} ms", controls.audio_delay * 1000));
  }
  static void subtitles(Player& player, const Command&) { player.next_subtitles(); }
  static void subtitle_visibility(Player& player, const Command& command) {
    player.shows_subtitles_ = command.switched(player.shows_subtitles_);
    player.show_message("sub-visibility", player.shows_subtitles_ ? "Subtitles: shown" : "Subtitles: hidden");
  }
  static void subtitle_delay(Player& player, const Command& command) {
    SubtitleChoice& choice = *player.subtitles_;
    choice.set_delay(command.changed(choice.delay()));
    player.show_message("sub-delay", fmt::format("Subtitles: {:+.0f} ms", choice.delay() * 1000));
  }

  // Picture.
  static void picture(Player& player, const Command& command) {
    LiveSettings& live = *player.live_;
    if (command.action == PropertyAction::Set) {
      player.sync_picture(live.set(*command.spec->picture, command.text));
      return;
    }
    const std::optional<CellSize> cell = player.screen_->shown_cell(live.glyphs().glyphs->cell());
    const double steps = command.action == PropertyAction::Add
                             ? std::clamp(std::round(std::abs(command.value)), 1.0, MaxSteps)
                             : 1;
    for (int i = 0; i < steps; ++i) player.sync_picture(live.press(*command.picture_step(), cell));
  }
  static void split(Player& player, const Command& command) {
    player.wants_split_ = command.switched(player.wants_split_);
  }

  // Window.
  static void fullscreen(Player& player, const Command& command) {
    player.screen_->set_fullscreen(command.switched(player.screen_->is_fullscreen()));
  }
  static void screenshot(Player& player, const Command&) { player.save_screenshot(); }
  static void record(Player& player, const Command& command) {
    player.set_recording(command.switched(player.recording_ != nullptr));
  }
  static void statistics(Player& player, const Command&) {
    OsdPage& page = player.osd_.page;
    page = page == OsdPage::Statistics ? OsdPage::None : OsdPage::Statistics;
  }
  static void help(Player& player, const Command&) {
    OsdState& osd = player.osd_;
    const int next = osd.page == OsdPage::Help ? osd.help_page + 1 : 0;
    const bool is_past_last =
        osd.page == OsdPage::Help && (!player.grid_ || next >= help_pages(osd, *player.grid_));
    osd.page = is_past_last ? OsdPage::None : OsdPage::Help;
    osd.help_page = is_past_last ? osd.help_page : next;
  }
  static void osd_level(Player& player, const Command& command) {
    int& level = player.osd_.level;
    level = command.action == PropertyAction::Cycle
                ? (level + 1) % (MaxOsdLevel + 1)
                : static_cast<int>(std::clamp<double>(command.changed(level), 0, MaxOsdLevel));
    player.show_message("osd-level", fmt::format("On screen: {}", level));
  }
  static void quit(Player& player, const Command&) { player.next_ = LoopAction::Quit; }
  static void ignore(Player&, const Command&) {}

  // While an input is opened.
  static bool always(const Player&, const Command&) { return true; }
  static bool if_cycled(const Player&, const Command& command) {
    return command.action == PropertyAction::Cycle;
  }
  static bool if_recording(const Player& player, const Command& command) {
    return player.recording_ && if_cycled(player, command);
  }

  // Keys are mpv's wherever mpv has the command. "=" is the "+" key without Shift on many keyboards.
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
       .defaults = {{{"#", "cycle audio", "next sound track"}}}},
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
  return Player::Commands::Table;
}

/// Runs a command. Returns what the loop does next.
Player::LoopAction Player::execute(const Command& command) {
  command.spec->run(*this, command);
  return std::exchange(next_, LoopAction::Going);
}

/// Switches the screen to what is wanted, GPU and CPU side by side or one of them, once that is possible.
/// configure() follows.
void Player::sync_split() {
  const auto refuse = [this](const Error& error) {
    log::warn("{} {}", error.message, error.cause);
    report_error(error.message);
    wants_split_ = false;
  };
  if (wants_split_ && !split_ && !split_maker_ && grid_) {
    const Frame* frame = playback_->last_frame();
    split_maker_ = std::make_unique<SplitOverlayBuilder>(
        SplitOverlayBuilder::Options{.settings = settings_,
                                     .device = screen_->device(),
                                     .setup = live_->setup(*grid_),
                                     .frame = frame != nullptr ? std::optional(*frame) : std::nullopt,
                                     .on_made = [this] { wake(); }});
    show_message("split", "Split view: preparing");
  }
  if (split_maker_) {
    std::optional<Result<std::shared_ptr<render::SplitRenderer>>> made = split_maker_->poll();
    if (!made) return;
    split_maker_.reset();
    forget_message(osd_.messages, "split");
    if (*made) {
      split_ = **std::move(made);
    } else {
      refuse(made->error());
    }
  }
  if (wants_split_ == (screen_->split() != nullptr) || !split_) return;
  if (Result<void> set = screen_->set_split(wants_split_ ? split_ : nullptr); !set) {
    refuse(set.error());
    return;
  }
  split_->start_anew();
  screen_->set_overlay(overlay_);
  grid_.reset();
  next_split_ = {};
}

/// Applies settings that need no new glyphs to the screen.
void Player::sync_picture(Change change) {
  if (!grid_) return;
  if (change == Change::Tone) {
    screen_->adjust(live_->adjustments());
    needs_render_ = true;
  } else if (change == Change::Effect) {
    // The effect also applies to the shown picture, which is not mapped again.
    screen_->set_effect(live_->effect());
    needs_redraw_ = true;
  }
}

/// Sets A first, then B, then clears both.
void Player::loop_a_b() {
  const double here = playback_->picture_position(Clock::now());
  if (!loop_a_) {
    loop_a_ = here;
    show_message("loop", fmt::format("Loop from {}", clock_text(here, here)));
  } else if (!loop_b_ && here > *loop_a_) {
    loop_b_ = here;
    show_message("loop",
                 fmt::format("Loop from {} to {}", clock_text(*loop_a_, here), clock_text(here, here)));
  } else {
    loop_a_.reset();
    loop_b_.reset();
    show_message("loop", loops_file_ ? "Loop: the file" : "Loop: no");
  }
  sync_loop();
  show_progress();
}

/// Loops from B back to A if both are set; else over the whole file, if that is wanted.
void Player::sync_loop() {
  if (loop_a_ && loop_b_) {
    playback_->set_loop(loop_a_, loop_b_);
  } else if (loops_file_) {
    playback_->set_loop(settings_.start_seconds.value_or(0), std::nullopt);
  } else {
    playback_->set_loop(std::nullopt, std::nullopt);
  }
}

void Player::seek_to_chapter(int step) {
  const std::vector<Chapter>& chapters = osd_.playback.chapters;
  const double here = playback_->position(Clock::now());
  int current = -1;
  for (const Chapter& chapter : chapters) current += chapter.start_seconds <= here ? 1 : 0;
  const int wanted = std::max(0, current + step);
  if (wanted >= static_cast<int>(chapters.size())) {
    show_message("chapter", chapters.empty() ? "There are no chapters." : "This is the last chapter.");
    return;
  }
  const Chapter& chapter = chapters[static_cast<std::size_t>(wanted)];
  playback_->seek(chapter.start_seconds, media::SeekMode::Exact);
  show_message("chapter", fmt::format("Chapter {}: {}", wanted + 1, chapter.title));
  show_progress();
}

void Player::next_audio_track() {
  const int count = static_cast<int>(playback_->facts().audio_tracks.size());
  if (count < 2) {
    show_message("audio", count == 0 ? "There is no sound." : "There is one sound track.");
    return;
  }
  const media::InputFacts& input = playback_->source().input();
  if (!input.is_seekable && !input.is_network()) {
    show_message("audio", "A pipe cannot be read again for another sound track.");
    return;
  }
  const int track_before =
      std::exchange(audio_track_, std::max(1, playback_->facts().audio_track) % count + 1);
  const ResumePoint here = resume_point();
  controls_ = playback_->controls();
  // Reopen the input: the packets of its other sound tracks were not read.
  keep_frame_before();
  const Result<LoopAction> opened = open(PlaylistEntry(*playlist_.current()));
  if (!opened || *opened != LoopAction::Going) {
    audio_track_ = track_before;
    if (opened) next_ = *opened;
    if (!opened) report_error(opened.error().message);
    return;
  }
  restore(here);
  show_message("audio",
               fmt::format("Sound: {} of {} ({})", audio_track_, count,
                           playback_->facts().audio_tracks[static_cast<std::size_t>(audio_track_ - 1)]));
}

/// Selects one track after the other, and none after the last.
void Player::next_subtitles() {
  if (subtitles_->count() == 0) {
    show_message("sub", "There are no subtitles.");
    return;
  }
  const int wanted = (subtitles_->chosen() + 1) % (subtitles_->count() + 1);
  if (Result<void> chosen = subtitles_->choose(wanted); !chosen) report_error(chosen.error().message);
  show_message("sub", fmt::format("Subtitles: {}", subtitles_->chosen_name()));
}

void Player::save_screenshot() {
  const Frame* frame = playback_->last_frame();
  if (frame == nullptr || !grid_) return;
  const auto save = [&]() -> Result<std::string> {
    const render::RenderSetup setup = live_->setup(*grid_);
    if (screen_->split() == nullptr) return save_screenshot_files(*frame, setup);
    // Save both halves with their marks.
    split_->set_overlay(nullptr);
    const Result<render::RenderedFrame> shown = split_->redraw();
    split_->set_overlay(overlay_);
    if (!shown) return shown.error();
    return save_screenshot_files(*shown, setup);
  };
  const Result<std::string> saved = save();
  if (saved) {
    show_message("screenshot", fmt::format("Saved {} and its text.", *saved));
  } else {
    report_error(saved.error().message);
  }
}

/// The left mouse button is down: on the progress bar, seeks to that position.
void Player::press_on_bar(TimePoint now) {
  if (!grid_ || !osd_.mouse) return;
  osd_.now_seconds = osd_seconds(now);
  const std::optional<ProgressBarLayout> bar = visible_progress_bar(osd_, *grid_);
  if (!bar || (!dragging_ && !hits_bar(*bar, *osd_.mouse))) return;
  if (const std::optional<double> seconds = seconds_at(*bar, osd_.mouse->column)) {
    dragging_ = true;
    playback_->seek(*seconds, media::SeekMode::Exact);
    show_progress();
  }
}

void Player::show_progress() {
  osd_.progress_until_seconds = osd_seconds(Clock::now()) + ProgressSeconds;
}

void Player::show_message(const std::string& topic, const std::string& text, std::optional<double> fraction) {
  const double now = osd_seconds(Clock::now());
  post_message(osd_.messages,
               {.topic = topic, .text = text, .until_seconds = now + NoteSeconds, .fraction = fraction}, now);
}

void Player::report_error(const std::string& text, const std::string& topic) {
  const double now = osd_seconds(Clock::now());
  post_message(
      osd_.messages,
      {.topic = topic, .text = text, .until_seconds = now + ErrorSeconds, .kind = MessageKind::Error}, now);
}

void Player::update_osd(TimePoint now) {
  osd_.now_seconds = osd_seconds(now);
  PlaybackFacts& facts = osd_.playback;
  facts.position_seconds = playback_->position(now);
  facts.paused = playback_->controls().paused;
  facts.buffering.reset();
  if (playback_->is_buffering()) {
    facts.buffering = std::min(1.0, playback_->read_ahead().seconds);
    if (playback_->read_ahead().is_reconnecting)
      show_message("network", "The connection broke; reconnecting.");
  }
  facts.speed = playback_->controls().speed;
  facts.loop_a_seconds = loop_a_;
  facts.loop_b_seconds = loop_b_;
  if (osd_.page == OsdPage::Statistics && now >= next_statistics_) update_statistics_page(now);
  if (now >= next_split_) update_split(now);
}

void Player::update_split(TimePoint now) {
  osd_.split.reset();
  const render::SplitRenderer* split = screen_->split();
  if (split == nullptr || split->findings().frames == 0) return;
  osd_.split = split_facts(*split);
  next_split_ = now + FiguresInterval;
}

void Player::update_statistics_page(TimePoint now) {
  next_statistics_ = now + FiguresInterval;
  StatisticsFacts& facts = osd_.statistics;
  const media::VideoFacts& input = playback_->facts();
  facts.input = osd_.playback.title;
  facts.codec = input.codec;
  facts.size = input.size;
  facts.input_fps = input.frame_rate.value();
  facts.pixel_format = input.pixel_format;
  facts.audio = playback_->sound() != nullptr ? playback_->sound()->description() : "";
  const LoadedGlyphs& glyphs = live_->glyphs();
  facts.grid = grid_.value_or(GridSize{});
  facts.cell = screen_->shown_cell(glyphs.glyphs->cell()).value_or(CellSize{0, 0});
  facts.charset = glyphs.settings.charset;
  facts.mode = cli::mode_name(glyphs.settings.mode);
  facts.color_mode = cli::color_name(glyphs.settings.color);
  facts.font = glyphs.settings.font;
  facts.stages = stage_facts(times_, screen_->split());
  facts.shown_fps = session::frames_per_second(statistics_);
  facts.dropped = statistics_.dropped;
  facts.repeated = statistics_.repeated;
  facts.late = statistics_.late;
  facts.av_offset_ms = playback_->av_offset_ms();
  facts.jitter_ms = statistics_.pacing_errors_ms.recent(Plotted);
  facts.av_offsets_ms = statistics_.av_offsets_ms.recent(Plotted);
  const media::ReadAhead ahead = playback_->read_ahead();
  facts.buffered_seconds = ahead.seconds;
  if (statistics_.decoded > 0) {
    facts.host_bytes_per_frame = (statistics_.host_bytes_copied + screen_->bytes_copied()) /
                                 static_cast<std::uint64_t>(statistics_.decoded);
  }
  facts.queues.clear();
  if (recording_) facts.queues.push_back({"recording", recording_->waiting(), recording_->most_waiting()});
  facts.memory_bytes = session::resident_bytes();
}

}  // namespace glyphreel::player
