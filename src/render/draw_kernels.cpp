#include "render/draw_kernels.h"

#include <cstring>
#include <string_view>

#include "mapping/kernels/kernels.h"
#include "mapping/shared/shared_scalar.h"

namespace glyphreel::render {

namespace baseline {
extern const DrawKernels kernels;
}
#if defined(GLYPHREEL_X86)
namespace avx2 {
extern const DrawKernels kernels;
}
#endif

const DrawKernels& best_draw_kernels() {
#if defined(GLYPHREEL_X86)
  if (std::string_view(mapping::best_kernels().name) != "baseline") return avx2::kernels;
#endif
  return baseline::kernels;
}

void draw_chroma_exactly(const DrawJob& job, int begin, int end) {
  namespace shared = mapping::shared;
  const shared::DrawParameters parameters{.columns = static_cast<std::uint32_t>(job.grid.columns),
                                          .rows = static_cast<std::uint32_t>(job.grid.rows),
                                          .cell_width = static_cast<std::uint32_t>(job.cell.width),
                                          .cell_height = static_cast<std::uint32_t>(job.cell.height),
                                          .width = static_cast<std::uint32_t>(job.picture->size.width),
                                          .height = static_cast<std::uint32_t>(job.picture->size.height)};
  const std::uint32_t black = shared::scalar::yuv_from_rgb(0xFF000000u);
  for (int cy = begin; cy < end; ++cy) {
    for (int cx = 0; cx < job.picture->size.width / 2; ++cx) {
      std::uint32_t cb = 0;
      std::uint32_t cr = 0;
      for (std::uint32_t corner = 0; corner < 4; ++corner) {
        const auto x = static_cast<std::uint32_t>(2 * cx) + corner % 2;
        const auto y = static_cast<std::uint32_t>(2 * cy) + corner / 2;
        const shared::scalar::PixelPlace at = shared::scalar::place_pixel(x, y, parameters);
        std::uint32_t foreground = black;
        std::uint32_t background = black;
        std::uint32_t coverage = 0;
        if (at.inside) {
          const shared::Cell& cell = job.cells[at.cell];
          foreground = shared::scalar::yuv_from_rgb(cell.foreground);
          background = shared::scalar::yuv_from_rgb(cell.background);
          coverage = job.masks[shared::scalar::mask_offset(cell.glyph, at.x, at.y, parameters)];
        }
        cb += shared::scalar::weigh_chroma((foreground >> 8) & 255u, (background >> 8) & 255u, coverage);
        cr += shared::scalar::weigh_chroma(foreground & 255u, background & 255u, coverage);
      }
      job.picture->planes[1][static_cast<std::ptrdiff_t>(cy) * job.picture->strides[1] + cx] =
          static_cast<std::byte>(shared::scalar::finish_chroma(cb));
      job.picture->planes[2][static_cast<std::ptrdiff_t>(cy) * job.picture->strides[2] + cx] =
          static_cast<std::byte>(shared::scalar::finish_chroma(cr));
    }
  }
}

void draw_yuv_padding(const DrawJob& job) {
  const int drawn_width = job.grid.columns * job.cell.width;
  const int drawn_height = job.grid.rows * job.cell.height;
  const auto black = static_cast<int>(mapping::shared::scalar::yuv_from_rgb(0xFF000000u) >> 16);
  for (int y = 0; y < job.picture->size.height; ++y) {
    std::byte* row = job.picture->planes[0] + static_cast<std::ptrdiff_t>(y) * job.picture->strides[0];
    const int from = y < drawn_height ? drawn_width : 0;
    std::memset(row + from, black, static_cast<std::size_t>(job.picture->size.width - from));
  }
}

}  // namespace glyphreel::render
