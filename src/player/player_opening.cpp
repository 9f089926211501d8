// The part of Player that opens inputs and fetches playlists. Meanwhile, the output and some keys still work.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/threads/background_call.h"
#include "media/input/fetch.h"
#include "player/player.h"
#include "session/recent_files.h"

namespace glyphreel::player {
namespace {

constexpr double CheckSeconds = 0.1;  // interval between checks for Ctrl-C
constexpr double QuickSeconds = 0.5;  // if opening takes longer, a message is shown

/// Whether the input can be read only once: standard input and pipes.
bool is_read_once(const std::string& url) {
  std::error_code ignored;
  return url == "-" || std::filesystem::is_fifo(url, ignored);
}

}  // namespace

/// Runs a call that may be slow, and handles events meanwhile. Returns the call's result; empty if the user
/// stops the call.
template <typename T>
Result<std::optional<Result<T>>> Player::run_in_background(
    const std::string& name, std::function<Result<T>(const std::stop_token&)> call) {
  // Before the output is open, Ctrl-C is the only event, and media::Input handles it.
  if (!presenter_.is_open()) return std::optional<Result<T>>(call({}));
  BackgroundCall<T> running("open", std::move(call), [this] { presenter_.wake(); });
  const TimePoint start = Clock::now();
  bool is_announced = false;
  while (true) {
    if (std::optional<Result<T>> result = running.poll()) return result;
    TRY(handle_events(CheckSeconds, InputState::Opening));
    if (stop_ != StopReason::None) return std::optional<Result<T>>();
    if (!is_announced && std::chrono::duration<double>(Clock::now() - start).count() > QuickSeconds) {
      is_announced = true;
      osd_.show_message("opening", fmt::format("Opening {}", name));
    }
    TRY(show_while_opening());
  }
}

/// Replaces a playlist on the network with its entries.
Result<void> Player::expand_playlist() {
  const auto fetch = [url = playlist_.current()->url](const std::stop_token& stop) {
    return media::fetch_text(url, stop);
  };
  TRY_ASSIGN(std::optional<Result<std::string>> text,
             run_in_background<std::string>(playlist_.current()->name(), fetch));
  if (!text) return {};
  if (!*text && text->error().code == ErrorCode::Interrupted) return std::move(text->error());
  playlist_.expand_current(*text);
  return {};
}

/// Opens an input, and creates the output if this is the first input. If the user stops the opening, returns
/// early and without an error.
Result<void> Player::open(const PlaylistEntry& entry) {
  // If the output cannot be created, the caller tries another kind of output and opens the input again. A
  // pipe cannot be read twice, so create the output before reading the pipe.
  if (!presenter_.has_output() && is_read_once(entry.url)) {
    TRY(presenter_.make_output());
    TRY(presenter_.make_glyphs());
  }
  const std::uint32_t number = recording_.input() + 1;
  TRY_ASSIGN(std::optional<Result<std::unique_ptr<Playback>>> opened, open_playback(entry, number));
  if (!opened) return {};
  if (!*opened) return std::move(opened->error());
  previous_frame_.reset();
  events_.insert(events_.begin(), deferred_events_.begin(), deferred_events_.end());
  deferred_events_.clear();
  if (playback_) recording_.sync(*playback_, Clock::now());
  recording_.forget_frame();
  subtitles_.close();
  playback_ = **std::move(opened);
  recording_.set_input(number);
  return begin(entry);
}

Result<std::optional<Result<std::unique_ptr<Playback>>>> Player::open_playback(const PlaylistEntry& entry,
                                                                               std::uint32_t number) {
  const bool is_alone = playlist_.size() == 1;
  const auto open = [this, url = entry.url, controls = controls_, audio_track = audio_track_,
                     still_seconds = playlist_.still_image_seconds(), number,
                     is_alone](const std::stop_token& stop) -> Result<std::unique_ptr<Playback>> {
    Result<std::unique_ptr<Playback>> opened = Playback::open(
        settings_,
        {.url = url,
         .times = &times_,
         .statistics = &statistics_,
         .controls = controls,
         .audio_track = audio_track,
         .still_seconds = still_seconds,
         .stop_opening = stop,
         .on_audio = [this, number](const media::AudioBlock& block) { recording_.add_audio(number, block); },
         .wake = [this] { presenter_.wake(); }});
    if (opened && is_alone) TRY(session::check_audio_track(settings_, (*opened)->facts()));
    return opened;
  };
  if (presenter_.has_output()) return run_in_background<std::unique_ptr<Playback>>(entry.name(), open);
  // The first frame appears sooner if the output and the glyphs are made while the input is being opened.
  BackgroundCall<std::unique_ptr<Playback>> opening("open", open, [] {});
  Result<void> made = presenter_.make_output();
  if (made) made = presenter_.make_glyphs();
  Result<std::unique_ptr<Playback>> opened = opening.wait();
  if (opened) TRY(std::move(made));  // otherwise the input's error is reported
  return std::optional(std::move(opened));
}

/// Returns the title from the playlist, or else from the input, or else the file name.
std::string Player::title_of(const PlaylistEntry& entry) const {
  const std::string own = playback_ ? playback_->source().input().title : "";
  return entry.title.empty() && !own.empty() ? own : entry.name();
}

/// Starts to decode the input that was opened.
Result<void> Player::begin(const PlaylistEntry& entry) {
  const media::VideoFacts& facts = playback_->facts();
  statistics_.input = facts;
  statistics_.input_url = entry.url;
  loop_.a.reset();
  loop_.b.reset();
  sync_loop();
  osd_.state().playback = {
      .title = title_of(entry), .duration_seconds = playback_->duration(), .chapters = facts.chapters};
  subtitles_.open(settings_, playback_->source(), entry.url);
  VideoOutput& output = presenter_.output();
  subtitles_.set_memory(output.frame_memory());
  playback_->begin(output.frame_memory(), output.hardware());  // the first frame is decoded meanwhile
  TRY(presenter_.open_for(facts));
  output.set_title(fmt::format("{} - glyphreel", title_of(entry)));
  return {};
}

/// Handles an event while an input is being opened. Keys that need the input are deferred until it is open.
void Player::handle_while_opening(const UiEvent& event) {
  const auto* key = std::get_if<KeyInput>(&event);
  if (key == nullptr) {
    handle_window_event(event);
    return;
  }
  const std::vector<Command>* commands = bindings_.find(key->key);
  if (commands == nullptr) return;
  if (std::ranges::all_of(*commands,
                          [this](const Command& each) { return each.runs_while_opening(*this); })) {
    run_commands(*commands);
  } else {
    deferred_events_.push_back(event);
  }
}

/// Shows the previous input's last frame with the current overlay, at the output's current size.
Result<void> Player::show_while_opening() {
  TRY(sync_output());
  osd_.set_now(Clock::now());
  presenter_.update_options();
  if (!previous_frame_ || !presenter_.needs_render()) return presenter_.redraw_if_needed();
  if (presenter_.is_visible()) TRY(presenter_.show(*previous_frame_));
  return {};
}

/// Closes the input. Keeps its controls and its last frame for the next input.
void Player::close() {
  controls_ = playback_->controls();
  statistics_.hardware = playback_->source().hardware_use();
  keep_previous_frame();
  subtitles_.close();
  playback_.reset();
}

/// Copies the last frame to show it while the next input is being opened. Does not copy a hardware frame,
/// because the decoder could not be freed as long as the copy exists.
void Player::keep_previous_frame() {
  previous_frame_.reset();
  const Frame* frame = playback_->last_frame();
  if (frame != nullptr && !frame->surface) previous_frame_ = *frame;
}

Player::ResumePoint Player::resume_point() const {
  return {.seconds = playback_->frame_position(Clock::now()),
          .loop = loop_,
          .subtitles = subtitles_.selected(),
          .subtitle_delay = subtitles_.delay()};
}

/// Applies the resume point to the reopened input.
void Player::restore(const ResumePoint& point) {
  loop_ = point.loop;
  sync_loop();
  const Result<void> selected = subtitles_.select(point.subtitles);
  if (!selected) osd_.show_error(selected.error().message);
  subtitles_.set_delay(point.subtitle_delay);
  playback_->seek(point.seconds, media::SeekMode::Exact);
}

/// With --save-position, resumes where the user last quit the file, unless options select a part of it.
void Player::resume_saved_position(const PlaylistEntry& entry) {
  const bool has_range =
      settings_.playback.start || settings_.playback.end || settings_.playback.length_seconds;
  if (!settings_.playback.save_position || has_range) return;
  const double seconds = session::saved_position(entry.url);
  if (seconds <= 0) return;
  playback_->seek(seconds, media::SeekMode::Exact);
  osd_.show_message("resume", fmt::format("Resumed at {}", clock_text(seconds, seconds)));
}

/// With --save-position, saves where to resume the file: at the current position if the user quits, or at the
/// start if the file has been played to its end.
void Player::save_position(const PlaylistEntry& entry) const {
  if (!settings_.playback.save_position || stop_ == StopReason::EntryChanged) return;
  const double here = stop_ == StopReason::Quit ? resume_point().seconds : 0;
  session::save_position(entry.url, session::resume_seconds(here, playback_->duration()));
}

/// Reopens the input with another audio track and continues at the same position. Reopening is necessary
/// because only the packets of the selected track are read.
void Player::reopen_with_audio_track(int track) {
  const int track_before = std::exchange(audio_track_, track);
  const ResumePoint here = resume_point();
  controls_ = playback_->controls();
  keep_previous_frame();
  const Result<void> opened = open(PlaylistEntry(*playlist_.current()));
  if (!opened || stop_ != StopReason::None) {
    audio_track_ = track_before;
    if (!opened) osd_.show_error(opened.error().message);
    return;
  }
  restore(here);
  const auto& tracks = playback_->facts().audio_tracks;
  osd_.show_message("audio", fmt::format("Sound: {} of {} ({})", track, tracks.size(),
                                         tracks[static_cast<std::size_t>(track - 1)]));
}

}  // namespace glyphreel::player
