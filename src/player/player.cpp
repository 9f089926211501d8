#include "player/player.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/io/log.h"

namespace glyphreel::player {
namespace {

constexpr double MinOsdWait = 0.02;  // seconds; minimum wait for a change of the OSD

}  // namespace

Player::Player(const cli::Settings& settings, MakeOutput make_output, Bindings bindings, const IpcSocket* ipc)
    : settings_(settings),
      bindings_(std::move(bindings)),
      osd_(settings_.window.osd_level, bindings_.help()),
      presenter_(
          settings_,
          [this, make = std::move(make_output)](GpuUse use) {
            return make(settings_, times_, statistics_, use);
          },
          osd_),
      recording_({.settings = &settings_,
                  .times = &times_,
                  .statistics = &statistics_,
                  .osd = &osd_,
                  .wake = [this] { presenter_.wake(); }}),
      remote_({.socket = ipc,
               .player = this,
               .run = [this](const Command& command) { return run_command(command, OsdUse::No); },
               .is_stopping = [this] { return stop_ != StopReason::None; },
               .wake = [this] { presenter_.wake(); }}),
      playlist_(settings_.inputs,
                settings_.playback.shuffled ? Playlist::Order::Shuffled : Playlist::Order::AsGiven),
      controls_{.paused = settings_.playback.paused,
                .speed = settings_.playback.speed,
                .volume = settings_.audio.volume,
                .muted = settings_.audio.muted,
                .audio_delay = settings_.audio.delay},
      loop_{.whole_file = settings_.playback.repeats == cli::PlaybackSettings::RepeatForever},
      audio_track_(settings_.audio.track) {}

Result<void> Player::run() {
  Result<void> played = play_playlist();
  remote_.send_event("shutdown");
  recording_.finish();
  TRY(std::move(played));
  statistics_.wall_seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  statistics_.host_bytes_copied += presenter_.bytes_copied();
  return session::write_statistics(statistics_, presenter_.settings(), times_);
}

Result<void> Player::play_playlist() {
  while (const PlaylistEntry* entry = playlist_.current()) {
    report_problems();
    stop_ = StopReason::None;
    if (playlist_.is_network_playlist()) {
      TRY(expand_playlist());
    } else {
      TRY(play_entry(PlaylistEntry(*entry)));
    }
    if (stop_ == StopReason::Quit) break;
  }
  report_problems();
  return playlist_.outcome();
}

/// Opens and plays the current entry, and advances the playlist. Errors: an error that would also affect the
/// other entries of the playlist. If the playlist has only one entry, also any error while that entry plays.
Result<void> Player::play_entry(const PlaylistEntry& entry) {
  remote_.send_event("start-file");
  if (const Result<void> opened = open(entry); !opened) {
    if (presenter_.can_restart()) return restart_output(opened.error());
    // A Usage error is about the input only if the input was not opened and the glyphs were made; otherwise,
    // it may be about an option such as --charset. An error that is not about the input would also affect the
    // other entries.
    const bool is_of_input =
        opened.error().code == ErrorCode::BadInput ||
        (opened.error().code == ErrorCode::Usage && presenter_.has_glyphs() && playback_ == nullptr);
    if (!is_of_input) return opened.error();
    resume_point_.reset();
    send_end(&opened.error());
    playlist_.skip_current(opened.error());
    return {};
  }
  if (stop_ != StopReason::None) {
    send_end(nullptr);
    return {};
  }
  remote_.send_event("file-loaded");
  if (resume_point_) {
    restore(*std::exchange(resume_point_, std::nullopt));
  } else {
    resume_saved_position(entry);
  }

  const Result<void> played = play();
  if (played) save_position(entry);
  recording_.sync(*playback_, Clock::now());
  const bool restarts = !played && presenter_.can_restart();
  if (restarts) resume_point_ = resume_point();
  const bool is_without_frame = stop_ == StopReason::EndOfInput && playback_->last_frame() == nullptr;
  close();
  if (restarts) return restart_output(played.error());
  send_end(played ? nullptr : &played.error());
  if (!played) {
    if (playlist_.size() == 1 || played.error().code == ErrorCode::NoDevice) return played.error();
    playlist_.skip_current(played.error());
    return {};
  }
  if (is_without_frame) {
    playlist_.skip_current(Error{
        ErrorCode::Usage, fmt::format("{} contains no frame in the requested time: check --start, --end "
                                      "and --length.",
                                      entry.name())});
    return {};
  }
  playlist_.set_played();
  if (settings_.playback.frames && statistics_.frames.presented >= *settings_.playback.frames)
    stop_ = StopReason::Quit;
  if (stop_ == StopReason::EndOfInput) playlist_.advance();
  return {};
}

/// Sends an event to the programs that control the player. The event says why the input has ended. `error`:
/// null if the input did not fail.
void Player::send_end(const Error* error) {
  const std::string reason = error != nullptr                    ? "error"
                             : stop_ == StopReason::EndOfInput   ? "eof"
                             : stop_ == StopReason::EntryChanged ? "stop"
                                                                 : "quit";
  if (error == nullptr) return remote_.send_event("end-file", {{"reason", reason}});
  remote_.send_event("end-file", {{"reason", reason}, {"file_error", error->message}});
}

Result<void> Player::restart_output(const Error& why) {
  previous_frame_.reset();
  recording_.forget_frame();
  return presenter_.restart(why);
}

void Player::report_problems() {
  for (const Error& problem : playlist_.take_problems()) {
    log::warn("{}", problem.message);
    osd_.show_error(problem.message);
  }
}

/// Plays the input until stop_ is set.
Result<void> Player::play() {
  TRY(presenter_.begin_input());
  TRY(sync_output());
  double wait = 0;
  while (true) {
    TRY(handle_events(wait, InputState::Playing));
    if (stop_ != StopReason::None) return {};
    presenter_.sync_split(playback_->last_frame());
    TRY(sync_output());
    TRY_ASSIGN(wait, show_step());
    if (settings_.playback.frames && statistics_.frames.presented >= *settings_.playback.frames)
      stop_ = StopReason::EndOfInput;
    if (stop_ != StopReason::None) return {};
  }
}

/// Waits at most `wait_seconds` for events of the output and requests of other programs, and handles them.
Result<void> Player::handle_events(double wait_seconds, InputState state) {
  TRY_ASSIGN(std::vector<UiEvent> received, presenter_.output().wait(events_.empty() ? wait_seconds : 0));
  std::move(received.begin(), received.end(), std::back_inserter(events_));
  // If an event stops the input, keep the remaining events for the input that plays next.
  while (!events_.empty() && stop_ == StopReason::None) {
    const UiEvent event = std::move(events_.front());
    events_.pop_front();
    if (state == InputState::Playing) {
      handle_while_playing(event);
    } else {
      handle_while_opening(event);
    }
  }
  // Call sync() before update(), because update() may handle a request that changes position or speed.
  if (state == InputState::Playing) recording_.sync(*playback_, Clock::now());
  TRY(remote_.update(state));
  if (stop_ == StopReason::None && interrupted()) stop_ = StopReason::Quit;
  return {};
}

void Player::handle_while_playing(const UiEvent& event) {
  recording_.sync(*playback_, Clock::now());  // must come before a command that changes position or speed
  if (const auto* key = std::get_if<KeyInput>(&event)) {
    handle_key(key->key);
  } else if (const auto* mouse = std::get_if<MouseInput>(&event)) {
    presenter_.move_mouse(mouse->position);
    // The first position is not a movement: a window that opens under the pointer reports the position.
    const bool was_inside = std::exchange(osd_.state().mouse, std::nullopt).has_value();
    if (mouse->position) osd_.state().mouse = presenter_.text().osd_position(*mouse->position);
    if (osd_.is_dragging()) {
      press_progress_bar();
    } else if (mouse->position && was_inside && !presenter_.wipe().is_dragged()) {
      osd_.show_progress();
    }
  } else if (std::holds_alternative<ProgramResumed>(event)) {
    playback_->seek(playback_->position(Clock::now()), media::SeekMode::Exact);
  } else {
    handle_window_event(event);
  }
}

/// Handles the events that have the same effect while an input plays and while an input is being opened.
void Player::handle_window_event(const UiEvent& event) {
  if (std::holds_alternative<CloseRequest>(event)) {
    stop_ = StopReason::Quit;
  } else if (std::holds_alternative<MouseRelease>(event)) {
    osd_.release_bar();
    presenter_.wipe().release();
  } else if (std::holds_alternative<SizeChanged>(event)) {
    presenter_.note_resized();
  } else if (std::holds_alternative<WindowExposed>(event)) {
    presenter_.request_redraw();
  } else if (const auto* dropped = std::get_if<FileDrop>(&event)) {
    if (playlist_.replace(dropped->paths)) {
      stop_ = StopReason::EntryChanged;
    } else {
      report_problems();
    }
  }
}

void Player::handle_key(const std::string& key) {
  if (key == "MBTN_LEFT") {
    press_progress_bar();
    if (!osd_.is_dragging()) presenter_.press_wipe();
  }
  // Ignore double clicks on the progress bar and on the wipe's line. On the bar, each of the two clicks has
  // already caused a seek.
  if (key == "MBTN_LEFT_DBL" && (osd_.is_dragging() || presenter_.press_wipe())) return;
  if (const std::vector<Command>* commands = bindings_.find(key)) run_commands(*commands);
}

/// Runs a key's commands until a command stops the input. If a command fails, shows the user why.
void Player::run_commands(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    if (stop_ != StopReason::None) return;
    const Result<void> done = run_command(command, OsdUse::Yes);
    if (done) continue;
    if (done.error().code == ErrorCode::Usage) {  // the command is impossible now
      osd_.show_message(
          std::string(command.property != nullptr ? command.property->name : command.spec->name),
          done.error().message);
    } else {
      osd_.show_error(done.error().message);
    }
  }
}

