#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "mapping/shared/parameters.h"
#include "mapping/shared/shared_types.h"
#include "mapping/tables/glyph_tables.h"
#include "text/glyph_set.h"

namespace glyphreel::parity {

using mapping::shared::Cell;

/// Returns a frame's lattice: the samples of all cells, cell after cell, and row by row within a cell. Every
/// sample is a plain sum of weighted pixels over rows and columns.
[[nodiscard]] std::vector<std::uint32_t> reference_lattice(const FrameView& frame, GridSize grid,
                                                           CellSize cell, Fit fit,
                                                           const mapping::Parameters& parameters,
                                                           const mapping::Adjustments& adjustments = {});

/// Maps frames to cells with the plain build of the shared code, one cell at a time. A frame's cells depend
/// on earlier frames.
class Reference {
 public:
  /// `tables` must belong to the same glyphs and parameters; if null, this call creates them. `glyphs` must
  /// outlive the returned object. Errors: see make_glyph_tables.
  [[nodiscard]] static Result<Reference> make(const text::GlyphSet& glyphs, GridSize grid, Fit fit,
                                              const mapping::Parameters& parameters,
                                              const mapping::GlyphTables* tables = nullptr);

  /// Returns the cells of `frame`, the next frame of a sequence. A change of epoch resets the history.
  [[nodiscard]] std::vector<Cell> map(const Frame& frame, const mapping::Adjustments& adjustments = {});

 private:
  Reference() = default;
  void analyze(const std::vector<std::uint32_t>& lattice, mapping::shared::MapParameters& p);
  /// Runs the first pass over all cells and stores its result in drafts_.
  void draft(const std::vector<std::uint32_t>& lattice, const mapping::shared::MapParameters& p);
  [[nodiscard]] std::size_t bordered(int column, int row) const;
  [[nodiscard]] mapping::shared::AnalysisView view(int column, int row);

  static constexpr int Border = 2;

  CellSize cell_;
  GridSize grid_;
  Fit fit_ = Fit::Contain;
  mapping::Parameters parameters_;
  mapping::GlyphTables tables_;
  std::optional<std::uint32_t> epoch_;
  mapping::shared::FrameState state_{};
  std::array<std::uint32_t, mapping::shared::RegionCount> region_means_{};
  std::vector<std::uint32_t> halves_, mode_words_;  ///< of the last frame, with a border around the grid
  std::vector<std::uint32_t> drafts_;               ///< likewise; empty if there is only one pass
  std::vector<Cell> cells_;                         ///< of the last frame
};

/// Returns the cells of a frame without history.
[[nodiscard]] Result<std::vector<Cell>> reference_cells(const FrameView& frame, const text::GlyphSet& glyphs,
                                                        GridSize grid, Fit fit,
                                                        const mapping::Parameters& parameters,
                                                        const mapping::GlyphTables* tables = nullptr,
                                                        const mapping::Adjustments& adjustments = {});

}  // namespace glyphreel::parity
