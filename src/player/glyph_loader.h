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
#include "cli/settings.h"
#include "mapping/glyph_tables.h"
#include "mapping/parameters.h"
#include "text/glyph_set.h"

namespace glyphreel::player {

/// All that is slow about a change of glyphs, done: what configure() needs besides the grid.
struct LoadedGlyphs {
  cli::Settings settings;  ///< that it was made for
  std::shared_ptr<const text::GlyphSet> glyphs;
  mapping::Parameters mapping;
  std::shared_ptr<const mapping::GlyphTables> tables;
};

struct GlyphRequest {
  cli::Settings settings;
  CellSize cell;
  LoadedGlyphs shown = {};  ///< now; its glyph set is taken over where it is the one that is asked for
};

/// Draws and measures the glyphs: some milliseconds to seconds. Errors: Usage: charset, ramp, font.
[[nodiscard]] Result<LoadedGlyphs> load_glyphs(const GlyphRequest& request);

/// Does that on a thread of its own, so that the picture goes on meanwhile. One request at a time; a newer
/// one takes the place of those not done yet, whose results are dropped. Thread-safety: one thread.
class GlyphLoader {
 public:
  /// Both are called on the loading thread once a result is there: `prepare` with it, for what else can be
  /// made ahead of configure(), then `on_loaded`, a wake-up and no more. `prepare` may be empty.
  struct Options {
    std::function<void(const LoadedGlyphs&)> prepare;
    std::function<void()> on_loaded;
  };
  explicit GlyphLoader(Options options);
  /// Waits for the load under way.
  ~GlyphLoader();
  GlyphLoader(const GlyphLoader&) = delete;
  GlyphLoader& operator=(const GlyphLoader&) = delete;

  /// The thread starts with the first request; where it cannot, that is the request's result.
  void request(GlyphRequest request) EXCLUDES(mutex_);
  /// The newest request's result, once; empty while it is not there.
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
