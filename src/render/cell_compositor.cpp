#include "render/cell_compositor.h"

#include <utility>

#include "render/draw_kernels.h"
#include "render/wipe.h"

namespace glyphreel::render {

void CellCompositor::configure(const RenderSetup& setup, const mapping::GlyphTables* tables) {
  setup_ = setup;
  tables_ = tables;
  canvas_.clear();
  scratch_.clear();
  layout_ = picture_layout(setup.picture, setup.grid, setup.glyphs->cell());
  coverage_.clear();
  atlas_.clear();
  atlas_of_.reset();
}

Result<std::shared_ptr<const HostBlock>> CellCompositor::cell_block() {
  std::shared_ptr<const HostBlock> block =
      heap_->acquire(static_cast<std::size_t>(setup_.grid.cells()) * sizeof(Cell));
  if (block) return block;
  return Error{ErrorCode::Failed, "Out of memory for the grid of cells; choose a smaller grid."};
}

Result<std::shared_ptr<const HostBlock>> CellCompositor::source_block() {
  const CellSize cell = setup_.glyphs->cell();
  std::shared_ptr<const HostBlock> block =
      heap_->acquire(static_cast<std::size_t>(setup_.grid.cells()) *
                     static_cast<std::size_t>(cell.width * cell.height) * sizeof(std::uint32_t));
  if (block) return block;
  return Error{ErrorCode::Failed, "Out of memory for the scaled source video; choose a smaller grid."};
}

Result<RenderedFrame> CellCompositor::paint(const MappedFrame& mapped, const FrameOptions& options) {
  const Overlay* overlay = options.overlay.get();
  if (!fits_grid(overlay, setup_.grid, setup_.glyphs->cell())) overlay = nullptr;
  RenderedFrame rendered{.pts = mapped.pts, .duration = mapped.duration, .grid = setup_.grid};
  std::shared_ptr<const HostBlock> block = mapped.cells;
  if (overlay != nullptr || !block) {
    TRY_ASSIGN(block, compose(mapped.cells.get(), overlay));
    if (overlay != nullptr) rendered.overlay_glyphs = overlay->glyphs;
  }
  const auto* cells = reinterpret_cast<const Cell*>(block->bytes);
  if (setup_.picture != PictureFormat::None) {
    const ScopedStage stage(times_, Stage::Draw);
    TRY_ASSIGN(
        rendered.picture,
        draw(cells, overlay != nullptr ? atlas_.data() : setup_.glyphs->masks().data(), options.light));
    draw_over(mapped, options, rendered.picture);
  }
  rendered.cells = {cells, static_cast<std::size_t>(setup_.grid.cells())};
  rendered.owner = std::move(block);
  return rendered;
}

/// Returns a copy of the cells of `mapped` (null: black cells) with the text of `overlay` (null: no text).
Result<std::shared_ptr<const HostBlock>> CellCompositor::compose(const HostBlock* mapped,
                                                                 const Overlay* overlay) {
  TRY_ASSIGN(std::shared_ptr<const HostBlock> block, cell_block());
  if (coverage_.empty()) coverage_ = mean_coverage(*setup_.glyphs);
  if (overlay != nullptr && atlas_of_ != overlay->glyphs) {
    atlas_ = setup_.glyphs->masks();
    atlas_.insert(atlas_.end(), overlay->glyphs->masks.begin(), overlay->glyphs->masks.end());
    atlas_of_ = overlay->glyphs;
  }
  const OverlayParameters parameters =
      overlay_parameters(*setup_.glyphs, setup_.grid, overlay, mapped != nullptr);
  const Cell* picture = mapped != nullptr ? reinterpret_cast<const Cell*>(mapped->bytes) : nullptr;
  for (int row = 0; row < setup_.grid.rows; ++row) {
    compose_row(parameters, picture, coverage_.data(), overlay, row, reinterpret_cast<Cell*>(block->bytes));
  }
  return block;
}

Result<Picture> CellCompositor::draw(const Cell* cells, const std::uint8_t* masks, PixelLight light) {
  HostMemory& memory = setup_.picture_memory != nullptr ? *setup_.picture_memory : *heap_;
  std::shared_ptr<const HostBlock> block = memory.acquire(layout_.bytes);
  if (!block) block = heap_->acquire(layout_.bytes);
  if (!block) return Error{ErrorCode::Failed, "Out of memory for rendered frames; choose a smaller grid."};
  Picture picture = make_picture(setup_.picture, layout_, std::move(block));
  const CellSize cell = setup_.glyphs->cell();
  const DrawJob job{.cells = cells, .masks = masks, .grid = setup_.grid, .cell = cell, .picture = &picture};
  if (light.is_on() && tables_ != nullptr) {
    draw_lit(job, light);
    return picture;
  }
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
    pool_.parallel_for(layout_.size.height / 2,
                       [&](int row, int) { draw_chroma_exactly(job, row, row + 1); });
  }
  return picture;
}

void CellCompositor::draw_over(const MappedFrame& mapped, const FrameOptions& options,
                               const Picture& picture) {
  const CellSize cell = setup_.glyphs->cell();
  if (options.wipe && mapped.source) {
    const Extent grid{setup_.grid.columns * cell.width, setup_.grid.rows * cell.height};
    const Wipe wipe{.source = reinterpret_cast<const std::uint32_t*>(mapped.source->bytes),
                    .grid = grid,
                    .columns = wipe_columns(*options.wipe, grid.width)};
    pool_.parallel_for((picture.size.height + 1) / 2,
                       [&](int pair, int) { draw_wipe(wipe, picture, 2 * pair); });
  }
  if (const TextImage* text = fits_picture(options.text.get(), setup_.grid, cell)) draw_text(*text, picture);
}

/// Draws the cells with glow and scan lines. For Yuv420p, draws a Bgra8 picture first and converts it: light
/// varies within a cell, so chroma cannot be computed from the cell's two colors.
void CellCompositor::draw_lit(DrawJob job, PixelLight light) {
  const DrawKernels& kernels = best_draw_kernels();
  const mapping::shared::DrawParameters parameters =
      light_parameters(light, tables_->parameters, *setup_.glyphs);
  const Picture& target = *job.picture;
  Picture canvas = target;
  const bool is_packed = target.format == PictureFormat::Yuv420p;
  if (is_packed) {
    canvas_.resize(static_cast<std::size_t>(target.size.width) * static_cast<std::size_t>(target.size.height),
                   0xFF000000u);
    canvas = {.format = PictureFormat::Bgra8, .size = target.size};
    canvas.planes[0] = reinterpret_cast<std::byte*>(canvas_.data());
    canvas.strides[0] = target.size.width * 4;
  }
  if (scratch_.empty())
    scratch_.assign(static_cast<std::size_t>(pool_.size()),
                    std::vector<std::uint32_t>(light_scratch_words(job.grid, job.cell)));
  job.picture = &canvas;
  job.tables = tables_->words.data();
  job.light = &parameters;
  pool_.parallel_for(setup_.grid.rows, [&](int row, int worker) {
    kernels.draw_bgra_row(job, row);
    kernels.add_light_row(job, row, scratch_[static_cast<std::size_t>(worker)].data());
  });
  if (!is_packed) return;
  pool_.parallel_for(target.size.height / 2,
                     [&](int row, int) { kernels.pack_yuv_row(canvas, target, row); });
}

}  // namespace glyphreel::render
