#include "commands/record_kit.h"

#include <utility>

#include "commands/offline.h"
#include "mapping/tables/sample_plan.h"
#include "media/input/content_hash.h"
#include "session/setup.h"

namespace glyphreel::commands {

Result<std::shared_ptr<const text::GlyphSet>> RecordKit::glyphs(const cli::Settings& settings,
                                                                CellSize cell) {
  GlyphKey key{settings.layout.font, settings.glyphs.charset, settings.glyphs.ramp,
               settings.look,        settings.glyphs.mode,    cell};
  if (glyphs_ == nullptr || key != glyph_key_) {
    TRY_ASSIGN(glyphs_, session::make_glyphs(settings, cell));
    glyph_key_ = std::move(key);
  }
  return glyphs_;
}

Result<void> RecordKit::add_tables(render::RenderSetup& setup) {
  if (tables_ == nullptr || table_glyphs_ != setup.glyphs || !(table_key_ == setup.mapping)) {
    const GridSize samples = mapping::samples_per_cell(setup.glyphs->cell(), setup.mapping.sampling);
    TRY_ASSIGN(mapping::GlyphTables made, mapping::make_glyph_tables(*setup.glyphs, setup.mapping, samples));
    tables_ = std::make_shared<const mapping::GlyphTables>(std::move(made));
    table_glyphs_ = setup.glyphs;
    table_key_ = setup.mapping;
  }
  setup.tables = tables_;
  return {};
}

Result<render::Renderer*> RecordKit::renderer(const cli::Settings& settings, session::Statistics& statistics,
                                              media::DeferredHwDecode& hardware) {
  RendererKey key{settings.engine.renderer, settings.engine.device, settings.engine.threads};
  if (renderer_ == nullptr || key != renderer_key_) {
    renderer_.reset();
    cli::Settings chosen = settings;
    if (!options_.may_use_gpu) chosen.engine.renderer = cli::RendererChoice::Cpu;
    TRY_ASSIGN(renderer_, make_offline_renderer(chosen, options_.together, times_, statistics_, hardware_));
    renderer_key_ = std::move(key);
  }
  statistics.gpu = statistics_.gpu;
  statistics.driver = statistics_.driver;
  statistics.renderer = statistics_.renderer;
  statistics.renderer_reason = statistics_.renderer_reason;
  statistics.device_ms = statistics_.device_ms;
  statistics.pipelines_ms = statistics_.pipelines_ms;
  hardware.bind(hardware_.context().value_or(media::HwDecodeContext{}));
  return renderer_.get();
}

render::Renderer& RecordKit::cpu_renderer(int threads) {
  if (cpu_renderer_ == nullptr) cpu_renderer_ = render::make_cpu_renderer(threads, times_);
  return *cpu_renderer_;
}

Result<std::string> glyph_fingerprint(const cli::Settings& settings) {
  TRY_ASSIGN(const std::shared_ptr<const text::GlyphSet> glyphs,
             session::make_glyphs(settings, settings.layout.cell));
  std::string bytes(glyphs->masks().begin(), glyphs->masks().end());
  for (int i = 0; i < glyphs->size(); ++i) bytes += glyphs->utf8(i);
  return media::content_hash_of(bytes);
}

}  // namespace glyphreel::commands
