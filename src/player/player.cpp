#include "player/player.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "player/setup.h"

namespace glyphreel::player {
namespace {

constexpr double LeastOsdWait = 0.02;

std::string name_of(const std::string& url) {
  const std::size_t slash = url.find_last_of('/');
  return slash == std::string::npos || slash + 1 == url.size() ? url : url.substr(slash + 1);
}

}  // namespace

Player::Player(Options options)
    : settings_(*options.settings),
      screen_(*options.screen),
      bindings_(std::move(options.bindings)),
      times_(*options.times),
      statistics_(*options.statistics),
      loops_file_(settings_.loop_file),
      audio_track_(settings_.audio_track),
      overlay_maker_({.on_loaded = [this] { screen_.wake(); }}) {
  controls_.speed = settings_.speed;
  controls_.volume = settings_.volume;
  controls_.muted = settings_.muted;
  controls_.audio_delay = settings_.audio_delay;
  osd_.level = settings_.osd_level;
  osd_.help = bindings_.help();
}

Player::~Player() = default;

Result<void> Player::run() {
  const std::vector<std::string>& inputs = settings_.inputs;
  std::optional<Error> last_error;
  bool any_played = false;
  std::size_t index = 0;
  while (index < inputs.size()) {
    Result<void> opened = open(inputs[index]);
    if (!opened) {
      // On to the next one: what is wrong with one input does not concern the others.
      if (opened.error().code != ErrorCode::BadInput) return opened;
      last_error = opened.error();
      if (inputs.size() > 1) log::warn("{}", last_error->message);
      ++index;
      continue;
    }
    Result<Next> next = play();
    if (playback_) controls_ = playback_->controls();
    playback_.reset();
    if (!next) {
      last_error = next.error();
      if (next.error().code != ErrorCode::BadInput && next.error().code != ErrorCode::Failed) return next.error();
      if (inputs.size() == 1) return next.error();
      log::warn("{}", last_error->message);
      ++index;
      continue;
    }
    any_played = true;
    if (*next == Next::Quit) break;
    if (*next == Next::Previous) {
      index -= index > 0 ? 1 : 0;
    } else {
      ++index;
    }
    if (settings_.frames && statistics_.presented >= *settings_.frames) break;
  }
  if (!any_played && last_error) return *last_error;
  return {};
}

Result<void> Player::open(const std::string& url) {
  TRY_ASSIGN(playback_, Playback::open(settings_, {.url = url,
                                                   .memory = screen_.frame_memory(),
                                                   .times = &times_,
                                                   .statistics = &statistics_,
                                                   .controls = controls_,
                                                   .audio_track = audio_track_,
                                                   .wake = [this] { screen_.wake(); }}));
  statistics_.input = playback_->facts();
  statistics_.input_url = url;
  title_ = fmt::format("{} - glyphreel", name_of(url));
  loop_a_.reset();
  loop_b_.reset();
  if (loops_file_) playback_->set_loop(settings_.start_seconds.value_or(0), std::nullopt);
  osd_.playback = {};
  osd_.playback.title = name_of(url);
  osd_.playback.duration_seconds = playback_->duration();
  for (const media::VideoFacts::Chapter& chapter : playback_->facts().chapters) {
    osd_.playback.chapters.push_back({chapter.start_seconds, chapter.title});
  }
  if (!live_) {
    // The glyphs first where the screen allows it: what is wrong with them is told on the screen as it was.
    TRY_ASSIGN(live_, LiveSettings::make({.asked = settings_,
                                          .cell_for = [this](const cli::Settings& wanted) {
                                            return screen_.cell_for(wanted);
                                          },
                                          .warm_up = [this](const render::RenderSetup& setup) {
                                            screen_.warm_up(setup);
                                          },
                                          .on_loaded = [this] { screen_.wake(); },
                                          .announce = [this](const std::string& message) {
                                            log::info("{}", message);
                                            tell("settings", message);
                                          }}));
    TRY(screen_.open_for(playback_->facts()));
    live_->follow_cell();
  }
  screen_.set_title(title_);
  return {};
}

Result<Player::Next> Player::play() {
  TRY(screen_.follow_size());
  TRY(configure());
  double wait = 0;
  while (true) {
    TRY_ASSIGN(const Next next, take_inputs(wait));
    if (next != Next::Going) return next;
    if (interrupted()) return Next::Quit;
    if (std::exchange(size_changed_, false)) {
      TRY(screen_.follow_size());
      live_->follow_cell();
      TRY(configure());
      stale_ = true;
    }
    if (live_->poll()) {
      grid_.reset();
      TRY(configure());
      stale_ = true;
    }
    if (std::exchange(stale_, false) && playback_->last_frame() != nullptr && grid_) {
      // The last frame anew: a paused picture follows its window and the keys too.
      if (screen_.takes_frames()) TRY(show(*playback_->last_frame()));
    }
    TRY_ASSIGN(wait, show_turn());
    if (wait < 0) return Next::Following;
    if (settings_.frames && statistics_.presented >= *settings_.frames) return Next::Following;
  }
}

Result<Player::Next> Player::take_inputs(double wait_seconds) {
  TRY_ASSIGN(const std::vector<ScreenInput> inputs, screen_.wait(wait_seconds));
  for (const ScreenInput& input : inputs) {
    TRY_ASSIGN(const Next next, take(input));
    if (next != Next::Going) return next;
  }
  return Next::Going;
}

Result<Player::Next> Player::take(const ScreenInput& input) {
  const TimePoint now = Clock::now();
  if (std::holds_alternative<CloseInput>(input)) return Next::Quit;
  if (const auto* key = std::get_if<KeyInput>(&input)) {
    if (key->key == "MBTN_LEFT") press_on_bar(now);
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
  }
  return Next::Going;
}

/// Shows what is due; seconds until the next look, or below 0 where the input has ended.
Result<double> Player::show_turn() {
  const TimePoint now = Clock::now();
  if (std::string notice = playback_->take_notice(); !notice.empty()) {
    log::info("{}", notice);
    tell_error(notice);
  }
  const bool takes_frames = screen_.takes_frames();
  TRY_ASSIGN(const Playback::Turn turn, playback_->turn(now, takes_frames));
  update_osd(now);
  const bool text_changed = update_overlay();
  if (turn.show != nullptr && takes_frames) {
    TRY(show(*turn.show));
    ++statistics_.presented;
    ++statistics_.mapped;
    ++statistics_.drawn;
    statistics_.host_bytes_copied += turn.show->bytes_copied;
  } else if (text_changed || std::exchange(lost_, false)) {
    TRY(screen_.show_again());
  }
  if (turn.show != nullptr) playback_->shown(Clock::now());
  if (turn.ended) return -1.0;
  double wait = turn.wait_seconds;
  if (const std::optional<double> next = next_osd_change(osd_)) {
    wait = std::min(wait, std::max(LeastOsdWait, *next - osd_seconds(now)));
  }
  return wait;
}

Result<void> Player::show(const Frame& frame) {
  TRY_ASSIGN(const bool seen, screen_.show(frame));
  lost_ = false;
  if (!seen) return {};
  statistics_.note_frame_shown();
  return {};
}

/// Brings the text over the picture up to date; true where it has changed.
bool Player::update_overlay() {
  if (!grid_) return false;
  const std::vector<render::TextLayer> layers = {lay_out_osd(osd_, *grid_)};
  std::shared_ptr<const render::Overlay> overlay = overlay_maker_.make(*grid_, layers);
  if (overlay == overlay_) return false;
  overlay_ = std::move(overlay);
  screen_.set_overlay(overlay_);
  return true;
}

/// Sets the screen up for its size and the glyphs that are there, unless it is.
Result<void> Player::configure() {
  const LoadedGlyphs& glyphs = live_->glyphs();
  const GridSize grid = screen_.grid_for(glyphs);
  if (grid_ && *grid_ == grid) return {};
  TRY(screen_.configure(glyphs, live_->setup(grid)));
  overlay_maker_.set_font(glyphs.settings.font, glyphs.glyphs->cell());
  grid_ = grid;
  stale_ = true;
  return {};
}

}  // namespace glyphreel::player
