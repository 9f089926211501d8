#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/geometry.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "cli/options/settings.h"
#include "mapping/tables/glyph_tables.h"
#include "mapping/shared/parameters.h"
#include "text/glyph_set.h"

namespace glyphreel::player {

/// The results of the slow part of changing glyphs: what configure() needs besides the grid.
struct LoadedGlyphs {
  cli::Settings settings;  ///< that it was made for
  std::shared_ptr<const text::GlyphSet> glyphs;
  mapping::Parameters mapping;
  std::shared_ptr<const mapping::GlyphTables> tables;
};

struct GlyphRequest {
  cli::Settings settings;
  CellSize cell;
  LoadedGlyphs shown = {};  ///< current; its glyph set is reused if it is the requested one
};

/// Draws and measures the glyphs; takes milliseconds to seconds. Errors: Usage: charset, ramp, font.
[[nodiscard]] Result<LoadedGlyphs> load_glyphs(const GlyphRequest& request);

/// Runs load_glyphs() on its own thread, so that playback continues meanwhile. It loads one request at a
/// time; a newer request replaces unfinished ones, whose results are dropped.
/// Thread-safety: one thread.
class GlyphLoader {
 public:
  /// Both are called on the loading thread when a result is ready: first `prepare` with the glyphs, for
  /// other work that can be done before configure(), then `on_loaded`, which must only wake the player.
  /// `prepare` may be empty.
  struct Options {
    std::function<void(const LoadedGlyphs&)> prepare;
    std::function<void()> on_loaded;
  };
  explicit GlyphLoader(Options options);
  /// Waits for the load in progress.
  ~GlyphLoader();
  GlyphLoader(const GlyphLoader&) = delete;
  GlyphLoader& operator=(const GlyphLoader&) = delete;

  /// Starts loading. The first request starts the thread; if that fails, the error is the request's result.
  void request(GlyphRequest request) EXCLUDES(mutex_);
  /// Returns the newest request's result, once; empty until it is ready.
  [[nodiscard]] std::optional<Result<LoadedGlyphs>> poll() EXCLUDES(mutex_);

 private:
  void start() EXCLUDES(mutex_);
  void work(const std::stop_token& stop) EXCLUDES(mutex_);

  Options options_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<GlyphRequest> next_ GUARDED_BY(mutex_);
  std::optional<Result<LoadedGlyphs>> done_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace glyphreel::player
