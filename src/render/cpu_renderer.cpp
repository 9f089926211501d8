#include <cstring>
#include <deque>
#include <optional>
#include <utility>

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
    return {};
  }

  void adjust(const mapping::Adjustments& adjustments) override {
    if (mapper_) mapper_->adjust(adjustments);
  }

  Result<void> submit(const Frame& frame) override {
    CHECK(mapper_.has_value(), "a frame was submitted before configure()");
    RenderedFrame rendered{.pts = frame.pts, .duration = frame.duration, .grid = setup_.grid};
    const std::size_t cell_count = static_cast<std::size_t>(setup_.grid.cells());
    std::shared_ptr<const HostBlock> cell_block = heap_->acquire(cell_count * sizeof(Cell));
    if (!cell_block) return Error{ErrorCode::Failed, "Out of memory for the grid of cells.", {}};
    auto* cells = reinterpret_cast<Cell*>(cell_block->bytes);
    {
      const ScopedStage stage(times_, Stage::Map);
      mapper_->map(frame.view, mapping::frame_time(frame), pool_, cells);
    }
    if (setup_.picture != PictureFormat::None) {
      TRY_ASSIGN(rendered.picture, draw(cells));
    }
    rendered.cells = {cells, cell_count};
    rendered.owner = std::move(cell_block);
    finished_.push_back(std::move(rendered));
    return {};
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
  Result<Picture> draw(const Cell* cells) {
    const ScopedStage stage(times_, Stage::Draw);
    HostMemory& memory = setup_.picture_memory != nullptr ? *setup_.picture_memory : *heap_;
    std::shared_ptr<const HostBlock> block = memory.acquire(layout_.bytes);
    if (!block) block = heap_->acquire(layout_.bytes);
    if (!block) return Error{ErrorCode::Failed, "Out of memory for a drawn picture.", {}};
    Picture picture = make_picture(setup_.picture, layout_, std::move(block));
    const CellSize cell = setup_.glyphs->cell();
    const DrawJob job{.cells = cells,
                      .masks = setup_.glyphs->masks().data(),
                      .grid = setup_.grid,
                      .cell = cell,
                      .picture = &picture};
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
  std::deque<RenderedFrame> finished_;
};

}  // namespace

std::unique_ptr<Renderer> make_cpu_renderer(int threads, StageTimes& times) {
  return std::make_unique<CpuRenderer>(threads, times);
}

}  // namespace glyphreel::render
