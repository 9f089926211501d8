// Draws text over the picture with the GPU renderer and with the CPU renderer. Compares every cell and every
// byte of the pictures.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "cases.h"
#include "moving_frame.h"
#include "support/gpu_fixture.h"
#include "support/renderer_pair.h"

namespace glyphreel::gpu {
namespace {

using parity::Case;

/// Returns cases with some of the modes, colors and settings, with and without wide glyphs, at various cell
/// sizes. A whole sweep has more cases. Not every mode is needed: text replaces the mapped cells.
std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<Case> narrow = parity::sequence_cases();
  const std::vector<Case> wide = parity::wide_glyph_cases();
  const std::size_t count = parity::is_whole_sweep() ? 6 : 2;
  for (std::size_t i = 0; i < narrow.size(); i += narrow.size() / count + 1) all.push_back(narrow[i]);
  for (std::size_t i = 0; i < wide.size(); i += wide.size() / count + 1) all.push_back(wide[i]);
  for (const CellSize cell : {CellSize{7, 13}, CellSize{3, 5}, CellSize{16, 32}}) {
    all.push_back({.frame = {.layout = parity::layout_named("yuv420p")}, .grid = {13, 5}, .cell = cell});
  }
  return all;
}

TEST_F(GpuTest, OverlayMatchesCpu) {
  constexpr int Frames = 8;
  Pair pair(device(), 3);
  std::uint32_t seed = 1;
  std::size_t number = 0;
  for (const Case& test_case : cases()) {
    for (const PictureFormat format : formats_of(++number)) {
      SCOPED_TRACE(parity::describe(test_case));
      render::OverlayBuilder maker({.loading = render::OverlayBuilder::Loading::Wait, .on_loaded = {}});
      maker.set_font("DejaVu Sans Mono", test_case.cell);
      ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, format)));
      for (int i = 0; i < Frames; ++i) {
        const render::TextLayer layer = random_layer(test_case.grid, ++seed);
        const OverlayPointer overlay = i % 4 == 3 ? nullptr : maker.make(test_case.grid, {&layer, 1});
        ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({.seed = seed}, i), {.overlay = overlay}));
      }
      ASSERT_NO_FATAL_FAILURE(pair.collect_all());
    }
  }
}

TEST_F(GpuTest, TextImageAndWipeMatchCpu) {
  Pair pair(device(), 3);
  std::uint32_t seed = 1;
  std::size_t number = 0;
  for (const CellSize cell : {CellSize{8, 16}, CellSize{7, 13}, CellSize{4, 8}}) {
    for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
      const Case test_case{.frame = {.layout = parity::layout_named("yuv420p")},
                           .grid = {23, 9},
                           .cell = cell,
                           .fit = ++number % 2 == 0 ? Fit::Cover : Fit::Contain};
      const Extent picture{23 * cell.width, 9 * cell.height};
      ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, format)));
      for (int i = 0; i < 6; ++i) {
        render::FrameOptions options;
        if (i % 3 != 2) {
          const render::TextPlace place = render::text_place(picture, 5, 1 + 0.3 * i);
          const Case text_case{.grid = place.grid, .cell = place.cell};
          const render::PlacedOverlay placed{overlay_of(text_case, ++seed), place};
          options.text = render::make_text_image(picture, {&placed, 1});
          ASSERT_NE(options.text, nullptr);
        }
        if (i > 1) options.wipe = 0.2 * i;
        ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({.seed = seed}, i), options));
      }
      ASSERT_NO_FATAL_FAILURE(pair.collect_all());
      ASSERT_NO_FATAL_FAILURE(pair.redraw({.wipe = 0.31}));
      ASSERT_NO_FATAL_FAILURE(pair.redraw());
    }
  }
}

Case simple_case() {
  return {.frame = {}, .grid = {20, 8}, .cell = {8, 16}};
}

