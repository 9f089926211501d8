#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/thread_pool.h"
#include "mapping/cell_mapper.h"
#include "render/cell_painter.h"
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
    painter_.configure(setup);
    finished_.clear();
    return {};
  }

  void adjust(const mapping::Adjustments& adjustments) override {
    if (mapper_) mapper_->adjust(adjustments);
  }

  void set_overlay(std::shared_ptr<const Overlay> overlay) override {
    painter_.set_overlay(std::move(overlay));
  }

  Result<void> submit(const Frame& frame) override {
    CHECK(mapper_.has_value(), "a frame was submitted before configure()");
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, painter_.cell_block());
    {
      const ScopedStage stage(times_, Stage::Map);
      mapper_->map(frame.view, mapping::frame_time(frame), pool_, reinterpret_cast<Cell*>(block->bytes));
    }
    painter_.set_cells(std::move(block), frame);
    TRY_ASSIGN(RenderedFrame rendered, painter_.paint());
    finished_.push_back(std::move(rendered));
    return {};
  }

  Result<RenderedFrame> redraw() override {
    CHECK(mapper_.has_value(), "redraw() before configure()");
    CHECK(finished_.empty(), "redraw() before all frames were collected");
    return painter_.paint();
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
  ThreadPool pool_;
  StageTimes& times_;
  CellPainter painter_{pool_, times_};
  std::optional<mapping::CellMapper> mapper_;
  std::deque<RenderedFrame> finished_;
};

}  // namespace

std::unique_ptr<Renderer> make_cpu_renderer(int threads, StageTimes& times) {
  return std::make_unique<CpuRenderer>(threads, times);
}

}  // namespace glyphreel::render
