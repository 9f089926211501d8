#include "player/player.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "player/subtitles/subtitle_layout.h"

namespace glyphreel::player {
namespace {

constexpr double MinOsdWait = 0.02;
constexpr int MaxLostGpus = 3;  // in one run; a driver that fails more often is reported

/// Whether the input can be read only once: standard input and pipes.
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
  live_.reset();  // it may be warming up the screen
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
    report_problems();
    if (playlist_.is_network_playlist()) {
      TRY_ASSIGN(const LoopAction next, expand_playlist());
      if (next == LoopAction::Quit) break;
      continue;
    }
    const Result<LoopAction> opened = open(PlaylistEntry(*entry));
    if (opened && *opened == LoopAction::Quit) break;
    if (opened && *opened == LoopAction::Other) continue;
    if (!opened && live_ && !screen_->is_lost() && has_lost_its_gpu() && ++lost_gpus_ <= MaxLostGpus) {
      frame_before_.reset();
      TRY(renew_screen(opened.error()));
      continue;
    }
    if (!opened) {
      if (opened.error().code != ErrorCode::BadInput) return opened.error();
      resume_point_.reset();
      playlist_.pass_over(opened.error());
      continue;
    }
    if (resume_point_) restore(*std::exchange(resume_point_, std::nullopt));
    const Result<LoopAction> next = play();
    sync_recording(Clock::now());
    const bool goes_on = !next && !screen_->is_lost() && has_lost_its_gpu() && ++lost_gpus_ <= MaxLostGpus;
    if (goes_on) resume_point_ = resume_point();
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
      // An error of one input does not concern the others.
      if (playlist_.size() == 1 || next.error().code == ErrorCode::NoDevice) return next.error();
      playlist_.pass_over(next.error());
      continue;
    }
    playlist_.set_played();
    if (*next == LoopAction::Quit || (settings_.frames && statistics_.presented >= *settings_.frames)) break;
    if (*next == LoopAction::Following) playlist_.advance();
  }
  report_problems();
  return playlist_.outcome();
}

void Player::report_problems() {
  for (const Error& problem : playlist_.take_problems()) {
    log::warn("{}", problem.message);
    report_error(problem.message);
  }
}

/// Keeps the last frame to show while the next input is opened, unless it is a hardware frame: the decoder
/// needs that back.
void Player::keep_frame_before() {
  frame_before_.reset();
  const Frame* frame = playback_->last_frame();
  if (frame != nullptr && !frame->surface) frame_before_ = *frame;
}

/// Returns Going once the input is open; Other or Quit if the user went elsewhere meanwhile.
Result<Player::LoopAction> Player::open(const PlaylistEntry& entry) {
  // A pipe cannot be read twice, so create the screen first: without one, another player takes the input.
  if (!screen_ && is_read_once(entry.url)) TRY(make_screen());
  const std::uint32_t number = input_number_ + 1;
  LoopAction next = LoopAction::Going;
  TRY_ASSIGN(std::optional<Result<std::unique_ptr<Playback>>> opened, open_playback(entry, number, next));
  if (!opened) return next;
  if (!*opened) return std::move(opened->error());
  frame_before_.reset();
  inputs_.insert(inputs_.begin(), inputs_for_next_.begin(), inputs_for_next_.end());
  inputs_for_next_.clear();
  if (playback_) sync_recording(Clock::now());
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
  sync_loop();
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
  return LoopAction::Going;
}

Result<void> Player::make_screen() {
  TRY_ASSIGN(std::unique_ptr<VideoOutput> made, make_screen_());
  const std::lock_guard lock(screen_mutex_);
  screen_ = std::move(made);
  return {};
}

/// Ends the wait of take_inputs(). May be called from any thread.
void Player::wake() {
  const std::lock_guard lock(screen_mutex_);
  if (screen_) screen_->wake();
}

bool Player::has_lost_its_gpu() const {
  const std::shared_ptr<gpu::Device> device = screen_->device();
  return device && device->is_lost();
}

