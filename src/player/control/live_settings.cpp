#include "player/control/live_settings.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "mapping/tables/sample_plan.h"
#include "session/input_palette.h"
#include "session/setup.h"
#include "text/fonts/font_search.h"

namespace glyphreel::player {
namespace {

/// Whether `a` and `b` use the same characters of the same font.
bool same_characters(const cli::Settings& a, const cli::Settings& b) {
  const auto own_ramp = [](const cli::Settings& settings) {
    return settings.glyphs.mode == Mode::Ramp ? settings.glyphs.ramp : std::string();
  };
  return a.layout.font == b.layout.font && a.glyphs.charset == b.glyphs.charset && own_ramp(a) == own_ramp(b);
}

/// Rasterizes and measures the glyphs, which takes milliseconds to seconds. `shown`: the current glyphs,
/// which are reused if the characters, the font and the cell size are unchanged. Without current glyphs,
/// `settings` must already contain the palette's colors. Errors: Usage if the charset, ramp, font or new
/// palette is invalid.
Result<LoadedGlyphs> load_glyphs(const cli::Settings& settings, CellSize cell,
                                 std::span<const text::CharacterRange> missing, const LoadedGlyphs& shown) {
  LoadedGlyphs loaded{.settings = settings};
  if (settings.picture.palette_file != shown.settings.picture.palette_file && shown.setup.glyphs) {
    loaded.settings.picture.palette.clear();
    TRY_ASSIGN(loaded.settings, session::with_palette(std::move(loaded.settings)));
    TRY_ASSIGN(loaded.settings, session::with_input_palette(std::move(loaded.settings)));
  }
  loaded.setup = {.fit = settings.layout.fit,
                  .glyphs = shown.setup.glyphs,
                  .mapping = session::mapping_parameters(loaded.settings)};
  render::RenderSetup& setup = loaded.setup;
  if (!setup.glyphs || setup.glyphs->cell() != cell || !same_characters(shown.settings, settings)) {
    TRY_ASSIGN(setup.glyphs, session::make_glyphs(settings, cell, missing));
  }
  const GridSize samples = mapping::samples_per_cell(cell, setup.mapping.sampling);
  TRY_ASSIGN(mapping::GlyphTables tables, mapping::make_glyph_tables(*setup.glyphs, setup.mapping, samples));
  setup.tables = std::make_shared<const mapping::GlyphTables>(std::move(tables));
  return loaded;
}

/// Checks whether the palette, the font and the charset in `settings` exist, if they differ from those in
/// `before`. Errors: Usage if one of them does not exist.
Result<void> check_names(const cli::Settings& settings, const cli::Settings& before,
                         std::span<const text::CharacterRange> missing) {
  if (settings.picture.palette_file != before.picture.palette_file) {
    // Leave a pipe to the background thread: a pipe can be read only once, and reading it may block.
    std::error_code ignored;
    if (!std::filesystem::is_fifo(settings.picture.palette_file, ignored))
      TRY(session::with_palette(settings));
    if (session::has_input_palette(settings)) TRY(session::input_palette_size(settings));
  }
  if (settings.layout.font != before.layout.font) TRY(text::find_font(settings.layout.font));
  if (settings.glyphs.charset != before.glyphs.charset)
    TRY(text::resolve_charset(settings.glyphs.charset, settings.layout.font, missing));
  return {};
}

/// Copies the settings that determine the glyphs and the palette. Loading these can fail.
void copy_glyph_settings(cli::Settings& to, const cli::Settings& from) {
  to.glyphs.mode = from.glyphs.mode;
  to.glyphs.charset = from.glyphs.charset;
  to.glyphs.ramp = from.glyphs.ramp;
  to.glyphs.thresholds = from.glyphs.thresholds;
  to.layout.font = from.layout.font;
  to.layout.cell = from.layout.cell;
  to.layout.grid = from.layout.grid;
  to.picture.color = from.picture.color;
  to.picture.palette_file = from.picture.palette_file;
  to.picture.palette = from.picture.palette;
}

}  // namespace

Result<std::unique_ptr<LiveSettings>> LiveSettings::make(Options options) {
  TRY_ASSIGN(LoadedGlyphs first, load_glyphs(options.initial, options.cell_for(options.initial), {}, {}));
  return std::unique_ptr<LiveSettings>(new LiveSettings(std::move(options), std::move(first)));
}

LiveSettings::LiveSettings(Options options, LoadedGlyphs first)
    : options_(std::move(options)),
      wanted_(options_.initial),
      shown_(std::move(first)),
      requested_cell_(cell()) {}

void LiveSettings::press(PictureStep step, std::optional<CellSize> shown_cell) {
  if (step.property == PictureProperty::Charset) charset_step_ = step;
  apply(apply_step(wanted_, step, options_.initial, shown_cell));
}

Result<void> LiveSettings::set(PictureProperty property, std::string_view value) {
  cli::Settings changed = wanted_;
  TRY_ASSIGN(const PictureChange change, set_value(changed, property, value));
  TRY(check_names(changed, wanted_, missing_));
  wanted_ = std::move(changed);
  if (change.needs_glyphs) charset_step_.reset();
  apply(change);
  return {};
}

Result<void> LiveSettings::leave_out(std::vector<text::CharacterRange> missing) {
  missing_ = std::move(missing);
  const std::string fallback = fallback_of(wanted_);
  if (fallback.empty()) return {};
  TRY_ASSIGN(shown_, load_glyphs(wanted_, cell(), missing_, {}));
  options_.announce(fmt::format("This terminal cannot show all characters; drawing with {}", fallback));
  return {};
}

/// Describes what is drawn instead of the missing characters of the charset; empty: none are missing.
std::string LiveSettings::fallback_of(const cli::Settings& settings) const {
  if (missing_.empty() || (settings.glyphs.mode == Mode::Ramp && !settings.glyphs.ramp.empty())) return {};
  const auto charset = text::resolve_charset(settings.glyphs.charset, settings.layout.font, missing_);
  return charset ? charset->fallback : std::string();
}

void LiveSettings::apply(const PictureChange& change) {
  const std::string fallback = change.needs_glyphs ? fallback_of(wanted_) : std::string();
  options_.announce(fallback.empty() ? change.message : fmt::format("{} ({})", change.message, fallback));
  if (!change.needs_glyphs) return;
  failed_charsets_ = 0;
  request();
}

void LiveSettings::sync_cell() {
  if (options_.cell_for(wanted_) != requested_cell_) request();
}

void LiveSettings::request() {
  requests_.push_back(wanted_);
  requested_cell_ = options_.cell_for(wanted_);
  is_outdated_ = loading_ != nullptr;
  if (!loading_) start_loading();
}

/// Starts to load the glyphs for the newest request. Only one request is loaded at a time: if a newer request
/// arrives meanwhile, poll() drops the loaded glyphs and loads the newer request. If the newest request
/// fails, poll() loads the request before it.
void LiveSettings::start_loading() {
  const auto load = [settings = wanted_, cell = requested_cell_, missing = missing_, shown = shown_,
                     warm_up = options_.warm_up](const std::stop_token&) -> Result<LoadedGlyphs> {
    TRY_ASSIGN(LoadedGlyphs loaded, load_glyphs(settings, cell, missing, shown));
    if (warm_up) warm_up(loaded.setup);
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
    requests_.clear();
    shown_ = **std::move(loaded);
    wanted_.picture.palette = shown_.settings.picture.palette;
    return true;
  }
  const Error& error = loaded->error();
  requests_.pop_back();
  const bool new_charset = wanted_.glyphs.charset != shown_.settings.glyphs.charset;
  if (new_charset && charset_step_ && ++failed_charsets_ < charset_count(options_.initial)) {
    // The charset cannot be loaded, for example because no font has its characters. Skip it.
    const std::string refused = wanted_.glyphs.charset;
    const PictureChange next = apply_step(wanted_, *charset_step_, options_.initial, std::nullopt);
    options_.announce(fmt::format("{}; {} was skipped: {}", next.message, refused, error.message));
    request();
    return false;
  }
  options_.announce(error.message);
  // Return to the newest request whose settings differ from the failed ones. If there is none, return to the
  // settings of the glyphs on screen.
  const cli::Settings failed = wanted_;
  for (; wanted_ == failed && !requests_.empty(); requests_.pop_back())
    copy_glyph_settings(wanted_, requests_.back());
  if (wanted_ == failed) copy_glyph_settings(wanted_, shown_.settings);
  if (wanted_ != failed && wanted_ != shown_.settings) {
    request();
  } else {
    requested_cell_ = cell();
  }
  return false;
}

render::FrameOptions LiveSettings::frame_options() const {
  return session::frame_options(wanted_);
}

render::RenderSetup LiveSettings::setup(GridSize grid) const {
  render::RenderSetup setup = shown_.setup;
  setup.may_resize = true;
  setup.grid = grid;
  return setup;
}

}  // namespace glyphreel::player
