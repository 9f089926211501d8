#include "player/player.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "player/subtitle_layout.h"

namespace glyphreel::player {
namespace {

constexpr double LeastOsdWait = 0.02;
constexpr int MostLostGpus = 3;  // of one film; a driver that fails so often is told

/// Standard input and pipes.
bool is_read_once(const std::string& url) {
  std::error_code ignored;
  return url == "-" || std::filesystem::is_fifo(url, ignored);
}

}  // namespace

Player::Player(Options options)
    : settings_(*options.settings),
      make_screen_(std::move(options.make_screen)),
      bindings_(std::move(options.bindings)),
      times_(*options.times),
      statistics_(*options.statistics),
      playlist_(settings_.inputs, Repeat::No),
      loops_file_(settings_.loop_file),
      audio_track_(settings_.audio_track),
      overlay_maker_({.on_loaded = [this] { wake(); }}) {
  controls_.speed = settings_.speed;
  controls_.volume = settings_.volume;
  controls_.muted = settings_.muted;
  controls_.audio_delay = settings_.audio_delay;
  osd_.level = settings_.osd_level;
  osd_.help = bindings_.help();
}

Player::~Player() {
  if (!screen_ || !screen_->is_lost()) return;
  live_.reset();  // may be warming it up
  const std::lock_guard lock(screen_mutex_);
  static_cast<void>(screen_.release());
}

Result<void> Player::run() {
  Result<void> played = play_all();
  finish_recordings();
  return played;
}

Result<void> Player::play_all() {
  while (const PlaylistEntry* entry = playlist_.current()) {
    tell_problems();
    if (playlist_.is_network_playlist()) {
      TRY_ASSIGN(const Next next, expand_playlist());
      if (next == Next::Quit) break;
      continue;
    }
    const Result<Next> opened = open(PlaylistEntry(*entry));
    if (opened && *opened == Next::Quit) break;
    if (opened && *opened == Next::Other) continue;
    if (!opened && live_ && !screen_->is_lost() && has_lost_its_gpu() && ++lost_gpus_ <= MostLostGpus) {
      frame_before_.reset();
      TRY(renew_screen(opened.error()));
      continue;
    }
    if (!opened) {
      if (opened.error().code != ErrorCode::BadInput) return opened.error();
      kept_place_.reset();
      playlist_.pass_over(opened.error());
      continue;
    }
    if (kept_place_) return_to(*std::exchange(kept_place_, std::nullopt));
    const Result<Next> next = play();
    follow_recording(Clock::now());
    const bool goes_on = !next && !screen_->is_lost() && has_lost_its_gpu() && ++lost_gpus_ <= MostLostGpus;
    if (goes_on) kept_place_ = place();
    controls_ = playback_->controls();
    statistics_.hardware = playback_->source().hardware_use();
    keep_frame_before();
    bitmap_overlay_.reset();
    subtitles_.reset();
    playback_.reset();
    if (goes_on) {
      TRY(renew_screen(next.error()));
      continue;
    }
    if (!next) {
      // What is wrong with one input does not concern the others.
      if (playlist_.size() == 1 || next.error().code == ErrorCode::NoDevice) return next.error();
      playlist_.pass_over(next.error());
      continue;
    }
    playlist_.set_played();
    if (*next == Next::Quit || (settings_.frames && statistics_.presented >= *settings_.frames)) break;
    if (*next == Next::Following) playlist_.advance();
  }
  tell_problems();
  return playlist_.outcome();
}

void Player::tell_problems() {
  for (const Error& problem : playlist_.take_problems()) {
    log::warn("{}", problem.message);
    tell_error(problem.message);
  }
}

/// Hardware decoders need their frames back.
void Player::keep_frame_before() {
  frame_before_.reset();
  const Frame* frame = playback_->last_frame();
  if (frame != nullptr && !frame->surface) frame_before_ = *frame;
}

/// Going: it is open. Other and Quit: the user went elsewhere meanwhile.
Result<Player::Next> Player::open(const PlaylistEntry& entry) {
  // Before it is opened: where there is no screen it is for another player, and what was read of a pipe is
  // gone.
  if (!screen_ && is_read_once(entry.url)) TRY(make_screen());
  const std::uint32_t number = input_number_ + 1;
  Next next = Next::Going;
  TRY_ASSIGN(std::optional<Result<std::unique_ptr<Playback>>> opened, open_playback(entry, number, next));
  if (!opened) return next;
  if (!*opened) return std::move(opened->error());
  frame_before_.reset();
  inputs_.insert(inputs_.begin(), inputs_for_next_.begin(), inputs_for_next_.end());
  inputs_for_next_.clear();
  if (playback_) follow_recording(Clock::now());
  recorded_frame_.reset();
  bitmap_overlay_.reset();
  subtitles_.reset();
  playback_ = **std::move(opened);
  input_number_ = number;
  statistics_.input = playback_->facts();
  statistics_.input_url = entry.url;
  title_ = fmt::format("{} - glyphreel", entry.name());
  loop_a_.reset();
  loop_b_.reset();
  follow_loop();
  osd_.playback = {};
  osd_.playback.title = entry.name();
  osd_.playback.duration_seconds = playback_->duration();
  for (const media::VideoFacts::Chapter& chapter : playback_->facts().chapters) {
    osd_.playback.chapters.push_back({chapter.start_seconds, chapter.title});
  }
  subtitles_ = std::make_unique<SubtitleChoice>(settings_, playback_->source(), entry.url);
  if (!screen_) TRY(make_screen());
  if (!live_) TRY(take_screen());
  screen_->set_title(title_);
  bitmap_overlay_ = std::make_unique<media::BitmapOverlay>(screen_->frame_memory());
  playback_->begin(screen_->frame_memory(), screen_->hardware());
  return Next::Going;
}

Result<void> Player::make_screen() {
  TRY_ASSIGN(std::unique_ptr<Screen> made, make_screen_());
  const std::lock_guard lock(screen_mutex_);
  screen_ = std::move(made);
  return {};
}

/// Ends the wait of take_inputs(). Any thread.
void Player::wake() {
  const std::lock_guard lock(screen_mutex_);
  if (screen_) screen_->wake();
}

bool Player::has_lost_its_gpu() const {
  const std::shared_ptr<gpu::Device> device = screen_->device();
  return device && device->is_lost();
}

/// Another screen in the place of one whose GPU is gone: by that GPU again, if it came back, or by whatever
/// else draws.
Result<void> Player::renew_screen(const Error& why) {
  kept_settings_ = live_->wanted();
  live_.reset();
  split_maker_.reset();
  split_.reset();
  wants_split_ = false;
  overlay_.reset();
  recorded_frame_.reset();
  {
    const std::lock_guard lock(screen_mutex_);
    screen_.reset();
  }
  if (!make_screen()) return why;
  log::warn("{} Going on anew. {}", why.message, why.cause);
  return {};
}

Player::Place Player::place() const {
  return {.seconds = playback_->picture_position(Clock::now()),
          .loop_a = loop_a_,
          .loop_b = loop_b_,
          .subtitles = subtitles_->chosen(),
          .subtitle_delay = subtitles_->delay()};
}

/// In an input that was opened once more.
void Player::return_to(const Place& place) {
  loop_a_ = place.loop_a;
  loop_b_ = place.loop_b;
  follow_loop();
  if (Result<void> chosen = subtitles_->choose(place.subtitles); !chosen) tell_error(chosen.error().message);
  subtitles_->set_delay(place.subtitle_delay);
  playback_->seek(place.seconds, media::SeekMode::Exact);
}

/// The screen becomes this film's: until then nothing was to be seen of it.
Result<void> Player::take_screen() {
  // The glyphs before the screen is taken over: what is wrong with them is told on the screen as it was.
  TRY_ASSIGN(live_,
             LiveSettings::make(
                 {.asked = kept_settings_.value_or(settings_),
                  .cell_for = [this](const cli::Settings& wanted) { return screen_->cell_for(wanted); },
                  .warm_up = [this](const render::RenderSetup& setup) { screen_->warm_up(setup); },
                  .on_loaded = [this] { wake(); },
                  .announce =
                      [this](const std::string& message) {
                        log::info("{}", message);
                        tell("settings", message);
                      }}));
  TRY(screen_->open_for(playback_->facts()));
  live_->follow_cell();
  return {};
}

Result<Player::Next> Player::play() {
  TRY(screen_->follow_size());
  grid_.reset();  // what stability and levels remember is of the film before
  TRY(configure());
  double wait = 0;
  while (true) {
    TRY_ASSIGN(const Next next, take_inputs(wait));
    if (next != Next::Going) return next;
    if (interrupted()) return Next::Quit;
    if (std::exchange(size_changed_, false)) {
      TRY(screen_->follow_size());
      live_->follow_cell();
      TRY(configure());
      stale_ = true;
    }
    if (live_->poll()) grid_.reset();
    follow_split();
    if (!grid_) TRY(configure());
    if (stale_ && playback_->last_frame() != nullptr && grid_ &&
        screen_->visibility() == Playback::Visibility::Seen) {
      // The last frame anew: a paused picture follows its window and the keys too.
      stale_ = false;
      TRY(show(*playback_->last_frame()));
      record_again();
    }
    TRY_ASSIGN(wait, show_turn());
    if (wait < 0) return Next::Following;
    if (settings_.frames && statistics_.presented >= *settings_.frames) return Next::Following;
  }
}

Result<Player::Next> Player::take_inputs(double wait_seconds) {
  TRY_ASSIGN(std::vector<ScreenInput> inputs, screen_->wait(inputs_.empty() ? wait_seconds : 0));
  std::move(inputs.begin(), inputs.end(), std::back_inserter(inputs_));
  while (!inputs_.empty()) {
    const ScreenInput input = std::move(inputs_.front());
    inputs_.pop_front();
    TRY_ASSIGN(const Next next, take(input));
    if (next != Next::Going) return next;  // the rest is for what is played next
  }
  return Next::Going;
}

Result<Player::Next> Player::take(const ScreenInput& input) {
  const TimePoint now = Clock::now();
  follow_recording(now);  // a command may change where and how fast playing is
  if (std::holds_alternative<CloseInput>(input)) return Next::Quit;
  if (const auto* key = std::get_if<KeyInput>(&input)) {
    if (key->key == "MBTN_LEFT") press_on_bar(now);
    // Two places of the bar in quick succession are two seeks.
    if (key->key == "MBTN_LEFT_DBL" && dragging_) return Next::Going;
    const Command* command = bindings_.find(key->key);
    return command != nullptr ? execute(*command) : Next::Going;
  }
  if (const auto* mouse = std::get_if<MouseInput>(&input)) {
    osd_.mouse = mouse->place;
    if (dragging_) {
      press_on_bar(now);
    } else if (mouse->place) {
      show_progress();
    }
  } else if (std::holds_alternative<MouseReleased>(input)) {
    dragging_ = false;
  } else if (std::holds_alternative<SizeChanged>(input)) {
    size_changed_ = true;
  } else if (std::holds_alternative<PictureLost>(input)) {
    lost_ = true;
  } else if (std::holds_alternative<ProgramResumed>(input)) {
    playback_->seek(playback_->position(now), media::SeekMode::Exact);
  } else if (const auto* dropped = std::get_if<FilesDropped>(&input)) {
    if (playlist_.replace(dropped->paths)) return Next::Other;
    tell_problems();
  }
  return Next::Going;
}

/// Shows what is due; seconds until the next look, or below 0 where the input has ended.
Result<double> Player::show_turn() {
  const TimePoint now = Clock::now();
  std::string sound_failure = playback_->take_sound_failure();
  // That there is no sound device is told once, and not for each input.
  if (sound_failure == told_sound_failure_) sound_failure.clear();
  if (!sound_failure.empty()) told_sound_failure_ = sound_failure;
  for (const std::string& notice : {sound_failure, playback_->take_notice(), subtitles_->take_notice()}) {
    if (notice.empty()) continue;
    log::info("{}", notice);
    tell_error(notice);
  }
  follow_recording(now);
  const Playback::Visibility visibility = screen_->visibility();
  playback_->set_refresh_interval(screen_->refresh_interval());
  TRY_ASSIGN(const Playback::Turn turn, playback_->turn(now, visibility));
  screen_->set_playing(!playback_->controls().paused);
  update_osd(now);
  update_subtitles(now);
  const bool text_changed = update_overlay();
  const bool recorded_text_changed = update_recorded_text();
  const bool is_seen = visibility == Playback::Visibility::Seen;
  if (turn.show != nullptr && is_seen) {
    TRY_ASSIGN(const bool seen, show(*turn.show));
    statistics_.presented += seen ? 1 : 0;
    ++statistics_.mapped;
    ++statistics_.drawn;
    statistics_.host_bytes_copied += turn.show->bytes_copied;
  } else if ((text_changed || lost_) && is_seen) {
    TRY(screen_->show_again());
  } else {
    lost_ = lost_ || text_changed;
  }
  if (is_seen) lost_ = false;
  if (turn.show != nullptr) playback_->shown(Clock::now());
  if (turn.show != nullptr && is_seen) {
    record(turn.show->pts_seconds());
  } else if (recorded_text_changed) {
    record_again();
  }
  if (turn.ended) return -1.0;
  double wait = turn.wait_seconds;
  if (const std::optional<double> next = next_osd_change(osd_)) {
    wait = std::min(wait, std::max(LeastOsdWait, *next - osd_seconds(now)));
  }
  return wait;
}

/// False: the frame could not be seen.
Result<bool> Player::show(const Frame& frame) {
  const Frame composed = with_bitmaps(frame);
  TRY_ASSIGN(const bool seen, screen_->show(composed));
  if (recording_) keep_for_recording(composed);
  lost_ = false;
  if (seen) statistics_.note_frame_shown();
  return seen;
}

/// Brings the text over the picture up to date; true where it has changed.
bool Player::update_overlay() {
  if (!grid_) return false;
  layers_[OsdLayer] = lay_out_osd(osd_, *grid_);
  std::shared_ptr<const render::Overlay> overlay = overlay_maker_.make(*grid_, layers_);
  if (overlay == overlay_) return false;
  overlay_ = std::move(overlay);
  screen_->set_overlay(overlay_);
  return true;
}

void Player::update_subtitles(TimePoint now) {
  subtitles_->read();
  std::vector<SubtitleChoice::EventPtr> visible;
  const Frame* frame = playback_->last_frame();
  if (shows_subtitles_ && grid_ && frame != nullptr)
    visible = subtitles_->visible_at(playback_->position(now));
  render::TextLayer& layer = layers_[SubtitleLayer];
  if (visible == shown_subtitles_ && (!grid_ || layer.cells.empty() || layer.grid == *grid_)) return;
  const auto has_bitmap = [](const SubtitleChoice::EventPtr& event) { return event->bitmap != nullptr; };
  // What lies under the picture's characters needs the picture anew.
  stale_ = stale_ || std::any_of(visible.begin(), visible.end(), has_bitmap) ||
           std::any_of(shown_subtitles_.begin(), shown_subtitles_.end(), has_bitmap);
  shown_subtitles_ = std::move(visible);
  layer = grid_ ? layout_subtitles(shown_subtitles_, *grid_, {}) : render::TextLayer{};
}

/// The frame with the pictures of subtitles over it.
Frame Player::with_bitmaps(const Frame& frame) {
  std::vector<std::shared_ptr<const media::BitmapSubtitle>> bitmaps;
  for (const SubtitleChoice::EventPtr& event : shown_subtitles_) {
    if (event->bitmap) bitmaps.push_back(event->bitmap);
  }
  if (bitmaps.empty() || !grid_) return frame;
  const Result<Frame> host = on_host(frame, screen_->frame_memory());
  if (!host) {
    log::warn("{}", host.error().message);
    return frame;
  }
  return bitmap_overlay_->over(*host, bitmaps, media::readable_in_rows(grid_->rows));
}

/// Sets the screen up for its size and the glyphs that are there, unless it is.
Result<void> Player::configure() {
  const LoadedGlyphs& glyphs = live_->glyphs();
  const GridSize grid = screen_->grid_for(glyphs);
  if (grid_ && *grid_ == grid) return {};
  Result<void> configured = screen_->configure(glyphs, live_->setup(grid));
  if (!configured && screen_->split() != nullptr) {
    tell_error(configured.error().message);
    wants_split_ = false;
    follow_split();
    configured = screen_->configure(glyphs, live_->setup(grid));
  }
  TRY(std::move(configured));
  overlay_maker_.set_font(glyphs.settings.font, glyphs.glyphs->cell());
  grid_ = grid;
  stale_ = true;
  follow_setup();
  return {};
}

}  // namespace glyphreel::player
