#include <algorithm>
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

/// Returns a number as changed by the command.
double changed(double value, const Command& command) {
  switch (command.verb) {
    case CommandVerb::Add:
      return value + command.value;
    case CommandVerb::Multiply:
      return value * command.value;
    case CommandVerb::Set:
      return command.value;
    default:
      return value;
  }
}

/// Returns a switch as changed by the command.
bool switched(bool value, const Command& command) {
  return command.verb == CommandVerb::Set ? command.value != 0 : !value;
}

}  // namespace

Player::LoopAction Player::execute(const Command& command) {
  const TimePoint now = Clock::now();
  switch (command.verb) {
    case CommandVerb::Ignore:
      break;
    case CommandVerb::Quit:
      return LoopAction::Quit;
    case CommandVerb::PlaylistNext:
      if (playlist_.next()) return LoopAction::Other;
      show_message("playlist", "This is the last input.");
      break;
    case CommandVerb::PlaylistPrevious:
      if (playlist_.previous()) return LoopAction::Other;
      show_message("playlist", "This is the first input.");
      break;
    case CommandVerb::Seek:
      seek(command);
      break;
    case CommandVerb::FrameStep:
      playback_->step_forward(now);
      break;
    case CommandVerb::FrameBackStep:
      playback_->step_back(now);
      break;
    case CommandVerb::AbLoop:
      loop_a_b();
      break;
    case CommandVerb::Screenshot:
      save_screenshot();
      break;
    case CommandVerb::Cycle:
    case CommandVerb::Add:
    case CommandVerb::Multiply:
    case CommandVerb::Set:
      change(command);
      break;
  }
  return std::exchange(next_after_opening_, LoopAction::Going);
}

void Player::seek(const Command& command) {
  const TimePoint now = Clock::now();
  const media::SeekMode mode = command.exact ? media::SeekMode::Exact : media::SeekMode::KeyframeBefore;
  if (command.seek == SeekKind::Relative) {
    playback_->seek_by(command.value, command.exact, now);
  } else if (command.seek == SeekKind::Absolute) {
    playback_->seek(command.value, mode);
  } else if (playback_->duration()) {
    playback_->seek(*playback_->duration() * command.value / 100, mode);
  }
  show_progress();
}

void Player::change(const Command& command) {
  const TimePoint now = Clock::now();
  const std::string& property = command.property;
  if (property == "pause") {
    playback_->set_paused(switched(playback_->controls().paused, command), now);
    show_progress();
  } else if (property == "speed") {
    playback_->set_speed(changed(playback_->controls().speed, command), now);
    show_message(property, fmt::format("Speed: {:.2f}", playback_->controls().speed));
  } else if (property == "split") {
    wants_split_ = switched(wants_split_, command);
  } else if (property == "fullscreen") {
    screen_->set_fullscreen(switched(screen_->is_fullscreen(), command));
  } else if (property == "loop-file") {
    loops_file_ = switched(loops_file_, command);
    sync_loop();
    show_message(property, loops_file_ ? "Loop: the file" : "Loop: no");
  } else if (property == "chapter") {
    seek_to_chapter(command.value > 0 ? 1 : -1);
  } else if (property == "record") {
    set_recording(switched(recording_ != nullptr, command));
  } else if (property == "stats") {
    osd_.page = osd_.page == OsdPage::Statistics ? OsdPage::None : OsdPage::Statistics;
  } else if (property == "help") {
    const int pages = osd_.help_page + 1;
    const bool is_last = !grid_ || pages >= help_pages(osd_, *grid_);
    if (osd_.page != OsdPage::Help) {
      osd_.page = OsdPage::Help;
      osd_.help_page = 0;
    } else if (is_last) {
      osd_.page = OsdPage::None;
    } else {
      osd_.help_page = pages;
    }
  } else if (property == "osd-level") {
    osd_.level = command.verb == CommandVerb::Cycle
                     ? (osd_.level + 1) % (MaxOsdLevel + 1)
                     : static_cast<int>(std::clamp<double>(changed(osd_.level, command), 0, MaxOsdLevel));
    show_message(property, fmt::format("On screen: {}", osd_.level));
  } else if (picture_step(command)) {
    change_picture(command);
  } else {
    change_sound(command);
  }
}

void Player::change_sound(const Command& command) {
  const std::string& property = command.property;
  const PlaybackControls& controls = playback_->controls();
  if (property == "volume") {
    playback_->set_volume(changed(controls.volume, command));
    show_message(property, fmt::format("Volume: {:.0f} %", controls.volume),
                 controls.volume / PlaybackControls::MaxVolume);
  } else if (property == "mute") {
    playback_->set_muted(switched(controls.muted, command));
    show_message(property, controls.muted ? "Mute: yes" : "Mute: no");
  } else if (property == "audio-delay") {
    playback_->set_audio_delay(changed(controls.audio_delay, command));
    show_message(property, fmt::format("Sound: {:+.0f} ms", controls.audio_delay * 1000));
  } else if (property == "audio") {
    next_audio_track();
  } else if (property == "sub") {
    next_subtitles();
  } else if (property == "sub-visibility") {
    shows_subtitles_ = switched(shows_subtitles_, command);
    show_message(property, shows_subtitles_ ? "Subtitles: shown" : "Subtitles: hidden");
  } else if (property == "sub-delay") {
    subtitles_->set_delay(changed(subtitles_->delay(), command));
    show_message(property, fmt::format("Subtitles: {:+.0f} ms", subtitles_->delay() * 1000));
  }
}

void Player::change_picture(const Command& command) {
  if (command.verb == CommandVerb::Set) {
    sync_picture(live_->set(command.property, command.text));
    return;
  }
  const PictureStep step = *picture_step(command);
  const std::optional<CellSize> cell = screen_->shown_cell(live_->glyphs().glyphs->cell());
  const double times =
      command.verb == CommandVerb::Add ? std::clamp(std::round(std::abs(command.value)), 1.0, MaxSteps) : 1;
  for (int i = 0; i < times; ++i) sync_picture(live_->press(step, cell));
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
    if (opened) next_after_opening_ = *opened;
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
