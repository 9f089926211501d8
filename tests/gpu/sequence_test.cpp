// Tests the GPU state that is passed from one frame to the next: where a sequence restarts, and what a
// sequence must not depend on.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "cases.h"
#include "interop/frame_importer.h"
#include "mapping/tables/sample_plan.h"
#include "moving_frame.h"
#include "reference.h"
#include "support/gpu_fixture.h"

namespace glyphreel::gpu {
namespace {

using parity::Case;
using parity::Cell;

using Grids = std::vector<std::vector<Cell>>;

/// Returns a case in mono at maximum stability, in which most cells of noisy frames keep their glyph.
Case stable_case() {
  Case test_case{.grid = {40, 12}};
  test_case.mapping = {.color = mapping::Color::Mono, .stability = 1.0};
  return test_case;
}

std::vector<Frame> moving_frames(int from, int to) {
  std::vector<Frame> frames;
  for (int index = from; index < to; ++index) frames.push_back(parity::moving_frame({.noise = 12}, index));
  return frames;
}

int differences(const Grids& a, const Grids& b) {
  EXPECT_EQ(a.size(), b.size());
  int count = 0;
  for (std::size_t frame = 0; frame < std::min(a.size(), b.size()); ++frame) {
    for (std::size_t i = 0; i < a[frame].size(); ++i) {
      const Cell& x = a[frame][i];
      const Cell& y = b[frame].at(i);
      if (x.glyph != y.glyph || x.foreground != y.foreground || x.background != y.background) ++count;
    }
  }
  return count;
}

class SequenceTest : public GpuTest {
 protected:
  void make(int depth) { make(depth, device()); }
  void make(int depth, const std::shared_ptr<Device>& on) {
    auto made = interop::make_gpu_renderer(on, times_, depth);
    ASSERT_TRUE(made) << made.error().message << made.error().cause;
    renderer_ = *std::move(made);
  }
  void configure(const Case& test_case) {
    const auto configured = renderer_->configure({.grid = test_case.grid,
                                                  .fit = test_case.fit,
                                                  .glyphs = parity::glyphs_of(test_case),
                                                  .mapping = test_case.mapping});
    ASSERT_TRUE(configured) << configured.error().message << configured.error().cause;
  }
  /// Returns the cells of the frames, with as many frames in flight as possible.
  Grids cells_of(const std::vector<Frame>& frames, const render::FrameOptions& options = {}) {
    Grids grids;
    std::size_t submitted = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      for (; submitted < frames.size() && submitted < i + static_cast<std::size_t>(renderer_->depth());
           ++submitted) {
        EXPECT_TRUE(renderer_->submit(frames[submitted], options));
      }
      const auto rendered = renderer_->collect();
      EXPECT_TRUE(rendered);
      if (rendered) grids.emplace_back(rendered->cells.begin(), rendered->cells.end());
    }
    return grids;
  }
  Grids fresh_cells_of(const Case& test_case, const std::vector<Frame>& frames) {
    configure(test_case);
    return cells_of(frames);
  }