/// Runs a command. `osd_use`: whether the OSD shows the command's effect. If the command has a prefix such as
/// "no-osd", the prefix decides instead of `osd_use`. Errors: those of CommandSpec::run.
Result<void> Player::run_command(const Command& command, OsdUse osd_use) {
  const OsdUse use = command.osd == OsdUse::Auto ? osd_use : command.osd;
  const bool was_silent =
      osd_.set_silent(use == OsdUse::No && command.spec->syntax != CommandSyntax::ShowText);
  Result<void> done = command.spec->run(*this, command);
  osd_.set_silent(was_silent);
  return done;
}

/// Call this while the left mouse button is down. If the button was pressed on the progress bar, seeks to the
/// time under the mouse.
void Player::press_progress_bar() {
  if (!presenter_.grid()) return;
  if (const std::optional<double> seconds = osd_.press_bar(Clock::now(), presenter_.text().osd_grid())) {
    playback_->seek(*seconds, media::SeekMode::Exact);
    osd_.show_progress();
  }
}

/// Sets up output and recording for the current size and glyphs.
Result<void> Player::sync_output() {
  TRY_ASSIGN(const bool is_configured, presenter_.sync());
  if (is_configured) recording_.configure(presenter_.live(), *presenter_.grid());
  return {};
}

