#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/thread_pool.h"
#include "mapping/cell_mapper.h"
#include "render/draw_kernels.h"
#include "render/picture_layout.h"
#include "render/renderer.h"

namespace glyphreel::render {
namespace {

/// Does a frame's whole work in submit(), on all threads of its pool.
class CpuRenderer final : public Renderer {
 public:
  CpuRenderer(int threads, StageTimes& times) : pool_(threads), times_(times) {
    times_.set_engine(Stage::Map, description());
    times_.set_engine(Stage::Draw, description());
  }

  Result<void> configure(const RenderSetup& setup) override {
    TRY_ASSIGN(mapper_, mapping::CellMapper::make(*setup.glyphs, setup.grid, setup.fit, setup.mapping,
                                                  mapping::best_kernels(), setup.tables.get()));
    setup_ = setup;
    layout_ = picture_layout(setup.picture, setup.grid, setup.glyphs->cell());
    finished_.clear();
    inks_.clear();
    atlas_.clear();
    atlas_of_.reset();
    mapped_.reset();
    return {};
  }

  void adjust(const mapping::Adjustments& adjustments) override {
    if (mapper_) mapper_->adjust(adjustments);
  }

  void set_effect(Effect effect) override { setup_.effect = effect; }

  void set_overlay(std::shared_ptr<const Overlay> overlay) override { overlay_ = std::move(overlay); }

  Result<void> submit(const Frame& frame) override {
    CHECK(mapper_.has_value(), "a frame was submitted before configure()");
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, cell_block());
    {
      const ScopedStage stage(times_, Stage::Map);
      mapper_->map(frame.view, mapping::frame_time(frame), pool_, reinterpret_cast<Cell*>(block->bytes));
    }
    mapped_ = std::move(block);
    pts_ = frame.pts;
    time_ = effect_time(frame);
    duration_ = frame.duration;
    TRY_ASSIGN(RenderedFrame rendered, finish());
    finished_.push_back(std::move(rendered));
    return {};
  }

  Result<RenderedFrame> redraw() override {
    CHECK(mapper_.has_value(), "redraw() before configure()");
    CHECK(finished_.empty(), "redraw() before all frames were collected");
    return finish();
  }

  Result<RenderedFrame> collect() override {
    CHECK(!finished_.empty(), "collect() without a submitted frame");
    RenderedFrame rendered = std::move(finished_.front());
    finished_.pop_front();
    return rendered;
  }

  int depth() const override { return 1; }
  HostMemory* frame_memory() override { return nullptr; }
  std::string description() const override {
    return fmt::format("CPU, {} thread{}, {}", pool_.size(), pool_.size() == 1 ? "" : "s",
                       mapping::best_kernels().name);
  }
  std::uint64_t bytes_copied() const override { return 0; }

 private:
  Result<std::shared_ptr<const HostBlock>> cell_block() {
    std::shared_ptr<const HostBlock> block =
        heap_->acquire(static_cast<std::size_t>(setup_.grid.cells()) * sizeof(Cell));
    if (block) return block;
    return Error{ErrorCode::Failed, "Out of memory for the grid of cells.", {}};
  }

  /// What has been mapped last, with the effect and under the text of now: cells and picture.
  Result<RenderedFrame> finish() {
    const Overlay* overlay = overlay_.get();
    if (!lies_over(overlay, setup_.grid, setup_.glyphs->cell())) overlay = nullptr;
    RenderedFrame rendered{
        .pts = mapped_ ? pts_ : 0, .duration = mapped_ ? duration_ : 0, .grid = setup_.grid};
    std::shared_ptr<const HostBlock> block = mapped_;
    if (mapped_ && setup_.effect != Effect::None) {
      TRY_ASSIGN(block, play());
    }
    if (overlay != nullptr || !mapped_) {
      TRY_ASSIGN(block, compose(block, overlay));
      if (overlay != nullptr) rendered.overlay_glyphs = overlay->glyphs;
    }
    const auto* cells = reinterpret_cast<const Cell*>(block->bytes);
    if (setup_.picture != PictureFormat::None) {
      TRY_ASSIGN(rendered.picture,
                 draw(cells, overlay != nullptr ? atlas_.data() : setup_.glyphs->masks().data()));
    }
    rendered.cells = {cells, static_cast<std::size_t>(setup_.grid.cells())};
    rendered.owner = std::move(block);
    return rendered;
  }

