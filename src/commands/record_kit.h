#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "mapping/tables/glyph_tables.h"
#include "media/hwdec/hw_decode_choice.h"
#include "render/renderer.h"
#include "session/statistics.h"
#include "text/glyph_set.h"

namespace glyphreel::commands {

/// What successive recordings with equal settings share: glyphs, their tables and the renderer, which take
/// far longer to make than a small picture takes to convert. Makes them again when settings change.
/// Thread-safety: one thread at a time, and one recording at a time.
class RecordKit {
 public:
  struct Options {
    int together = 1;         ///< see gpu::make_gpu_renderer()
    bool may_use_gpu = true;  ///< false: the CPU renders, whatever --renderer is
  };
  RecordKit() : RecordKit(Options{}) {}
  explicit RecordKit(Options options) : options_(options) {}

  /// Returns the glyphs of these settings. Errors: those of session::make_glyphs().
  [[nodiscard]] Result<std::shared_ptr<const text::GlyphSet>> glyphs(const cli::Settings& settings,
                                                                     CellSize cell);
  /// Sets `setup.tables`. Errors: those of mapping::make_glyph_tables().
  [[nodiscard]] Result<void> add_tables(render::RenderSetup& setup);

  /// Returns the renderer of these settings, valid until the next call. Sets `statistics` and `hardware` as
  /// make_offline_renderer() does. Errors: those of make_offline_renderer().
  [[nodiscard]] Result<render::Renderer*> renderer(const cli::Settings& settings,
                                                   session::Statistics& statistics,
                                                   media::DeferredHwDecode& hardware);
  /// Returns a CPU renderer, valid as long as this object.
  [[nodiscard]] render::Renderer& cpu_renderer(int threads);
  /// Returns the times of all recordings.
  [[nodiscard]] StageTimes& times() { return times_; }

 private:
  /// The settings that glyphs depend on.
  struct GlyphKey {
    std::string font, charset, ramp, look;
    Mode mode = Mode::Shape;
    CellSize cell;
    bool operator==(const GlyphKey&) const = default;
  };
  /// The settings that the renderer depends on.
  struct RendererKey {
    cli::RendererChoice choice = cli::RendererChoice::Auto;
    std::string device;
    int threads = 0;
    bool operator==(const RendererKey&) const = default;
  };

  const Options options_;
  StageTimes times_;
  GlyphKey glyph_key_;
  std::shared_ptr<const text::GlyphSet> glyphs_;  ///< of glyph_key_; null before the first glyphs()
  mapping::Parameters table_key_;
  std::shared_ptr<const text::GlyphSet> table_glyphs_;  ///< what tables_ were made from
  std::shared_ptr<const mapping::GlyphTables> tables_;
  RendererKey renderer_key_;
  session::Statistics statistics_;  ///< what make_offline_renderer() wrote
  media::DeferredHwDecode hardware_;
  // Declared after times_, so that the renderers, which use it, are destroyed first.
  std::unique_ptr<render::Renderer> renderer_;      ///< of renderer_key_
  std::unique_ptr<render::Renderer> cpu_renderer_;  ///< null before the first cpu_renderer()
};

/// Returns a checksum of the shapes and code points of the glyphs that these settings select. Errors: those
/// of session::make_glyphs().
[[nodiscard]] Result<std::string> glyph_fingerprint(const cli::Settings& settings);

}  // namespace glyphreel::commands
