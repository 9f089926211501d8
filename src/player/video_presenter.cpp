#include "player/video_presenter.h"

#include <utility>

#include "base/io/log.h"
#include "base/threads/thread.h"

namespace glyphreel::player {
namespace {

constexpr int MaxRestarts = 3;  // per run of the program

}  // namespace

VideoPresenter::VideoPresenter(const cli::Settings& settings, MakeOutput make_output, OsdController& osd)
    : initial_settings_(settings),
      make_output_(std::move(make_output)),
      osd_(osd),
      wipe_(settings.window.wipe),
      text_([this] { wake(); }),
      text_scale_{settings.subtitles.scale, settings.window.osd_scale} {}

VideoPresenter::~VideoPresenter() {
  if (output_) remove_output();
}

/// Destroys the output and what uses it, or leaks them if VideoOutput::can_be_destroyed() returns false.
void VideoPresenter::remove_output() {
  const bool is_leaked = !output_->can_be_destroyed();
  live_.reset();  // ends its thread, which may be calling warm_up() of the output
  if (is_leaked) {
    note_leaked_thread();
    if (!output_->is_lost()) output_->abandon();
    static_cast<void>(new Split(std::move(split_)));  // its thread may be waiting for the blocked driver
  }
  split_ = {};
  is_open_ = false;
  const MutexLock lock(mutex_);
  if (is_leaked) static_cast<void>(output_.release());
  output_.reset();
}

Result<void> VideoPresenter::make_output() {
  TRY_ASSIGN(std::unique_ptr<VideoOutput> made, make_output_(gpu_use_));
  const MutexLock lock(mutex_);
  output_ = std::move(made);
  return {};
}

Result<void> VideoPresenter::make_glyphs() {
  TRY_ASSIGN(live_,
             LiveSettings::make(
                 {.initial = initial_settings_,
                  .cell_for = [this](const cli::Settings& wanted) { return output_->cell_for(wanted); },
                  .warm_up = [this](const render::RenderSetup& setup) { output_->warm_up(setup); },
                  .on_loaded = [this] { wake(); },
                  .announce =
                      [this](const std::string& message) {
                        log::info("{}", message);
                        osd_.show_message("settings", message);
                      }}));
  return {};
}

Result<void> VideoPresenter::open_for(const media::VideoFacts& facts) {
  if (is_open_) return {};
  // Make the glyphs first. If that fails, the error is printed before the output changes the terminal.
  if (!live_) TRY(make_glyphs());
  {
    const MutexLock lock(mutex_);  // the input is already being decoded, and its threads call wake()
    TRY(output_->open_for(facts));
  }
  TRY(live_->leave_out(output_->missing_characters()));
  live_->sync_cell();
  if (wipe_.is_on()) {
    if (const Result<void> possible = set_wipe(true); !possible) {
      wipe_.set_on(false);
      osd_.show_error(possible.error().message);
    }
  }
  shown_options_ = live_->frame_options();
  is_open_ = true;
  return {};
}

void VideoPresenter::wake() {
  const MutexLock lock(mutex_);
  if (output_) output_->wake();
}

bool VideoPresenter::can_restart() const {
  if (!live_ || output_->is_lost() || restarts_ >= MaxRestarts) return false;
  const std::shared_ptr<gpu::Device> device = output_->device();
  return device && device->is_lost();
}

Result<void> VideoPresenter::restart(const Error& why) {
  ++restarts_;
  if (output_->device()->is_hung()) gpu_use_ = GpuUse::Avoided;
  initial_settings_ = live_->wanted();
  remove_output();
  if (!make_output()) return why;
  log::warn("Restarting the display after an error: {}", full_text(why));
  return {};
}

Result<void> VideoPresenter::begin_input() {
  grid_.reset();
  return output_->sync_size();
}

Result<bool> VideoPresenter::sync() {
  const bool is_resized = std::exchange(is_resized_, false);
  if (is_resized) {
    TRY(output_->sync_size());
    live_->sync_cell();
    needs_render_ = true;
  }
  const std::optional<GridSize> before = live_->poll() ? std::nullopt : grid_;
  if (before && (!is_resized || output_->grid_for(live_->glyphs()) == *before)) return false;
  TRY(configure());
  return true;
}

/// Sets up the output for its current size and glyphs.
Result<void> VideoPresenter::configure() {
  const LoadedGlyphs& glyphs = live_->glyphs();
  const GridSize grid = output_->grid_for(glyphs);
  const render::SplitRenderer* split_before = split();
  const auto configure_output = [&] {
    return output_->configure(glyphs, live_->setup(grid), split_.is_wanted ? split_.renderer : nullptr);
  };
  Result<void> configured = configure_output();
  if (!configured && split_.is_wanted && split_.renderer) {
    refuse_split(configured.error());
    configured = configure_output();
  }
  TRY(std::move(configured));
  if (split() != split_before) {
    split_.renderer->reset_findings();
    osd_.force_stats_refresh();
  }
  grid_ = grid;
  configure_text();
  needs_render_ = true;
  return {};
}

void VideoPresenter::configure_text() {
  if (!grid_) return;
  text_.configure({.kind = draws_pixels() ? PictureText::Kind::Pixels : PictureText::Kind::Cells,
                   .font = live_->glyphs().settings.layout.font,
                   .grid = *grid_,
                   .cell = live_->cell(),
                   .scale = text_scale_});
}

void VideoPresenter::set_text_scale(TextScale scale) {
  text_scale_ = scale;
  configure_text();
}

bool VideoPresenter::draws_pixels() const {
  return output_->shown_cell(live_->cell()).has_value();
}

void VideoPresenter::apply_step(const PictureStep& step) {
  live_->press(step, output_->shown_cell(live_->cell()));
}

Result<void> VideoPresenter::set_wipe(bool is_on) {
  const auto refused = [](const char* message) { return Error{ErrorCode::Usage, message, {}}; };
  if (is_on && !draws_pixels())
    return refused("The terminal's cells cannot show the source video; play in a window.");
  if (is_on && split_.is_wanted) return refused("Press t to leave the split view before you use the wipe.");
  wipe_.set_on(is_on);
  return {};
}

void VideoPresenter::move_mouse(std::optional<MousePosition> position) {
  wipe_.move_mouse(position, grid_.value_or(GridSize{}));
}

bool VideoPresenter::press_wipe() {
  return options_.wipe && grid_ && wipe_.press(*grid_, live_->cell());
}

void VideoPresenter::sync_split(const Frame* frame) {
  if (split_.is_wanted && !split_.renderer && !split_.call && grid_) start_split(frame);
  if (split_.call) {
    std::optional<Result<std::shared_ptr<render::SplitRenderer>>> made = split_.call->poll();
    if (!made) return;
    split_.call.reset();
    remove_message(osd_.state().messages, "split");
    if (*made) {
      split_.renderer = **std::move(made);
    } else {
      refuse_split(made->error());
    }
  }
  if (split_.renderer && split_.is_wanted != (split() != nullptr)) grid_.reset();
}

/// Starts to make the split view's renderers on a background thread.
void VideoPresenter::start_split(const Frame* frame) {
  const auto make = [options =
                         SplitViewOptions{.settings = initial_settings_,
                                          .device = output_->device(),
                                          .setup = live_->setup(*grid_),
                                          .frame_options = options_,
                                          .frame = frame != nullptr ? std::optional(*frame) : std::nullopt}](
                        const std::stop_token&) { return make_split_view(options); };
  split_.call = std::make_unique<BackgroundCall<std::shared_ptr<render::SplitRenderer>>>(
      "split view", make, [output = output_.get()] { output->wake(); });
  osd_.show_message("split", "Preparing the split view");
}

void VideoPresenter::refuse_split(const Error& error) {
  log::warn("{}", full_text(error));
  osd_.show_error(error.message);
  split_.is_wanted = false;
}

void VideoPresenter::update_options() {
  if (!grid_) return;
  options_ = live_->frame_options();
  options_.wipe.reset();
  if (wipe_.is_on() && draws_pixels() && split() == nullptr) options_.wipe = wipe_.share();
  text_.show(subtitles_, lay_out_osd(osd_.state(), text_.osd_grid()), options_);
}

Result<bool> VideoPresenter::show(const Frame& frame) {
  Result<bool> seen = output_->show(&frame, options_);
  // A hardware frame becomes unreadable if its decoder is replaced. Skip such a frame and continue playback.
  const bool is_lost = !seen && frame.surface && frame.surface->is_lost();
  if (is_lost) seen = false;
  TRY_ASSIGN(const bool is_seen, std::move(seen));
  needs_redraw_ = false;
  needs_render_ = !is_seen && !is_lost;
  shown_options_ = options_;
  return is_seen;
}

Result<void> VideoPresenter::redraw_if_needed() {
  if ((!needs_redraw_ && options_ == shown_options_) || !is_visible()) return {};
  TRY_ASSIGN(const bool is_seen, output_->show(nullptr, options_));
  needs_redraw_ = !is_seen;
  shown_options_ = options_;
  return {};
}

Result<std::string> VideoPresenter::take_screenshot(const Frame& frame, ScreenshotUse use) {
  Screenshot shot{.frame = frame,
                  .setup = live_->setup(*grid_),
                  .options = live_->frame_options(),
                  .settings = settings()};
  shot.options.wipe = options_.wipe;
  if (split() == nullptr) return use(shot);
  // In the split view, the screenshot shows both halves, with marks on the cells that differ.
  TRY_ASSIGN(const render::RenderedFrame shown, split_.renderer->redraw(shot.options));
  shot.shown = &shown;
  return use(shot);
}

}  // namespace glyphreel::player