  StageTimes times_;
  std::unique_ptr<GpuRenderer> renderer_;
};

TEST_F(SequenceTest, FramesDependOnPreviousFrames) {
  make(2);
  const std::vector<Frame> frames = moving_frames(0, 6);
  const Grids together = fresh_cells_of(stable_case(), frames);
  Grids apart;
  for (const Frame& frame : frames) apart.push_back(fresh_cells_of(stable_case(), {frame}).front());
  EXPECT_GT(differences(together, apart), 100);

  Case alone = stable_case();
  alone.mapping.stability = 0;
  alone.mapping.auto_levels = mapping::AutoLevels::Off;
  const Grids frame_by_frame = fresh_cells_of(alone, frames);
  apart.clear();
  for (const Frame& frame : frames) apart.push_back(fresh_cells_of(alone, {frame}).front());
  EXPECT_EQ(differences(frame_by_frame, apart), 0);
}

TEST_F(SequenceTest, NewEpochResetsHistory) {
  make(3);
  const std::vector<Frame> before = moving_frames(parity::EpochFrame - 4, parity::EpochFrame);
  std::vector<Frame> after = moving_frames(parity::EpochFrame, parity::EpochFrame + 5);
  ASSERT_NE(before.back().epoch, after.front().epoch);
  const Grids expected = fresh_cells_of(stable_case(), after);
  configure(stable_case());
  cells_of(before);
  EXPECT_EQ(differences(cells_of(after), expected), 0);

  for (Frame& frame : after) frame.epoch = before.back().epoch;
  configure(stable_case());
  cells_of(before);
  EXPECT_GT(differences(cells_of(after), expected), 0) << "the epoch must make a difference";
}

TEST_F(SequenceTest, CutResetsHistory) {
  make(2);
  const std::vector<Frame> after = moving_frames(parity::CutFrame, parity::CutFrame + 1);
  const Grids expected = fresh_cells_of(stable_case(), after);
  configure(stable_case());
  cells_of(moving_frames(parity::CutFrame - 3, parity::CutFrame));
  EXPECT_EQ(differences(cells_of(after), expected), 0);
}

TEST_F(SequenceTest, ResultIsIndependentOfFramesInFlight) {
  for (Case test_case : {stable_case(), parity::sequence_cases().back()}) {
    test_case.mapping.stability = 0.5;
    const std::vector<Frame> frames = moving_frames(0, parity::SequenceFrames);
    auto reference = parity::Reference::make(*parity::glyphs_of(test_case), test_case.grid, test_case.fit,
                                             test_case.mapping);
    ASSERT_TRUE(reference) << reference.error().message;
    Grids expected;
    for (const Frame& frame : frames) expected.push_back(reference->map(frame));
    for (const int depth : {1, 2, 4}) {
      make(depth);
      EXPECT_EQ(differences(fresh_cells_of(test_case, frames), expected), 0) << depth;
    }
  }
}

TEST_F(SequenceTest, AdjustmentsApplyToNextFrame) {
  make(3);
  Case test_case{.grid = {40, 12}};
  test_case.mapping.stability = 0;
  const std::vector<Frame> frames = moving_frames(0, 2);
  const Grids plain = fresh_cells_of(test_case, frames);
  constexpr mapping::Adjustments Brighter{.brightness = 30, .saturation = -40};
  configure(test_case);
  const Grids expected = cells_of(frames, {.adjustments = Brighter});
  ASSERT_GT(differences(plain, expected), 100);

  configure(test_case);
  ASSERT_TRUE(renderer_->submit(frames[0], {}));
  ASSERT_TRUE(renderer_->submit(frames[1], {.adjustments = Brighter}));
  Grids adjusted;
  for (int i = 0; i < 2; ++i) {
    const auto rendered = renderer_->collect();
    ASSERT_TRUE(rendered);
    adjusted.emplace_back(rendered->cells.begin(), rendered->cells.end());
  }
  EXPECT_EQ(differences({adjusted[0]}, {plain[0]}), 0) << "an earlier frame was adjusted";
  EXPECT_EQ(differences({adjusted[1]}, {expected[1]}), 0);
}

TEST_F(SequenceTest, PrebuiltTablesGiveSameResult) {
  make(2);
  const Case test_case = stable_case();
  const auto glyphs = parity::glyphs_of(test_case);
  auto tables = mapping::make_glyph_tables(
      *glyphs, test_case.mapping, mapping::samples_per_cell(glyphs->cell(), test_case.mapping.sampling));
  ASSERT_TRUE(tables);
  const std::vector<Frame> frames = moving_frames(0, 3);
  const Grids expected = fresh_cells_of(test_case, frames);
  ASSERT_TRUE(renderer_->configure({.grid = test_case.grid,
                                    .glyphs = glyphs,
                                    .mapping = test_case.mapping,
                                    .tables = std::make_shared<mapping::GlyphTables>(*std::move(tables))}));
  EXPECT_EQ(differences(cells_of(frames), expected), 0);
}

/// Warm-up runs in parallel with the rendering thread and must not change results. The device is a new one,
/// which has none of the pipelines.
TEST_F(SequenceTest, WarmUpChangesNoCells) {
  make(2);
  const std::vector<Frame> frames = moving_frames(0, 12);
  const Grids expected = fresh_cells_of(stable_case(), frames);
  auto opened = Device::make({.validation = Validation::On});
  ASSERT_TRUE(opened) << opened.error().message;
  const std::shared_ptr<Device> cold = *std::move(opened);
  make(2, cold);
  std::vector<render::RenderSetup> setups;
  for (const Case& test_case : parity::sequence_cases()) {
    if (setups.size() == 4) break;
    const auto glyphs = parity::glyphs_of(test_case);
    auto tables = mapping::make_glyph_tables(
        *glyphs, test_case.mapping, mapping::samples_per_cell(glyphs->cell(), test_case.mapping.sampling));
    ASSERT_TRUE(tables);
    setups.push_back({.grid = test_case.grid,
                      .glyphs = glyphs,
                      .mapping = test_case.mapping,
                      .tables = std::make_shared<mapping::GlyphTables>(*std::move(tables))});
  }
  Grids meanwhile;
  {
    const std::jthread beside([&] {
      for (const render::RenderSetup& setup : setups) renderer_->warm_up(setup);
    });
    meanwhile = fresh_cells_of(stable_case(), frames);
  }
  EXPECT_EQ(differences(meanwhile, expected), 0);
  for (const render::RenderSetup& setup : setups) EXPECT_TRUE(renderer_->configure(setup));
  renderer_.reset();  // before its device
  EXPECT_EQ(cold->validation_messages(), 0u);
}

}  // namespace
}  // namespace glyphreel::gpu
