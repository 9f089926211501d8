#include "reference.h"

#include <algorithm>
#include <cstring>

#include "mapping/cell_mapper.h"
#include "mapping/glyph_tables.h"
#include "mapping/sample_plan.h"

namespace glyphreel::parity {
namespace {

namespace shared = mapping::shared;

/// A component's code value at (x, y), its twelve most significant bits.
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
                                             const mapping::Parameters& parameters) {
  const mapping::SamplePlan plan =
      mapping::make_sample_plan(mapping::sample_key(frame, grid, cell, fit, parameters));
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
      for (int c = 0; c < frame.layout.component_count(); ++c) {
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
        CHECK(sum < (std::uint64_t{1} << 32), "a sum of weighted samples left 32 bits");
        // Weights of 16 bits in all on codes of `depth` bits, to 12 bits, rounded to nearest.
        const int bits = std::min<int>(component.depth, 12) + 16 - 12;
        codes[c] = static_cast<std::int32_t>((sum + (std::uint64_t{1} << (bits - 1))) >> bits);
      }
      lattice.push_back(outside ? 0 : shared::scalar::finish_sample(codes[0], codes[1], codes[2], p));
    }
  }
  return lattice;
}

Result<std::vector<Cell>> reference_cells(const FrameView& frame, const text::GlyphSet& glyphs, GridSize grid,
                                          Fit fit, const mapping::Parameters& parameters) {
  const GridSize samples = mapping::samples_per_cell(glyphs.cell(), parameters.sampling);
  TRY_ASSIGN(mapping::GlyphTables tables, mapping::make_glyph_tables(glyphs, parameters, samples));
  tables.parameters.columns = static_cast<std::uint32_t>(grid.columns);
  tables.parameters.rows = static_cast<std::uint32_t>(grid.rows);
  const std::vector<std::uint32_t> lattice = reference_lattice(frame, grid, glyphs.cell(), fit, parameters);
  std::vector<Cell> cells;
  for (int i = 0; i < grid.cells(); ++i) {
    const shared::scalar::CELL cell =
        shared::scalar::map_cell(lattice.data() + static_cast<std::size_t>(i) * samples.cells(),
                                 tables.words.data(), tables.parameters);
    cells.push_back({cell.glyph, cell.foreground, cell.background});
  }
  return cells;
}

}  // namespace glyphreel::parity
