#include "commands/comparison.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace glyphreel::commands {
namespace {

int byte_difference(std::uint32_t a, std::uint32_t b) {
  int most = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    most =
        std::max(most, std::abs(static_cast<int>((a >> shift) & 255) - static_cast<int>((b >> shift) & 255)));
  }
  return most;
}

}  // namespace

void Comparison::add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) {
  CHECK(gpu.grid == cpu.grid && gpu.cells.size() == cpu.cells.size() && gpu.picture.size == cpu.picture.size,
        "frames of different sizes were compared");
  for (std::size_t i = 0; i < cpu.cells.size(); ++i) {
    const render::Cell& a = gpu.cells[i];
    const render::Cell& b = cpu.cells[i];
    if (a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background) continue;
    ++mismatched_cells;
    if (!first_mismatch) {
      const int at = static_cast<int>(i);
      first_mismatch = CellMismatch{frames, at % cpu.grid.columns, at / cpu.grid.columns, a, b};
    }
  }
  for (int y = 0; y < cpu.picture.size.height; ++y) {
    const std::byte* a = gpu.picture.planes[0] + static_cast<std::ptrdiff_t>(y) * gpu.picture.strides[0];
    const std::byte* b = cpu.picture.planes[0] + static_cast<std::ptrdiff_t>(y) * cpu.picture.strides[0];
    if (std::memcmp(a, b, static_cast<std::size_t>(cpu.picture.size.width) * 4) == 0) continue;
    for (int x = 0; x < cpu.picture.size.width; ++x) {
      std::uint32_t pixel_a = 0;
      std::uint32_t pixel_b = 0;
      std::memcpy(&pixel_a, a + static_cast<std::ptrdiff_t>(x) * 4, 4);
      std::memcpy(&pixel_b, b + static_cast<std::ptrdiff_t>(x) * 4, 4);
      if (pixel_a == pixel_b) continue;
      ++mismatched_pixels;
      max_pixel_difference = std::max(max_pixel_difference, byte_difference(pixel_a, pixel_b));
    }
  }
  cells += static_cast<std::int64_t>(cpu.cells.size());
  ++frames;
}

}  // namespace glyphreel::commands