/// Shows the frame and text that are due. Returns the seconds until the next step.
Result<double> Player::show_step() {
  const TimePoint now = Clock::now();
  VideoOutput& output = presenter_.output();
  // Laying out the first text takes about 10 ms, so the first frame is shown without text.
  if (playback_->last_frame() != nullptr) report_notices();
  recording_.sync(*playback_, now);
  const Playback::Visibility visibility = output.visibility();
  const ScreenTiming screen = output.screen_timing();
  playback_->set_screen_timing(screen);
  if (screen.latency) statistics_.display_latency_ms = *screen.latency * 1000;
  TRY_ASSIGN(const Playback::StepResult step, playback_->step(now, visibility));
  statistics_.shown_rate.set_playing(playback_->is_playing(), now);
  output.set_playing(!playback_->controls().paused);
  update_osd(now);
  update_subtitles(now);
  presenter_.update_options();
  bool records_again =
      recording_.update_options(presenter_.options(), presenter_.subtitles(), presenter_.text().setup());
  const bool is_visible = visibility == Playback::Visibility::Visible;
  if (is_visible) {
    TRY_ASSIGN(const bool maps_again, update_output(step.show));
    records_again = records_again || maps_again;
  } else if (step.show != nullptr) {
    presenter_.request_render();  // render the frame as soon as the output becomes visible
  }
  if (step.show != nullptr) playback_->shown(Clock::now());
  if (step.show != nullptr && is_visible) {
    recording_.record(*playback_, step.show->pts_seconds());
  } else if (records_again) {
    recording_.record(*playback_);
  }
  if (step.ended) end_input(now);
  const std::optional<double> osd_change = osd_.seconds_to_change();
  return osd_change ? std::min(step.wait_seconds, std::max(MinOsdWait, *osd_change)) : step.wait_seconds;
}

