// Draws effects with the GPU renderer and with the CPU renderer. Compares every cell and every byte of the
// pictures.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "cases.h"
#include "mapping/tables/palette.h"
#include "moving_frame.h"
#include "support/gpu_fixture.h"
#include "support/renderer_pair.h"

namespace glyphreel::gpu {
namespace {

using parity::Case;

constexpr Effect Effects[] = {Effect::Rain, Effect::Tube, Effect::Glitch, Effect::Ripple};

/// Returns a frame at this time. Tests use several times within a few seconds, because the bursts of the
/// glitch and the rings of the ripple occur only at some times.
Frame frame_at(std::int64_t milliseconds, std::uint32_t seed = 1) {
  Frame frame = parity::moving_frame({.seed = seed}, static_cast<int>(milliseconds / 400));
  frame.pts = milliseconds;
  frame.time_base = {1, 1000};
  return frame;
}

/// Returns cases with some of the modes, colors and palettes, with and without wide glyphs, on various grids.
/// A whole sweep has more cases. Not every mode is needed: effects only read the mapped cells, and the
/// pipelines of a mode take seconds to compile.
std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<Case> narrow = parity::sequence_cases();
  const std::vector<Case> wide = parity::wide_glyph_cases();
  const std::size_t count = parity::is_whole_sweep() ? 5 : 2;
  for (std::size_t i = 0; i < narrow.size(); i += narrow.size() / (count + 1) + 1) all.push_back(narrow[i]);
  for (std::size_t i = 0; i < wide.size(); i += wide.size() / count + 1) all.push_back(wide[i]);
  const parity::FrameOptions frame{.layout = parity::layout_named("yuv420p")};
  const GridSize large = parity::is_whole_sweep() ? GridSize{160, 45} : GridSize{81, 22};
  for (const GridSize grid : {GridSize{1, 1}, GridSize{3, 2}, GridSize{41, 7}, large}) {
    all.push_back({.frame = frame, .grid = grid, .mapping = {.color = mapping::Color::Mono}});
    all.push_back(
        {.frame = frame, .grid = grid, .wide = 4, .mapping = {.palette = mapping::ansi16_palette()}});
  }
  return all;
}

TEST_F(GpuTest, EffectsMatchCpu) {
  Pair pair(device(), 3);
  std::uint32_t seed = 1;
  std::size_t number = 0;
  for (const Case& test_case : cases()) {
    SCOPED_TRACE(parity::describe(test_case));
    const OverlayPointer text = overlay_of(test_case, ++seed);
    ++number;  // so that the picture format of each effect differs from case to case
    for (const Effect effect : Effects) {
      for (const PictureFormat format : formats_of(++number)) {
        ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, format)));
        for (std::int64_t time = 40; time < 4000; time += 470) {
          ASSERT_NO_FATAL_FAILURE(pair.submit(frame_at(time, seed),
                                              {.effect = effect, .overlay = time % 3 == 0 ? text : nullptr}));
        }
        ASSERT_NO_FATAL_FAILURE(pair.collect_all());
      }
    }
  }
}

Case simple_case() {
  return {.frame = {}, .grid = {20, 8}, .cell = {8, 16}};
}

TEST_F(GpuTest, EffectsChangeWhilePictureIsUnchanged) {
  const Case test_case = simple_case();
  Pair pair(device(), 3);
  ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, PictureFormat::Bgra8)));
  ASSERT_NO_FATAL_FAILURE(pair.redraw({.effect = Effect::Tube}));  // black before the first frame
  ASSERT_NO_FATAL_FAILURE(pair.submit(frame_at(900)));
  ASSERT_NO_FATAL_FAILURE(pair.collect_all());
  const std::vector<Cell> plain = pair.last_cells();
  const auto is_plain = [&] {
    return std::memcmp(pair.last().cells.data(), plain.data(), plain.size() * sizeof(Cell)) == 0;
  };
  for (const Effect effect : {Effect::Rain, Effect::Tube, Effect::Ripple}) {
    for (const bool has_text : {false, true}) {
      const render::FrameOptions options{.effect = effect,
                                         .overlay = has_text ? overlay_of(test_case, 3) : nullptr};
      ASSERT_NO_FATAL_FAILURE(pair.redraw(options));
      EXPECT_FALSE(is_plain());
      ASSERT_NO_FATAL_FAILURE(pair.redraw(options));
    }
    ASSERT_NO_FATAL_FAILURE(pair.redraw());
    EXPECT_TRUE(is_plain());
  }
}

TEST_F(GpuTest, EffectsDoNotAffectMapping) {
  const Case test_case = simple_case();  // stability is on, so cells depend on earlier frames
  Pair plain(device(), 1);
  Pair played(device(), 1);
  ASSERT_NO_FATAL_FAILURE(plain.configure(setup_of(test_case, PictureFormat::None)));
  ASSERT_NO_FATAL_FAILURE(played.configure(setup_of(test_case, PictureFormat::None)));
  for (int i = 0; i < 6; ++i) {
    ASSERT_NO_FATAL_FAILURE(plain.submit(frame_at(i * 40)));
    ASSERT_NO_FATAL_FAILURE(plain.collect_all());
    ASSERT_NO_FATAL_FAILURE(played.submit(frame_at(i * 40), {.effect = Effect::Ripple}));
    ASSERT_NO_FATAL_FAILURE(played.collect_all());
    ASSERT_NO_FATAL_FAILURE(played.redraw());
    ASSERT_EQ(
        std::memcmp(plain.last().cells.data(), played.last().cells.data(), plain.last().cells.size_bytes()),
        0);
  }
}

}  // namespace
}  // namespace glyphreel::gpu