/// Replaces a screen whose GPU is lost: with one on that GPU, if it came back, or on what else can draw.
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
  log::warn("{} Restarting the display. {}", why.message, why.cause);
  return {};
}

Player::ResumePoint Player::resume_point() const {
  return {.seconds = playback_->picture_position(Clock::now()),
          .loop_a = loop_a_,
          .loop_b = loop_b_,
          .subtitles = subtitles_->chosen(),
          .subtitle_delay = subtitles_->delay()};
}

/// Applies the resume point to the reopened input.
void Player::restore(const ResumePoint& place) {
  loop_a_ = place.loop_a;
  loop_b_ = place.loop_b;
  sync_loop();
  if (Result<void> chosen = subtitles_->choose(place.subtitles); !chosen)
    report_error(chosen.error().message);
  subtitles_->set_delay(place.subtitle_delay);
  playback_->seek(place.seconds, media::SeekMode::Exact);
}

/// Opens the screen for this input; until then nothing of it was visible.
Result<void> Player::take_screen() {
  // Make the glyphs before taking over the screen: their errors are then reported on the screen as it was.
  TRY_ASSIGN(live_,
             LiveSettings::make(
                 {.asked = kept_settings_.value_or(settings_),
                  .cell_for = [this](const cli::Settings& wanted) { return screen_->cell_for(wanted); },
                  .warm_up = [this](const render::RenderSetup& setup) { screen_->warm_up(setup); },
                  .on_loaded = [this] { wake(); },
                  .announce =
                      [this](const std::string& message) {
                        log::info("{}", message);
                        show_message("settings", message);
                      }}));
  TRY(screen_->open_for(playback_->facts()));
  live_->sync_cell();
  return {};
}

Result<Player::LoopAction> Player::play() {
  TRY(screen_->sync_size());
  grid_.reset();  // stability and levels hold state of the previous input
  TRY(configure());
  double wait = 0;
  while (true) {
    TRY_ASSIGN(const LoopAction next, take_inputs(wait));
    if (next != LoopAction::Going) return next;
    if (interrupted()) return LoopAction::Quit;
    if (std::exchange(size_changed_, false)) {
      TRY(screen_->sync_size());
      live_->sync_cell();
      TRY(configure());
      needs_render_ = true;
    }
    if (live_->poll()) grid_.reset();
    sync_split();
    if (!grid_) TRY(configure());
    if (needs_render_ && playback_->last_frame() != nullptr && grid_ &&
        screen_->visibility() == Playback::Visibility::Seen) {
      // Render the last frame again: a paused picture also follows its window and the keys.
      needs_render_ = false;
      TRY(show(*playback_->last_frame()));
      record_again();
    }
    TRY_ASSIGN(wait, show_step());
    if (wait < 0) return LoopAction::Following;
    if (settings_.frames && statistics_.presented >= *settings_.frames) return LoopAction::Following;
  }
}

Result<Player::LoopAction> Player::take_inputs(double wait_seconds) {
  TRY_ASSIGN(std::vector<UiEvent> inputs, screen_->wait(inputs_.empty() ? wait_seconds : 0));
  std::move(inputs.begin(), inputs.end(), std::back_inserter(inputs_));
  while (!inputs_.empty()) {
    const UiEvent input = std::move(inputs_.front());
    inputs_.pop_front();
    TRY_ASSIGN(const LoopAction next, take(input));
    if (next != LoopAction::Going) return next;  // the other inputs are for what plays next
  }
  return LoopAction::Going;
}

