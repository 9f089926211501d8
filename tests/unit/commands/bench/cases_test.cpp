#include "commands/bench/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace glyphreel::commands::cases_test {
namespace {

constexpr CaseInputs Clip{
    .input = {1280, 720}, .scalable = true, .has_gpu = true, .preferred = BenchEngine::Cpu};

std::vector<BenchCase> plan(const cli::Settings& settings, const CaseInputs& inputs = Clip) {
  return plan_cases(choose_cases(settings, inputs));
}

std::set<std::string> names(const std::vector<BenchCase>& cases) {
  std::set<std::string> all;
  for (const BenchCase& each : cases) all.insert(case_name(each));
  return all;
}

TEST(BenchCases, DefaultIsAHandful) {
  const std::vector<BenchCase> cases = plan({});
  EXPECT_EQ(names(cases),
            (std::set<std::string>{
                "decode/1280x720", "map/cpu/1280x720/240x67/ramp/mono", "map/cpu/1280x720/240x67/shape/full",
                "draw/cpu/1280x720/240x67/shape/full", "map/gpu/1280x720/240x67/ramp/mono",
                "map/gpu/1280x720/240x67/shape/full", "draw/gpu/1280x720/240x67/shape/full",
                "text/cpu/1280x720/240x67/shape/full", "video/cpu/1280x720/240x67/shape/full"}));
}

TEST(BenchCases, OptionsKeepOneValue) {
  cli::Settings settings;
  settings.engine.renderer = cli::RendererChoice::Cpu;
  settings.layout.grid = GridSize{80, 24};
  settings.glyphs.mode = Mode::Edge;
  settings.picture.color = cli::ColorChoice::Fg;
  settings.above_look = {{"mode", "edge"}, {"color", "fg"}};
  EXPECT_EQ(names(plan(settings)),
            (std::set<std::string>{"decode/1280x720", "map/cpu/1280x720/80x24/edge/fg",
                                   "draw/cpu/1280x720/80x24/edge/fg", "text/cpu/1280x720/80x24/edge/fg",
                                   "video/cpu/1280x720/80x24/edge/fg"}));
}

TEST(BenchCases, MatrixHasEveryCombination) {
  cli::Settings settings;
  settings.bench.matrix = true;
  const std::vector<BenchCase> cases = plan(settings);
  const auto maps = std::ranges::count(cases, Workload::Map, &BenchCase::workload);
  constexpr int Looks = 4 * 3 * 3 * 3 * 2;  // sizes, grids, modes, colors, renderers
  constexpr int Batches = 4 * 3 * 2;        // sizes, grids, numbers of frames per batch; only on the GPU
  EXPECT_EQ(maps, Looks + Batches);
  EXPECT_TRUE(names(cases).contains("map/gpu/640x360/80x24/edge/full/batch:32"));
  EXPECT_EQ(names(cases).size(), cases.size());
  EXPECT_EQ(std::ranges::count(cases, Workload::Decode, &BenchCase::workload), 1);
  // Cases of one size must be consecutive, because only frames of one size are in memory at a time.
  std::vector<BenchCase> sizes = cases;
  const auto end =
      std::unique(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.size == b.size; });
  EXPECT_EQ(end - sizes.begin(), 4);
}

TEST(BenchCases, WithoutGpuOnlyTheCpuIsMeasured) {
  CaseInputs inputs = Clip;
  inputs.has_gpu = false;
  for (const BenchCase& each : plan({}, inputs)) EXPECT_EQ(each.engine, BenchEngine::Cpu);
}

TEST(BenchCases, InputsThatCannotBeScaledKeepTheirSize) {
  cli::Settings settings;
  settings.bench.matrix = true;
  CaseInputs inputs = Clip;
  inputs.scalable = false;
  for (const BenchCase& each : plan(settings, inputs)) EXPECT_EQ(each.size, Clip.input);
}

TEST(BenchCases, ScaledInputEscapesTheFileName) {
  EXPECT_EQ(scaled_input("/a/b.mp4", {640, 360}), "lavfi:movie=/a/b.mp4,scale=640:360");
  EXPECT_EQ(scaled_input("a:b,c", {2, 4}), R"(lavfi:movie=a\\:b\,c,scale=2:4)");
}

}  // namespace
}  // namespace glyphreel::commands::cases_test
