#include "render/split_renderer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace glyphreel::render {
namespace {

constexpr std::uint32_t Black = 0xFF000000;
constexpr std::uint32_t White = 0xFFFFFFFF;
constexpr std::uint32_t Red = 0xFFD81820;

}  // namespace

SplitRenderer::SplitRenderer(SplitHalf left, SplitHalf right, int threads)
    : left_(std::move(left)), right_(std::move(right)), pool_(threads) {
  own_times_.set_engine(Stage::Draw,
                        fmt::format("CPU, {} thread{}", pool_.size(), pool_.size() == 1 ? "" : "s"));
}

Result<void> SplitRenderer::configure(const RenderSetup& setup) {
  layout_ = split_layout(setup.grid.columns);
  RenderSetup half = setup;
  half.grid.columns = layout_.columns;
  half.picture = PictureFormat::None;
  half.picture_memory = nullptr;
  half.want_cells = true;
  is_configured_ = false;
  TRY(left_.renderer->configure(half));
  TRY(right_.renderer->configure(half));
  is_configured_ = true;
  painter_.configure(setup, setup.tables.get());
  grid_ = setup.grid;
  coverage_ = mean_coverage(*setup.glyphs);
  seam_ = {.glyph = static_cast<std::uint32_t>(std::max(0, setup.glyphs->blank())),
           .foreground = Black,
           .background = Black};
  finished_.reset();
  joined_ = {};
  findings_.cells = half.grid.cells();
  findings_.differing = 0;
  return {};
}

void SplitRenderer::warm_up(const RenderSetup& setup) {
  left_.renderer->warm_up(setup);
  right_.renderer->warm_up(setup);
}

Result<void> SplitRenderer::submit(const Frame& frame, const FrameOptions& options) {
  CHECK(is_configured_, "a frame was submitted before configure()");
  CHECK(!finished_.has_value(), "a frame was submitted before the previous one was collected");
  // The renderers run one after the other: if they ran concurrently, they would share CPUs and distort each
  // other's measured times. Each renderer's submit() imports or downloads a hardware frame itself.
  const FrameOptions halves{.adjustments = options.adjustments, .effect = options.effect};
  TRY_ASSIGN(const RenderedFrame left, left_.renderer->render(frame, halves));
  TRY_ASSIGN(const RenderedFrame right, right_.renderer->render(frame, halves));
  TRY(join(left, right, options.effect));
  ++findings_.frames;
  findings_.differing_in_all += findings_.differing;
  TRY_ASSIGN(finished_, painter_.paint(joined_, options));
  return {};
}

Result<RenderedFrame> SplitRenderer::collect() {
  CHECK(finished_.has_value(), "collect() without a submitted frame");
  return *std::exchange(finished_, std::nullopt);
}

Result<RenderedFrame> SplitRenderer::redraw(const FrameOptions& options) {
  CHECK(is_configured_, "redraw() before configure()");
  CHECK(!finished_.has_value(), "redraw() before all frames were collected");
  if (joined_.cells && options.effect != joined_effect_) {
    TRY_ASSIGN(const RenderedFrame left, left_.renderer->redraw({.effect = options.effect}));
    TRY_ASSIGN(const RenderedFrame right, right_.renderer->redraw({.effect = options.effect}));
    TRY(join(left, right, options.effect));
  }
  return painter_.paint(joined_, options);
}

HostMemory* SplitRenderer::frame_memory() {
  HostMemory* memory = left_.renderer->frame_memory();
  return memory != nullptr ? memory : right_.renderer->frame_memory();
}

std::string SplitRenderer::description() const {
  return fmt::format("{} | {}", description(Side::Left), description(Side::Right));
}

std::uint64_t SplitRenderer::bytes_copied() const {
  return left_.renderer->bytes_copied() + right_.renderer->bytes_copied();
}

/// Joins the cells of both halves, which were rendered with `effect`, into `joined_`; marks and counts the
/// cells that differ.
Result<void> SplitRenderer::join(const RenderedFrame& left, const RenderedFrame& right, Effect effect) {
  TRY_ASSIGN(std::shared_ptr<const HostBlock> block, painter_.cell_block());
  auto* joined = reinterpret_cast<Cell*>(block->bytes);
  const auto half = static_cast<std::size_t>(layout_.columns);
  const auto right_at = static_cast<std::size_t>(layout_.right_at);
  const auto columns = static_cast<std::size_t>(grid_.columns);
  findings_.differing = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(grid_.rows); ++row, joined += columns) {
    std::fill(joined, joined + columns, seam_);
    for (std::size_t column = 0; column < half; ++column) {
      const Cell& a = left.cells[row * half + column];
      const Cell& b = right.cells[row * half + column];
      const bool differs = a.glyph != b.glyph || a.foreground != b.foreground || a.background != b.background;
      findings_.differing += differs ? 1 : 0;
      joined[column] = differs ? marked_cell(a, coverage_[a.glyph]) : a;
      joined[right_at + column] = differs ? marked_cell(b, coverage_[b.glyph]) : b;
    }
  }
  joined_ = {.pts = left.pts, .duration = left.duration, .cells = std::move(block)};
  joined_effect_ = effect;
  return {};
}

SplitLayout split_layout(int columns) {
  constexpr int MinWithSeam = 3;
  const int seam = columns < MinWithSeam ? 0 : columns % 2 == 0 ? 2 : 1;
  const int half = std::max(1, (columns - seam) / 2);
  return {half, columns - half};
}

Cell marked_cell(const Cell& cell, std::uint8_t coverage) {
  constexpr std::uint8_t Half = 128;
  const bool is_mostly_covered = coverage >= Half;
  return {.glyph = cell.glyph,
          .foreground = is_mostly_covered ? Red : White,
          .background = is_mostly_covered ? White : Red};
}

}  // namespace glyphreel::render