Result<Player::LoopAction> Player::take(const UiEvent& input) {
  const TimePoint now = Clock::now();
  sync_recording(now);  // a command may change position and speed
  if (std::holds_alternative<CloseInput>(input)) return LoopAction::Quit;
  if (const auto* key = std::get_if<KeyInput>(&input)) {
    if (key->key == "MBTN_LEFT") press_on_bar(now);
    // Two clicks on the bar in quick succession are two seeks.
    if (key->key == "MBTN_LEFT_DBL" && dragging_) return LoopAction::Going;
    const Command* command = bindings_.find(key->key);
    return command != nullptr ? execute(*command) : LoopAction::Going;
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
  } else if (std::holds_alternative<WindowExposed>(input)) {
    needs_redraw_ = true;
  } else if (std::holds_alternative<ProgramResumed>(input)) {
    playback_->seek(playback_->position(now), media::SeekMode::Exact);
  } else if (const auto* dropped = std::get_if<FilesDropped>(&input)) {
    if (playlist_.replace(dropped->paths)) return LoopAction::Other;
    report_problems();
  }
  return LoopAction::Going;
}

/// Shows what is due. Returns the seconds until the next step, or less than 0 if the input has ended.
Result<double> Player::show_step() {
  const TimePoint now = Clock::now();
  std::string sound_failure = playback_->take_sound_failure();
  // A missing sound device is reported once, not for each input.
  if (sound_failure == reported_audio_error_) sound_failure.clear();
  if (!sound_failure.empty()) reported_audio_error_ = sound_failure;
  for (const std::string& notice : {sound_failure, playback_->take_notice(), subtitles_->take_notice()}) {
    if (notice.empty()) continue;
    log::info("{}", notice);
    report_error(notice);
  }
  sync_recording(now);
  const Playback::Visibility visibility = screen_->visibility();
  playback_->set_refresh_interval(screen_->refresh_interval());
  TRY_ASSIGN(const Playback::StepResult turn, playback_->step(now, visibility));
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
  } else if ((text_changed || needs_redraw_) && is_seen) {
    TRY(screen_->show_again());
  } else {
    needs_redraw_ = needs_redraw_ || text_changed;
  }
  if (is_seen) needs_redraw_ = false;
  if (turn.show != nullptr) playback_->shown(Clock::now());
  if (turn.show != nullptr && is_seen) {
    record(turn.show->pts_seconds());
  } else if (recorded_text_changed) {
    record_again();
  }
  if (turn.ended) return -1.0;
  double wait = turn.wait_seconds;
  if (const std::optional<double> next = next_osd_change(osd_)) {
    wait = std::min(wait, std::max(MinOsdWait, *next - osd_seconds(now)));
  }
  return wait;
}

/// Returns false if the frame could not be seen.
Result<bool> Player::show(const Frame& frame) {
  const Frame composed = with_bitmaps(frame);
  TRY_ASSIGN(const bool seen, show_unless_lost(*screen_, composed));
  if (recording_) keep_for_recording(composed);
  needs_redraw_ = false;
  if (seen) statistics_.note_frame_shown();
  return seen;
}

/// Updates the text over the picture; returns true if it has changed.
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
  // Bitmap subtitles lie under the characters, so the picture must be rendered again.
  needs_render_ = needs_render_ || std::any_of(visible.begin(), visible.end(), has_bitmap) ||
                  std::any_of(shown_subtitles_.begin(), shown_subtitles_.end(), has_bitmap);
  shown_subtitles_ = std::move(visible);
  layer = grid_ ? layout_subtitles(shown_subtitles_, *grid_, {}) : render::TextLayer{};
}

/// Returns the frame with the bitmap subtitles drawn over it.
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

/// Sets the screen up for its size and the glyphs that are ready, unless it already is.
Result<void> Player::configure() {
  const LoadedGlyphs& glyphs = live_->glyphs();
  const GridSize grid = screen_->grid_for(glyphs);
  if (grid_ && *grid_ == grid) return {};
  Result<void> configured = screen_->configure(glyphs, live_->setup(grid));
  if (!configured && screen_->split() != nullptr) {
    report_error(configured.error().message);
    wants_split_ = false;
    sync_split();
    configured = screen_->configure(glyphs, live_->setup(grid));
  }
  TRY(std::move(configured));
  overlay_maker_.set_font(glyphs.settings.font, glyphs.glyphs->cell());
  grid_ = grid;
  needs_render_ = true;
  sync_setup();
  return {};
}

}  // namespace glyphreel::player
