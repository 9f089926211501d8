#include "commands/comparison.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace glyphreel::commands {
namespace {

nlohmann::json cell_json(const render::Cell& cell, const text::GlyphSet* glyphs) {
  // A faulty renderer may return glyphs that do not exist.
  const bool is_known = glyphs != nullptr && cell.glyph < static_cast<std::uint32_t>(glyphs->size());
  return {{"glyph", cell.glyph},
          {"character", is_known ? glyphs->utf8(static_cast<int>(cell.glyph)) : std::string()},
          {"foreground", fmt::format("#{:06X}", cell.foreground & 0xFFFFFF)},
          {"background", fmt::format("#{:06X}", cell.background & 0xFFFFFF)}};
}

}  // namespace

bool cells_equal(const render::Cell& a, const render::Cell& b) {
  return a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background;
}

std::uint32_t pixel_at(const Picture& picture, int x, int y) {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, picture.planes[0] + std::ptrdiff_t{y} * picture.strides[0] + std::ptrdiff_t{x} * 4, 4);
  return pixel;
}

int pixel_difference(std::uint32_t a, std::uint32_t b) {
  int most = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    most =
        std::max(most, std::abs(static_cast<int>((a >> shift) & 255) - static_cast<int>((b >> shift) & 255)));
  }
  return most;
}

void Comparison::add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) {
  CHECK(gpu.grid == cpu.grid && gpu.cells.size() == cpu.cells.size() && gpu.picture.size == cpu.picture.size,
        "frames of different sizes were compared");
  for (std::size_t i = 0; i < cpu.cells.size(); ++i) {
    const render::Cell& a = gpu.cells[i];
    const render::Cell& b = cpu.cells[i];
    if (cells_equal(a, b)) continue;
    ++mismatched_cells;
    if (!first_mismatch) {
      const int at = static_cast<int>(i);
      first_mismatch = CellMismatch{frames, at % cpu.grid.columns, at / cpu.grid.columns, a, b};
    }
  }
  for (int y = 0; y < cpu.picture.size.height; ++y) {
    const std::byte* a = gpu.picture.planes[0] + std::ptrdiff_t{y} * gpu.picture.strides[0];
    const std::byte* b = cpu.picture.planes[0] + std::ptrdiff_t{y} * cpu.picture.strides[0];
    if (std::memcmp(a, b, static_cast<std::size_t>(cpu.picture.size.width) * 4) == 0) continue;
    for (int x = 0; x < cpu.picture.size.width; ++x) {
      const int difference = pixel_difference(pixel_at(gpu.picture, x, y), pixel_at(cpu.picture, x, y));
      mismatched_pixels += difference > 0 ? 1 : 0;
      max_pixel_difference = std::max(max_pixel_difference, difference);
    }
  }
  cells += static_cast<std::int64_t>(cpu.cells.size());
  ++frames;
}

double frame_ms(const StageTimes& times) {
  return times.summary(Stage::Map).p50_ms + times.summary(Stage::Draw).p50_ms;
}

nlohmann::json comparison_json(const Comparison& comparison, const text::GlyphSet* glyphs,
                               const StageTimes& gpu_times, const StageTimes& cpu_times) {
  const double gpu_ms = frame_ms(gpu_times);
  const double cpu_ms = frame_ms(cpu_times);
  nlohmann::json json{{"cells", comparison.cells},
                      {"frames", comparison.frames},
                      {"mismatched_cells", comparison.mismatched_cells},
                      {"mismatched_pixels", comparison.mismatched_pixels},
                      {"max_pixel_difference", comparison.max_pixel_difference},
                      {"first_mismatch", nullptr},
                      {"gpu_ms", gpu_ms},
                      {"cpu_ms", cpu_ms},
                      {"speedup", gpu_ms > 0 ? cpu_ms / gpu_ms : 0.0}};
  if (comparison.ssim_sum && comparison.frames > 0)
    json["ssim"] = *comparison.ssim_sum / static_cast<double>(comparison.frames);
  if (const auto& first = comparison.first_mismatch) {
    json["first_mismatch"] = {{"frame", first->frame},
                              {"column", first->column},
                              {"row", first->row},
                              {"gpu", cell_json(first->gpu, glyphs)},
                              {"cpu", cell_json(first->cpu, glyphs)}};
  }
  return json;
}

}  // namespace glyphreel::commands
