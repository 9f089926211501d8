#include "player/control/live_settings.h"

#include <utility>

#include <fmt/format.h>

#include "session/setup.h"

namespace glyphreel::player {

Result<std::unique_ptr<LiveSettings>> LiveSettings::make(Options options) {
  TRY_ASSIGN(LoadedGlyphs first, load_glyphs(options.initial, options.cell_for(options.initial)));
  return std::unique_ptr<LiveSettings>(new LiveSettings(std::move(options), std::move(first)));
}

LiveSettings::LiveSettings(Options options, LoadedGlyphs first)
    : options_(std::move(options)),
      wanted_(options_.initial),
      shown_(std::move(first)),
      requested_cell_(shown_.glyphs->cell()) {}

Change LiveSettings::press(PictureStep step, std::optional<CellSize> shown_cell) {
  return apply(take_step(wanted_, step, {options_.initial, shown_cell}));
}

Change LiveSettings::set(PictureProperty property, std::string_view value) {
  const Result<PictureChange> change = set_value(wanted_, property, value);
  return apply(change ? *change : PictureChange{Change::None, change.error().message});
}

Change LiveSettings::apply(const PictureChange& change) {
  if (!change.message.empty()) options_.announce(change.message);
  if (change.change == Change::Glyphs) {
    failed_charsets_ = 0;
    request();
  }
  return change.change;
}

void LiveSettings::sync_cell() {
  if (options_.cell_for(wanted_) != requested_cell_) request();
}

void LiveSettings::request() {
  requested_cell_ = options_.cell_for(wanted_);
  is_outdated_ = loading_ != nullptr;
  if (!loading_) start_loading();
}

/// Loads one request at a time. A newer one waits for it, and drops its result.
void LiveSettings::start_loading() {
  const auto load = [settings = wanted_, cell = requested_cell_, shown = shown_,
                     warm_up = options_.warm_up](const std::stop_token&) -> Result<LoadedGlyphs> {
    TRY_ASSIGN(LoadedGlyphs loaded, load_glyphs(settings, cell, shown));
    if (warm_up) {
      warm_up({.fit = loaded.settings.fit,
               .glyphs = loaded.glyphs,
               .mapping = loaded.mapping,
               .tables = loaded.tables});
    }
    return loaded;
  };
  loading_ = std::make_unique<BackgroundCall<LoadedGlyphs>>("glyphs", load, options_.on_loaded);
}

bool LiveSettings::poll() {
  if (!loading_) return false;
  std::optional<Result<LoadedGlyphs>> loaded = loading_->poll();
  if (!loaded) return false;
  loading_.reset();
  if (std::exchange(is_outdated_, false)) {
    start_loading();
    return false;
  }
  if (*loaded) {
    shown_ = **std::move(loaded);
    return true;
  }
  const Error& error = loaded->error();
  const bool new_charset = wanted_.charset != shown_.settings.charset;
  if (new_charset && ++failed_charsets_ < charset_count(options_.initial)) {
    // For example, no font has it: skip to the next one.
    const std::string refused = wanted_.charset;
    const PictureChange next =
        take_step(wanted_, {PictureProperty::Charset}, {options_.initial, std::nullopt});
    options_.announce(fmt::format("{} ({} was skipped: {})", next.message, refused, error.message));
    request();
    return false;
  }
  options_.announce(error.message);
  cli::Settings restored = shown_.settings;
  restored.brightness = wanted_.brightness;
  restored.contrast = wanted_.contrast;
  restored.gamma = wanted_.gamma;
  restored.saturation = wanted_.saturation;
  restored.effect = wanted_.effect;
  wanted_ = std::move(restored);
  requested_cell_ = shown_.glyphs->cell();
  return false;
}

render::FrameOptions LiveSettings::frame_options() const {
  return session::frame_options(wanted_);
}

render::RenderSetup LiveSettings::setup(GridSize grid) const {
  return {.grid = grid,
          .fit = shown_.settings.fit,
          .glyphs = shown_.glyphs,
          .mapping = shown_.mapping,
          .tables = shown_.tables};
}

}  // namespace glyphreel::player
