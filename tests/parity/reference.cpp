#include "reference.h"
#include "mapping/shared/shared_scalar.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "mapping/cell_mapper.h"
#include "mapping/tables/glyph_tables.h"
#include "mapping/tables/sample_plan.h"

namespace glyphreel::parity {
namespace {

namespace shared = mapping::shared;

/// Returns a component's code value at (x, y): its twelve most significant bits.
std::uint32_t code_of(const FrameView& frame, const ComponentLayout& component, std::uint32_t x,
                      std::uint32_t y) {
  const std::byte* at = frame.planes[component.plane] +
                        static_cast<std::ptrdiff_t>(y) * frame.strides[component.plane] + component.offset +
                        static_cast<std::ptrdiff_t>(x) * component.step;
  std::uint32_t raw = 0;
  std::memcpy(&raw, at, frame.layout.bytes_per_sample);
  const std::uint32_t code = (raw >> component.shift) & ((1u << component.depth) - 1);
  return component.depth > 12 ? code >> (component.depth - 12) : code;
}

}  // namespace

std::vector<std::uint32_t> reference_lattice(const FrameView& frame, GridSize grid, CellSize cell, Fit fit,
                                             const mapping::Parameters& parameters,
                                             const mapping::Adjustments& adjustments) {
  const mapping::SamplePlan plan =
      mapping::make_sample_plan(mapping::sample_key(frame, grid, cell, fit, parameters, adjustments));
  const shared::SampleParameters& p = plan.parameters;
  const shared::ComponentSource* sources[3] = {&p.component_0, &p.component_1, &p.component_2};
  const std::vector<std::uint32_t>& words = plan.axis_words;
  const bool turned = p.transpose != 0;
  const std::uint32_t size_x = turned ? p.lattice_height : p.lattice_width;
  const std::uint32_t size_y = turned ? p.lattice_width : p.lattice_height;

  std::vector<std::uint32_t> lattice;
  for (std::uint32_t cell_index = 0; cell_index < static_cast<std::uint32_t>(grid.cells()); ++cell_index) {
    for (std::uint32_t sample = 0; sample < p.samples_x * p.samples_y; ++sample) {
      const std::uint32_t column = cell_index % p.columns * p.samples_x + sample % p.samples_x;
      const std::uint32_t row = cell_index / p.columns * p.samples_y + sample / p.samples_x;
      const std::uint32_t along_x = turned ? row : column;
      const std::uint32_t along_y = turned ? column : row;
      std::int32_t codes[3] = {};
      bool outside = false;
      for (int c = 0; c < plan.component_count(); ++c) {
        const shared::ComponentSource& source = *sources[c];
        const ComponentLayout& component = frame.layout.components[static_cast<std::size_t>(c)];
        const std::uint32_t first_x = words[source.axis_x + along_x];
        const std::uint32_t first_y = words[source.axis_y + along_y];
        outside = first_x == shared::AxisOutside || first_y == shared::AxisOutside;
        if (outside) break;
        std::uint64_t sum = 0;
        for (std::uint32_t ty = 0; ty < source.taps_y; ++ty) {
          for (std::uint32_t tx = 0; tx < source.taps_x; ++tx) {
            const std::uint64_t weight =
                static_cast<std::uint64_t>(words[source.axis_x + size_x + along_x * source.taps_x + tx]) *
                words[source.axis_y + size_y + along_y * source.taps_y + ty];
            sum += weight * code_of(frame, component, first_x + tx, first_y + ty);
          }
        }
        CHECK(sum < (std::uint64_t{1} << 32), "a sum of weighted samples exceeds 32 bits");
        // The weights add up to 2^16, and code_of() returns min(depth, 12) bits. Rounds off the lowest `bits`
        // bits of the sum to get a 12-bit code.
        const int bits = std::min<int>(component.depth, 12) + 16 - 12;
        codes[c] = static_cast<std::int32_t>((sum + (std::uint64_t{1} << (bits - 1))) >> bits);
      }
      std::uint32_t finished =
          outside ? 0
          : p.tone == shared::ToneNone
              ? shared::scalar::finish_sample(codes[0], codes[1], codes[2], p)
              : shared::scalar::finish_wide_sample(codes[0], codes[1], codes[2], p, words.data());
      if (!outside && p.adjust_at != 0) finished = shared::scalar::adjust_sample(finished, p, words.data());
      lattice.push_back(finished);
    }
  }
  return lattice;
}

Result<Reference> Reference::make(const text::GlyphSet& glyphs, GridSize grid, Fit fit,
                                  const mapping::Parameters& parameters, const mapping::GlyphTables* tables) {
  Reference made;
  made.cell_ = glyphs.cell();
  made.grid_ = grid;
  made.fit_ = fit;
  made.parameters_ = parameters;
  if (tables != nullptr) {
    made.tables_ = *tables;
  } else {
    TRY_ASSIGN(made.tables_,
               mapping::make_glyph_tables(glyphs, parameters,
                                          mapping::samples_per_cell(made.cell_, parameters.sampling)));
  }
  mapping::set_grid(made.tables_.parameters, grid);
  return made;
}

std::vector<Cell> Reference::map(const Frame& frame, const mapping::Adjustments& adjustments) {
  const std::vector<std::uint32_t> lattice =
      reference_lattice(frame.view, grid_, cell_, fit_, parameters_, adjustments);
  shared::MapParameters p = tables_.parameters;
  p.levels.rate = mapping::level_rate(mapping::frame_time(frame));
  p.levels.gain = 4096;
  p.history.keep = 0;
  if (epoch_ != frame.epoch) state_ = {};
  epoch_ = frame.epoch;
  analyze(lattice, p);
  if (p.two_pass != 0) draft(lattice, p);
  std::vector<Cell> cells;
  for (int row = 0; row < grid_.rows; ++row) {
    for (int column = 0; column < grid_.columns; ++column) {
      const std::size_t index = cells.size();
      const auto before = [&](std::size_t at) -> shared::scalar::CELL {
        const Cell cell = p.history.keep != 0 ? cells_[at] : Cell{};
        return {cell.glyph, cell.foreground, cell.background};
      };
      const auto add = [&](const shared::scalar::CELL& cell) {
        cells.push_back({cell.glyph, cell.foreground, cell.background});
      };
      const std::uint32_t* samples = lattice.data() + index * p.sample_count;
      if (p.forms.wide == 0) {
        add(shared::scalar::map_cell(samples, tables_.words.data(), view(column, row), p, before(index),
                                     column, row));
        continue;
      }
      const bool paired = column + 1 < grid_.columns;
      const int step = paired ? 1 : 0;
      const shared::scalar::CELLS pair = shared::scalar::map_pair(
          samples, tables_.words.data(), view(column, row),
          samples + static_cast<std::size_t>(step) * p.sample_count, view(column + step, row), p,
          {before(index), before(index + static_cast<std::size_t>(step))}, column, row, paired);
      add(pair.left);
      if (paired) add(pair.right);
      column += step;
    }
  }
  cells_ = cells;
  return cells;
}

void Reference::draft(const std::vector<std::uint32_t>& lattice, const shared::MapParameters& p) {
  drafts_.assign(bordered(grid_.columns + Border, grid_.rows + Border - 1) * shared::DraftWords, 0);
  for (int row = 0; row < grid_.rows; ++row) {
    for (int column = 0; column < grid_.columns; ++column) {
      const auto index = static_cast<std::size_t>(row * grid_.columns + column);
      const Cell before = p.history.keep != 0 ? cells_[index] : Cell{};
      shared::scalar::draft_cell(lattice.data() + index * p.sample_count, tables_.words.data(),
                                 view(column, row), p, {before.glyph, before.foreground, before.background},
                                 column, row);
    }
  }
}

shared::AnalysisView Reference::view(int column, int row) {
  const std::size_t at = bordered(column, row);
  const int pitch = grid_.columns + 2 * Border;
  shared::AnalysisView view{.halves = halves_.data() + at,
                            .mode_words = mode_words_.data() + at,
                            .region_means = region_means_.data(),
                            .pitch = pitch};
  if (!drafts_.empty()) {
    view.drafts = drafts_.data() + at * shared::DraftWords;
    view.draft_pitch = static_cast<std::ptrdiff_t>(pitch) * shared::DraftWords;
  }
  return view;
}

std::size_t Reference::bordered(int column, int row) const {
  return static_cast<std::size_t>((row + Border) * (grid_.columns + 2 * Border) + column + Border);
}

/// Stores the analysis of each cell in halves_ and mode_words_, and the analysis of the whole frame in
/// region_means_, state_ and `p`.
void Reference::analyze(const std::vector<std::uint32_t>& lattice, shared::MapParameters& p) {
  std::vector<std::uint32_t> halves(bordered(grid_.columns + Border - 1, grid_.rows + Border - 1) + 1);
  std::vector<std::uint32_t> mode_words(halves.size());
  if (halves_.empty()) halves_ = halves;
  if (mapping::needs_analysis(p)) {
    const auto mean = [](std::uint32_t word) {
      return static_cast<std::int32_t>(((word & 0xFFFF) + (word >> 16)) >> 5);
    };
    std::array<std::uint32_t, 256> histogram{};
    std::uint32_t moved = 0;
    std::array<std::uint32_t, shared::RegionCount> region_sums{};
    for (int row = -Border; row < grid_.rows + Border; ++row) {
      for (int column = -Border; column < grid_.columns + Border; ++column) {
        const int inner_column = std::clamp(column, 0, grid_.columns - 1);
        const int inner_row = std::clamp(row, 0, grid_.rows - 1);
        const std::uint32_t* samples =
            lattice.data() +
            static_cast<std::size_t>(inner_row * grid_.columns + inner_column) * p.sample_count;
        const std::size_t at = bordered(column, row);
        halves[at] = shared::scalar::cell_halves(samples, tables_.words.data(), {}, p);
        const auto light = shared::scalar::mean_light(samples, tables_.words.data(), {}, p);
        mode_words[at] = shared::scalar::mode_word(samples, tables_.words.data(), {}, p, light);
        if (inner_column != column || inner_row != row) continue;
        const auto tone = shared::scalar::encoded(samples, tables_.words.data(), {}, p, light);
        ++histogram[static_cast<std::size_t>(tone)];
        moved += static_cast<std::uint32_t>(std::abs(mean(halves[at]) - mean(halves_[at])));
        if (p.regions.columns == 0) continue;
        region_sums[shared::scalar::region_at(p, static_cast<std::uint32_t>(column),
                                              static_cast<std::uint32_t>(row))] +=
            shared::scalar::luma_of_halves(halves[at]);
      }
    }
    for (std::uint32_t i = 0; i < region_sums.size() && p.regions.columns != 0; ++i)
      region_means_[i] = shared::scalar::region_mean(p, i, region_sums[i]);
    state_ = shared::scalar::next_state(p, state_, moved, bright_end(histogram, tables_));
    p.levels.gain = state_.gain;
    p.history.keep = p.history.stability != 0 ? state_.keep : 0;
  }
  halves_ = std::move(halves);
  mode_words_ = std::move(mode_words);
}

Result<std::vector<Cell>> reference_cells(const FrameView& frame, const text::GlyphSet& glyphs, GridSize grid,
                                          Fit fit, const mapping::Parameters& parameters,
                                          const mapping::GlyphTables* tables,
                                          const mapping::Adjustments& adjustments) {
  TRY_ASSIGN(Reference reference, Reference::make(glyphs, grid, fit, parameters, tables));
  return reference.map(Frame{.view = frame}, adjustments);
}

}  // namespace glyphreel::parity