/// Ends the input, or pauses on the last frame if --keep-open applies.
void Player::end_input(TimePoint now) {
  const bool stays_open = settings_.playback.keep_open == cli::KeepOpen::Always ||
                          (settings_.playback.keep_open == cli::KeepOpen::Yes && playlist_.is_at_last());
  if (stays_open && playback_->last_frame() != nullptr) {
    playback_->set_paused(true, now);
  } else {
    stop_ = StopReason::EndOfInput;
  }
}

/// Shows the frame that is due. If `due` is null, redraws the last frame if needed, for example after the
/// window was resized or a key was pressed during a pause. Returns whether the last frame was mapped again.
Result<bool> Player::update_output(const Frame* due) {
  if (due != nullptr) {
    TRY_ASSIGN(const bool is_seen, show(*due));
    is_last_seen_ = is_seen;
    if (is_seen) count_presented();
    ++statistics_.frames.mapped;
    ++statistics_.frames.drawn;
    statistics_.host_bytes_copied += due->bytes_copied;
    return false;
  }
  const Frame* last = playback_->last_frame();
  const bool maps_again = last != nullptr && presenter_.needs_render();
  if (maps_again) {
    TRY_ASSIGN(const bool is_seen, show(*last));
    if (is_seen && !std::exchange(is_last_seen_, true)) count_presented();
  } else {
    TRY(presenter_.redraw_if_needed());
  }
  return maps_again;
}

void Player::count_presented() {
  ++statistics_.frames.presented;
  statistics_.shown_rate.note_frame(Clock::now());
}

/// Composites the bitmap subtitles into a frame, and shows the result. Returns false if the frame was not
/// displayed.
Result<bool> Player::show(const Frame& frame) {
  const Frame composited = subtitles_.composited(frame, presenter_.grid());
  TRY_ASSIGN(const bool is_seen, presenter_.show(composited));
  recording_.set_frame(composited);
  if (is_seen && !statistics_.first_frame) statistics_.first_frame = Clock::now();
  return is_seen;
}

/// Shows and logs new messages of audio, playback and subtitles.
void Player::report_notices() {
  std::string audio_failure = playback_->take_audio_failure();
  // A missing audio device is reported once, not for each input.
  if (audio_failure == reported_audio_error_) audio_failure.clear();
  if (!audio_failure.empty()) reported_audio_error_ = audio_failure;
  for (const std::string& notice : {audio_failure, playback_->take_notice(), subtitles_.take_notice()}) {
    if (notice.empty()) continue;
    log::info("{}", notice);
    osd_.show_error(notice);
  }
}

/// Applies the user's loop: from B back to A if A and B are set; otherwise over the whole file if the user
/// turned on that loop; otherwise no loop.
void Player::sync_loop() {
  if (loop_.a && loop_.b) {
    playback_->set_loop(loop_.a, loop_.b);
  } else if (loop_.whole_file) {
    playback_->set_loop(playback_->start_seconds(), std::nullopt);
  } else {
    playback_->set_loop(std::nullopt, std::nullopt);
  }
}

void Player::set_recording(bool on) {
  if (on == recording_.is_recording()) return;
  if (!on) {
    recording_.end();
    return;
  }
  if (!presenter_.grid()) return;
  recording_.start(presenter_.live(), *presenter_.grid(), playback_->facts().frame_rate);
  // The recording begins with the frame on the screen.
  recording_.sync(*playback_, Clock::now());
  static_cast<void>(
      recording_.update_options(presenter_.options(), presenter_.subtitles(), presenter_.text().setup()));
  if (const Frame* frame = playback_->last_frame()) {
    recording_.set_frame(subtitles_.composited(*frame, presenter_.grid()));
  }
  recording_.record(*playback_);
}

}  // namespace glyphreel::player