TEST_F(GpuTest, OverlayDoesNotAffectMapping) {
  const Case test_case = simple_case();  // stability is on, so cells depend on earlier frames
  Pair plain(device(), 1);
  Pair with_text(device(), 1);
  ASSERT_NO_FATAL_FAILURE(plain.configure(setup_of(test_case, PictureFormat::None)));
  ASSERT_NO_FATAL_FAILURE(with_text.configure(setup_of(test_case, PictureFormat::None)));
  for (int i = 0; i < 10; ++i) {
    const Frame frame = parity::moving_frame({}, i);
    ASSERT_NO_FATAL_FAILURE(plain.submit(frame));
    ASSERT_NO_FATAL_FAILURE(plain.collect_all());
    ASSERT_NO_FATAL_FAILURE(
        with_text.submit(frame, {.overlay = overlay_of(test_case, static_cast<std::uint32_t>(i))}));
    ASSERT_NO_FATAL_FAILURE(with_text.collect_all());
    ASSERT_NE(std::memcmp(plain.last().cells.data(), with_text.last().cells.data(),
                          plain.last().cells.size_bytes()),
              0);
    ASSERT_NO_FATAL_FAILURE(with_text.redraw());
    ASSERT_EQ(with_text.last().overlay_glyphs, nullptr);
    ASSERT_EQ(std::memcmp(plain.last().cells.data(), with_text.last().cells.data(),
                          plain.last().cells.size_bytes()),
              0)
        << "frame " << i;
  }
}

TEST_F(GpuTest, OverlayChangesWhilePictureIsUnchanged) {
  const Case test_case = simple_case();
  for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
    Pair pair(device(), 3);
    ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, format)));
    ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({}, 1)));
    ASSERT_NO_FATAL_FAILURE(pair.collect_all());
    for (std::uint32_t seed = 1; seed < 9; ++seed) {  // more changes than the frame ring has slots
      ASSERT_NO_FATAL_FAILURE(
          pair.redraw({.overlay = seed % 3 == 0 ? nullptr : overlay_of(test_case, seed)}));
    }
    ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({}, 2)));
    ASSERT_NO_FATAL_FAILURE(pair.collect_all());
  }
}

TEST_F(GpuTest, OverlayIsOnBlackBeforeFirstFrame) {
  const Case test_case = simple_case();
  for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p, PictureFormat::None}) {
    Pair pair(device(), 2);
    ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, format)));
    ASSERT_NO_FATAL_FAILURE(pair.redraw());
    for (const Cell& cell : pair.last().cells) {
      ASSERT_EQ(cell.foreground, 0xFF000000u);
      ASSERT_EQ(cell.background, 0xFF000000u);
    }
    ASSERT_NO_FATAL_FAILURE(pair.redraw({.overlay = overlay_of(test_case, 5)}));
    ASSERT_NO_FATAL_FAILURE(pair.redraw());
    ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({}, 2)));
    ASSERT_NO_FATAL_FAILURE(pair.collect_all());
  }
}

TEST_F(GpuTest, OverlayForAnotherGridIsNotShown) {
  const Case test_case = simple_case();
  Case other = test_case;
  other.grid = {10, 8};
  Case larger = test_case;
  larger.cell = {10, 20};
  Pair pair(device(), 2);
  ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, PictureFormat::Bgra8)));
  ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({}, 1), {.overlay = overlay_of(other, 1)}));
  ASSERT_NO_FATAL_FAILURE(pair.collect_all());
  const std::vector<Cell> cells = pair.last_cells();
  for (const OverlayPointer& overlay : {overlay_of(larger, 1), OverlayPointer()}) {
    ASSERT_NO_FATAL_FAILURE(pair.redraw({.overlay = overlay}));
    ASSERT_EQ(pair.last().overlay_glyphs, nullptr);
    ASSERT_EQ(std::memcmp(pair.last().cells.data(), cells.data(), cells.size() * sizeof(Cell)), 0);
  }
  ASSERT_NO_FATAL_FAILURE(pair.redraw({.overlay = overlay_of(test_case, 1)}));
  ASSERT_NE(std::memcmp(pair.last().cells.data(), cells.data(), cells.size() * sizeof(Cell)), 0);
}

}  // namespace
}  // namespace glyphreel::gpu