  /// The effect's cells, made from the mapped ones.
  Result<std::shared_ptr<const HostBlock>> play() {
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, cell_block());
    const mapping::GlyphTables& tables = mapper_->tables();
    const EffectParameters parameters =
        effect_parameters(setup_.effect, time_, setup_.glyphs->cell(), tables.parameters);
    const auto* mapped = reinterpret_cast<const Cell*>(mapped_->bytes);
    auto* played = reinterpret_cast<Cell*>(block->bytes);
    pool_.parallel_for(setup_.grid.rows, [&](int row, int) {
      play_row(parameters, tables.words.data(), mapped, row, played);
    });
    return block;
  }

  /// The cells of `under`, black ones where it is null, with `overlay` (null: nothing) over them.
  Result<std::shared_ptr<const HostBlock>> compose(const std::shared_ptr<const HostBlock>& under,
                                                   const Overlay* overlay) {
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, cell_block());
    if (inks_.empty()) inks_ = mean_inks(*setup_.glyphs);
    if (overlay != nullptr && atlas_of_ != overlay->glyphs) {
      atlas_ = setup_.glyphs->masks();
      atlas_.insert(atlas_.end(), overlay->glyphs->masks.begin(), overlay->glyphs->masks.end());
      atlas_of_ = overlay->glyphs;
    }
    const OverlayParameters parameters =
        overlay_parameters(*setup_.glyphs, setup_.grid, overlay, under != nullptr);
    const Cell* picture = under ? reinterpret_cast<const Cell*>(under->bytes) : nullptr;
    for (int row = 0; row < setup_.grid.rows; ++row) {
      compose_row(parameters, picture, inks_.data(), overlay, row, reinterpret_cast<Cell*>(block->bytes));
    }
    return block;
  }

  Result<Picture> draw(const Cell* cells, const std::uint8_t* masks) {
    const ScopedStage stage(times_, Stage::Draw);
    HostMemory& memory = setup_.picture_memory != nullptr ? *setup_.picture_memory : *heap_;
    std::shared_ptr<const HostBlock> block = memory.acquire(layout_.bytes);
    if (!block) block = heap_->acquire(layout_.bytes);
    if (!block) return Error{ErrorCode::Failed, "Out of memory for a drawn picture.", {}};
    Picture picture = make_picture(setup_.picture, layout_, std::move(block));
    const CellSize cell = setup_.glyphs->cell();
    const DrawJob job{.cells = cells, .masks = masks, .grid = setup_.grid, .cell = cell, .picture = &picture};
    const DrawKernels& kernels = best_draw_kernels();
    if (setup_.picture == PictureFormat::Bgra8) {
      pool_.parallel_for(setup_.grid.rows, [&](int row, int) { kernels.draw_bgra_row(job, row); });
      return picture;
    }
    const bool even_cells = cell.width % 2 == 0 && cell.height % 2 == 0;
    pool_.parallel_for(setup_.grid.rows, [&](int row, int) {
      kernels.draw_luma_row(job, row);
      if (even_cells) kernels.draw_chroma_row(job, row);
    });
    if (!even_cells) {
      draw_yuv_padding(job);
      pool_.parallel_for(layout_.size.height / 2, [&](int row, int) { draw_chroma_exactly(job, row, row + 1); });
    }
    return picture;
  }

  ThreadPool pool_;
  StageTimes& times_;
  std::unique_ptr<HostMemory> heap_ = make_heap_memory();
  RenderSetup setup_;
  PictureLayout layout_;
  std::optional<mapping::CellMapper> mapper_;
  std::shared_ptr<const HostBlock>
      mapped_;            ///< cells of the frame submitted last; null: none since configure()
  std::int64_t pts_ = 0;  ///< of that frame, and the next
  std::int64_t duration_ = 0;
  std::uint32_t time_ = 0;  ///< of that frame, for effects
  std::deque<RenderedFrame> finished_;

  std::shared_ptr<const Overlay> overlay_;
  std::vector<std::uint8_t> inks_;   ///< of the picture's glyphs; empty until there is text over them
  std::vector<std::uint8_t> atlas_;  ///< masks of the picture's glyphs and of the text's
  std::shared_ptr<const OverlayGlyphs> atlas_of_;  ///< the text's glyphs in there
};

}  // namespace

std::unique_ptr<Renderer> make_cpu_renderer(int threads, StageTimes& times) {
  return std::make_unique<CpuRenderer>(threads, times);
}

}  // namespace glyphreel::render
