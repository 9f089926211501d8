#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/threads/thread_pool.h"
#include "mapping/cell_mapper.h"
#include "mapping/lattice_sampler.h"
#include "mapping/recorded_cells.h"
#include "render/cell_compositor.h"
#include "render/renderer.h"

namespace glyphreel::render {
namespace {

/// Renders frames completely in submit(), on all threads of its pool.
class CpuRenderer final : public Renderer {
 public:
  CpuRenderer(int threads, StageTimes& times) : pool_(threads), times_(times) {
    times_.set_engine(Stage::Map, description());
    times_.set_engine(Stage::Draw, description());
  }

  Result<void> configure(const RenderSetup& setup) override {
    TRY_ASSIGN(mapper_, mapping::CellMapper::make(*setup.glyphs, setup.grid, setup.fit, setup.mapping,
                                                  mapping::best_kernels(), setup.tables.get()));
    painter_.configure(setup, &mapper_->tables());
    recorded_.configure(setup.glyphs, setup.grid, setup.mapping);
    setup_ = setup;
    mapped_ = {};
    finished_.reset();
    return {};
  }

  Result<void> submit(const Frame& frame, const FrameOptions& options) override {
    CHECK(mapper_.has_value(), "a frame was submitted before configure()");
    CHECK(!finished_.has_value(), "a frame was submitted before the last one was collected");
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, painter_.cell_block());
    std::shared_ptr<const HostBlock> source;
    auto* cells = reinterpret_cast<Cell*>(block->bytes);
    if (frame.cells != nullptr) {
      recorded_.translate(*frame.cells, cells);
    } else {
      TRY_ASSIGN(source, map(frame, options, cells));
    }
    mapped_ = {
        .pts = frame.pts, .duration = frame.duration, .cells = std::move(block), .source = std::move(source)};
    mapped_time_ = effect_time(frame);
    TRY_ASSIGN(finished_, finish(options));
    return {};
  }

  Result<RenderedFrame> redraw(const FrameOptions& options) override {
    CHECK(mapper_.has_value(), "redraw() before configure()");
    CHECK(!finished_.has_value(), "redraw() before all frames were collected");
    return finish(options);
  }

  Result<RenderedFrame> collect() override {
    CHECK(finished_.has_value(), "collect() without a submitted frame");
    return *std::exchange(finished_, std::nullopt);
  }

  std::string description() const override {
    return fmt::format("CPU, {} thread{}, {}", pool_.size(), pool_.size() == 1 ? "" : "s",
                       mapping::best_kernels().name);
  }
  std::uint64_t bytes_copied() const override { return bytes_copied_; }

 private:
  /// Maps a frame to `cells`. Returns the scaled source video for the wipe; null without a wipe.
  Result<std::shared_ptr<const HostBlock>> map(const Frame& frame, const FrameOptions& options, Cell* cells) {
    TRY_ASSIGN(const Frame host, on_host(frame, nullptr));
    bytes_copied_ += host.bytes_copied - frame.bytes_copied;
    const ScopedStage stage(times_, Stage::Map);
    mapper_->map(host.view, mapping::frame_time(host), pool_, cells, options.adjustments);
    if (!options.wipe || setup_.picture == PictureFormat::None) return std::shared_ptr<const HostBlock>();
    return scaled_source(host.view);
  }

  /// Applies effect and text to the last mapped frame and draws its picture.
  Result<RenderedFrame> finish(const FrameOptions& options) {
    MappedFrame shown = mapped_;
    if (shown.cells && options.effect != Effect::None) {
      TRY_ASSIGN(shown.cells, play(options.effect));
    }
    return painter_.paint(shown, options);
  }

  /// Returns the frame scaled to the pixels of the grid, for the wipe.
  Result<std::shared_ptr<const HostBlock>> scaled_source(const FrameView& frame) {
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, painter_.source_block());
    const CellSize cell = setup_.glyphs->cell();
    const mapping::SampleKey cells =
        mapping::sample_key(frame, setup_.grid, cell, setup_.fit, setup_.mapping);
    scaler_.scale(frame, mapping::pixel_key(cells, cell), pool_,
                  reinterpret_cast<std::uint32_t*>(block->bytes));
    return block;
  }

  /// Returns the cells of the last mapped frame with the effect applied.
  Result<std::shared_ptr<const HostBlock>> play(Effect effect) {
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, painter_.cell_block());
    const mapping::GlyphTables& tables = mapper_->tables();
    const EffectParameters parameters =
        effect_parameters(effect, mapped_time_, setup_.glyphs->cell(), tables.parameters);
    const auto* mapped = reinterpret_cast<const Cell*>(mapped_.cells->bytes);
    auto* played = reinterpret_cast<Cell*>(block->bytes);
    pool_.parallel_for(setup_.grid.rows, [&](int row, int) {
      apply_effect_row(parameters, tables.words.data(), mapped, row, played);
    });
    return block;
  }

  ThreadPool pool_;
  StageTimes& times_;
  CellCompositor painter_{pool_, times_};
  mapping::RecordedCells recorded_;
  RenderSetup setup_;
  std::optional<mapping::CellMapper> mapper_;
  mapping::SourceScaler scaler_;
  MappedFrame mapped_;  ///< the last frame, without effect; `cells` are null until the first submit()
  std::uint32_t mapped_time_ = 0;          ///< effect_time() of the frame in `mapped_`
  std::optional<RenderedFrame> finished_;  ///< the submitted frame until it is collected
  std::uint64_t bytes_copied_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> make_cpu_renderer(int threads, StageTimes& times) {
  return std::make_unique<CpuRenderer>(threads, times);
}

}  // namespace glyphreel::render
