#include "player/control/glyph_loader.h"

#include <utility>

#include "base/threads/thread.h"
#include "mapping/tables/sample_plan.h"
#include "session/setup.h"

namespace glyphreel::player {
namespace {

/// Whether both use the same characters of the same font.
bool same_characters(const cli::Settings& a, const cli::Settings& b) {
  const auto own_ramp = [](const cli::Settings& settings) {
    return settings.mode == cli::Mode::Ramp ? settings.ramp : std::string();
  };
  return a.font == b.font && a.charset == b.charset && own_ramp(a) == own_ramp(b);
}

}  // namespace

Result<LoadedGlyphs> load_glyphs(const GlyphRequest& request) {
  LoadedGlyphs loaded{.settings = request.settings, .mapping = session::mapping_parameters(request.settings)};
  const LoadedGlyphs& shown = request.shown;
  if (shown.glyphs && shown.glyphs->cell() == request.cell &&
      same_characters(shown.settings, request.settings)) {
    loaded.glyphs = shown.glyphs;
  } else {
    TRY_ASSIGN(loaded.glyphs, session::make_glyphs(request.settings, request.cell));
  }
  TRY_ASSIGN(mapping::GlyphTables tables,
             mapping::make_glyph_tables(*loaded.glyphs, loaded.mapping,
                                        mapping::samples_per_cell(request.cell, loaded.mapping.sampling)));
  loaded.tables = std::make_shared<const mapping::GlyphTables>(std::move(tables));
  return loaded;
}

GlyphLoader::GlyphLoader(Options options) : options_(std::move(options)) {}

GlyphLoader::~GlyphLoader() {
  thread_.request_stop();
}

void GlyphLoader::request(GlyphRequest request) {
  {
    const std::lock_guard lock(mutex_);
    next_ = std::move(request);
    done_.reset();
  }
  if (!thread_.joinable()) start();
  wake_.notify_one();
}

void GlyphLoader::start() {
  Result<std::jthread> started = start_thread("glyphs", [this](const std::stop_token& stop) { work(stop); });
  if (started) {
    thread_ = *std::move(started);
    return;
  }
  const std::lock_guard lock(mutex_);
  next_.reset();
  done_ = std::move(started.error());
}

std::optional<Result<LoadedGlyphs>> GlyphLoader::poll() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, std::nullopt);
}

void GlyphLoader::work(const std::stop_token& stop) {
  while (true) {
    GlyphRequest request;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return next_.has_value(); })) return;
      request = *std::exchange(next_, std::nullopt);
    }
    Result<LoadedGlyphs> loaded = catching([&]() -> Result<LoadedGlyphs> {
      TRY_ASSIGN(LoadedGlyphs glyphs, load_glyphs(request));
      if (options_.prepare) options_.prepare(glyphs);
      return glyphs;
    });
    {
      const std::lock_guard lock(mutex_);
      if (next_) continue;  // a newer request is waiting
      done_ = std::move(loaded);
    }
    options_.on_loaded();
  }
}

}  // namespace glyphreel::player
