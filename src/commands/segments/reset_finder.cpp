#include "commands/segments/reset_finder.h"

#include <utility>

namespace glyphreel::commands {

ResetFinder::ResetFinder(mapping::CellMapper mapper, const mapping::Adjustments& adjustments,
                         std::size_t cells, int threads)
    : pool_(threads),
      mapper_(std::move(mapper)),
      adjustments_(adjustments),
      cells_(cells),
      is_always_(!mapper_.keeps_history()) {}

Result<std::unique_ptr<ResetFinder>> ResetFinder::make(const render::RenderSetup& setup,
                                                       const mapping::Adjustments& adjustments, int threads) {
  TRY_ASSIGN(mapping::CellMapper mapper,
             mapping::CellMapper::make(*setup.glyphs, setup.grid, setup.fit, setup.mapping,
                                       mapping::best_kernels(), setup.tables.get()));
  return std::unique_ptr<ResetFinder>(
      new ResetFinder(std::move(mapper), adjustments, static_cast<std::size_t>(setup.grid.cells()), threads));
}

Result<void> ResetFinder::map(const Frame& frame) {
  TRY_ASSIGN(const Frame host, on_host(frame, nullptr));
  mapper_.map(host.view, mapping::frame_time(host), pool_, cells_.data(), adjustments_);
  return {};
}

Result<void> ResetFinder::begin(const Frame& frame) {
  if (is_always_) return {};
  mapper_.reset_history();
  return map(frame);
}

Result<bool> ResetFinder::next_resets(const Frame& frame) {
  if (is_always_ || frame.cells != nullptr) return true;
  TRY(map(frame));
  return mapper_.was_reset();
}

}  // namespace glyphreel::commands
