// mutation_probe LIBRARY: counts how many results of the kernels in LIBRARY (mutated_kernels.cpp) differ from
// those of this build. Prints "cells N bytes M": mismatched cells, and mismatched bytes of drawn pictures.
// Exits with 0 unless it cannot run.

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "base/threads/thread_pool.h"
#include "cases.h"
#include "mapping/cell_mapper.h"
#include "mapping/tables/palette.h"
#include "moving_frame.h"
#include "reference.h"
#include "render/draw_kernels.h"
#include "render/effect.h"
#include "render/picture_layout.h"

namespace glyphreel::parity {
namespace {

long mismatched_cells(mapping::CellMapper& mapper, const Frame& frame, const std::vector<Cell>& expected,
                      const mapping::Adjustments& adjustments = {}) {
  static ThreadPool pool(1);
  std::vector<Cell> cells(expected.size());
  mapper.map(frame.view, mapping::frame_time(frame), pool, cells.data(), adjustments);
  long mismatches = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    mismatches += cells[i].glyph != expected[i].glyph || cells[i].foreground != expected[i].foreground ||
                  cells[i].background != expected[i].background;
  }
  return mismatches;
}

long mismatched_cells(const mapping::Kernels& kernels) {
  std::vector<Case> cases;
  const std::vector<Case> layouts = layout_cases();
  for (std::size_t i = 0; i < layouts.size(); i += 5)
    cases.push_back(layouts[i]);  // every 5th case still includes all patterns and both modes
  for (const Case& test_case : geometry_cases(60)) {
    if (test_case.frame.size.width < 1000) cases.push_back(test_case);
  }
  const std::vector<Case> wide = wide_color_cases();
  for (std::size_t i = 0; i < wide.size(); i += 7) cases.push_back(wide[i]);
  const std::vector<Case> adjusted = adjusted_cases();
  for (std::size_t i = 0; i < adjusted.size(); i += 5) cases.push_back(adjusted[i]);
  long mismatches = 0;
  for (const Case& test_case : cases) {
    const Frame frame = make_frame(test_case.frame);
    const auto glyphs = glyphs_of(test_case);
    const auto expected = reference_cells(frame.view, *glyphs, test_case.grid, test_case.fit,
                                          test_case.mapping, nullptr, test_case.adjustments);
    auto mapper =
        mapping::CellMapper::make(*glyphs, test_case.grid, test_case.fit, test_case.mapping, kernels);
    CHECK(expected && mapper, "a parity case cannot be set up");
    mismatches += mismatched_cells(*mapper, frame, *expected, test_case.adjustments);
  }
  // Compares frames around a cut. The first frame after the cut has no history, and later frames have one.
  std::vector<Case> sequences = sequence_cases();
  const std::vector<Case> wide_glyphs = wide_glyph_cases();
  sequences.insert(sequences.end(), wide_glyphs.begin(), wide_glyphs.end());
  for (std::size_t i = 0; i < sequences.size(); i += 3) {
    const Case& test_case = sequences[i];
    const auto glyphs = glyphs_of(test_case);
    auto reference = Reference::make(*glyphs, test_case.grid, test_case.fit, test_case.mapping);
    auto mapper =
        mapping::CellMapper::make(*glyphs, test_case.grid, test_case.fit, test_case.mapping, kernels);
    CHECK(reference && mapper, "a parity sequence cannot be set up");
    for (int index = CutFrame - 1; index < CutFrame + 3; ++index) {
      const Frame frame = moving_frame({.size = test_case.frame.size, .seed = test_case.frame.seed}, index);
      mismatches += mismatched_cells(*mapper, frame, reference->map(frame));
    }
  }
  return mismatches;
}

using PlayRow = decltype(&render::apply_effect_row);

/// Counts cells where `apply_effect_row` and the reference differ: for each effect, at several times within
/// 6 s, with full, palette and mono colors. In mono, some cells have their two colors swapped.
long mismatched_effects(PlayRow apply_effect_row) {
  constexpr GridSize Grid{40, 20};
  constexpr Effect Effects[] = {Effect::Rain, Effect::Tube, Effect::Glitch, Effect::Ripple};
  const auto glyphs = glyphs_of(Case{});
  std::mt19937 random(8);
  long mismatches = 0;
  for (const mapping::Parameters& parameters :
       {mapping::Parameters{}, mapping::Parameters{.palette = mapping::ansi16_palette()},
        mapping::Parameters{.color = mapping::Color::Mono}}) {
    auto tables = mapping::make_glyph_tables(*glyphs, parameters, {4, 8});
    CHECK(static_cast<bool>(tables), "the glyph tables cannot be made");
    mapping::shared::MapParameters& map = tables->parameters;
    map.columns = Grid.columns;
    map.rows = Grid.rows;
    std::vector<Cell> cells;
    for (int i = 0; i < Grid.cells(); ++i) {
      Cell cell{static_cast<std::uint32_t>(random() % 95), 0xFF000000u | static_cast<std::uint32_t>(random()),
                0xFF000000u | static_cast<std::uint32_t>(random())};
      if (map.color == mapping::shared::ColorMono) {
        cell.foreground = i % 3 == 0 ? map.background : map.foreground;
        cell.background = i % 3 == 0 ? map.foreground : map.background;
      }
      cells.push_back(cell);
    }
    for (const Effect effect : Effects) {
      for (std::uint32_t time = 0; time < 6000; time += 150) {
        const render::EffectParameters p = render::effect_parameters(effect, time, {8, 16}, map);
        std::vector<Cell> wanted(cells.size());
        std::vector<Cell> got(cells.size());
        for (int row = 0; row < Grid.rows; ++row) {
          render::apply_effect_row(p, tables->words.data(), cells.data(), row, wanted.data());
          apply_effect_row(p, tables->words.data(), cells.data(), row, got.data());
        }
        for (std::size_t i = 0; i < cells.size(); ++i)
          mismatches += std::memcmp(&wanted[i], &got[i], sizeof(Cell)) != 0;
      }
    }
  }
  return mismatches;
}

/// Returns a picture of random cells drawn by these kernels.
std::vector<std::byte> drawn(const render::DrawKernels& kernels, PictureFormat format) {
  const GridSize grid{40, 20};
  const CellSize cell{8, 16};
  const auto glyphs = glyphs_of(Case{});
  const render::PictureLayout layout = render::picture_layout(format, grid, cell);
  std::vector<std::byte> bytes(layout.bytes, std::byte{0});
  Picture picture{.format = format, .size = layout.size, .strides = layout.strides};
  for (std::size_t plane = 0; plane < 3; ++plane)
    picture.planes[plane] = bytes.data() + layout.offsets[plane];
  std::mt19937 random(6);
  std::vector<Cell> cells;
  for (int i = 0; i < grid.cells(); ++i) {
    cells.push_back({static_cast<std::uint32_t>(random() % 95),
                     0xFF000000u | static_cast<std::uint32_t>(random()),
                     0xFF000000u | static_cast<std::uint32_t>(random())});
  }
  const render::DrawJob job{.cells = cells.data(),
                            .masks = glyphs->masks().data(),
                            .grid = grid,
                            .cell = cell,
                            .picture = &picture};
  for (int row = 0; row < grid.rows; ++row) {
    if (format == PictureFormat::Bgra8) {
      kernels.draw_bgra_row(job, row);
    } else {
      kernels.draw_luma_row(job, row);
      kernels.draw_chroma_row(job, row);
    }
  }
  return bytes;
}

long mismatched_bytes(const render::DrawKernels& kernels) {
  long mismatches = 0;
  for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
    const std::vector<std::byte> wanted = drawn(render::best_draw_kernels(), format);
    const std::vector<std::byte> got = drawn(kernels, format);
    for (std::size_t i = 0; i < wanted.size(); ++i) mismatches += got[i] != wanted[i];
  }
  return mismatches;
}

int probe(const char* library) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  using GetKernels = const mapping::Kernels* (*)();
  using GetDrawKernels = const render::DrawKernels* (*)();
  using GetEffect = PlayRow (*)();
  const auto kernels = reinterpret_cast<GetKernels>(dlsym(opened, "mutated_kernels"));
  const auto draw_kernels = reinterpret_cast<GetDrawKernels>(dlsym(opened, "mutated_draw_kernels"));
  const auto effect = reinterpret_cast<GetEffect>(dlsym(opened, "mutated_effect"));
  if (kernels == nullptr || draw_kernels == nullptr || effect == nullptr) {
    std::fprintf(stderr, "%s is not built from mutated_kernels.cpp\n", library);
    return 2;
  }
  std::printf("cells %ld bytes %ld\n", mismatched_cells(*kernels()) + mismatched_effects(effect()),
              mismatched_bytes(*draw_kernels()));
  return 0;
}

}  // namespace
}  // namespace glyphreel::parity

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mutation_probe LIBRARY\n");
    return 2;
  }
  return glyphreel::parity::probe(argv[1]);
}
