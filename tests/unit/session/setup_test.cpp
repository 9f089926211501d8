#include "session/setup.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "mapping/tables/palette.h"

namespace glyphreel::session::setup_test {
namespace {

media::VideoFacts facts(Extent size, Rotation rotation = Rotation::None) {
  return {.size = size,
          .frame_rate = {30000, 1001},
          .rotation = rotation,
          .duration_seconds = 10.0,
          .frame_count = 300};
}

TEST(WindowLayout, CellFillsWindow) {
  const cli::Settings settings;
  EXPECT_EQ(window_layout(settings, {1280, 720}, 1), (WindowLayout{{160, 45}, {8, 16}}));
  EXPECT_EQ(window_layout(settings, {1287, 735}, 1), (WindowLayout{{160, 45}, {8, 16}}))
      << "only whole cells count";
  EXPECT_EQ(window_layout(settings, {2560, 1440}, 2), (WindowLayout{{160, 45}, {16, 32}}));
  EXPECT_EQ(window_layout(settings, {1920, 1080}, 1.5), (WindowLayout{{160, 45}, {12, 24}}));
  EXPECT_EQ(window_layout(settings, {3, 3}, 1), (WindowLayout{{1, 1}, {8, 16}}));
  EXPECT_EQ(window_layout(settings, {0, 0}, 1), (WindowLayout{{1, 1}, {8, 16}})) << "a minimized window";
  EXPECT_EQ(window_layout(settings, {1280, 720}, 0.01), (WindowLayout{{1280, 720}, {1, 1}}));
  EXPECT_EQ(window_layout(settings, {1280, 720}, 1000), (WindowLayout{{5, 2}, {255, 255}}));
}

TEST(WindowLayout, FixedGridScalesCell) {
  cli::Settings settings;
  settings.layout.grid = GridSize{80, 25};
  EXPECT_EQ(window_layout(settings, {640, 400}, 1), (WindowLayout{{80, 25}, {8, 16}}));
  EXPECT_EQ(window_layout(settings, {1280, 800}, 1), (WindowLayout{{80, 25}, {16, 32}}));
  EXPECT_EQ(window_layout(settings, {1280, 400}, 1), (WindowLayout{{80, 25}, {8, 16}}))
      << "the aspect ratio is kept";
  EXPECT_EQ(window_layout(settings, {1280, 800}, 3), (WindowLayout{{80, 25}, {16, 32}}))
      << "a fixed grid ignores the scale";
  EXPECT_EQ(window_layout(settings, {10, 10}, 1), (WindowLayout{{80, 25}, {1, 1}}));
  for (int width = 80; width < 3000; width += 7) {
    for (const int height : {100, 333, 720, 1081}) {
      const WindowLayout layout = window_layout(settings, {width, height}, 1);
      EXPECT_TRUE(layout.cell == (CellSize{1, 1}) || layout.cell.width == 1 ||
                  layout.cell.width * 80 <= width);
      EXPECT_TRUE(layout.cell.height == 1 || layout.cell.height * 25 <= height);
    }
  }
}

TEST(OfflineLayout, FollowsInput) {
  cli::Settings settings;
  const auto expect = [&](const media::VideoFacts& input, GridSize grid) {
    const auto layout = offline_layout(settings, input);
    ASSERT_TRUE(layout);
    EXPECT_EQ(*layout, (WindowLayout{grid, settings.layout.cell}));
  };
  expect(facts({1920, 1080}), {240, 67});
  expect(facts({1280, 720}), {160, 45});
  expect(facts({854, 480}), {160, 45});
  expect(facts({1280, 720}, Rotation::Clockwise90), {160, 142});
  expect(facts({32, 18}), {160, 45});
  expect(facts({1024, 429}), {162, 34});  // 33 rows would need only 157 columns, fewer than 160
  expect(facts({16, 4096}), {8, 1024});   // a picture's side has at most 16384 pixels
  media::VideoFacts pal = facts({1440, 1152});
  pal.sample_aspect_ratio = {64, 45};
  expect(pal, {256, 72});
  settings.layout.cell = {10, 20};
  expect(facts({1920, 1080}), {192, 54});
}

TEST(OfflineLayout, ObeysGridAndSize) {
  cli::Settings settings;
  settings.layout.size = Extent{1000, 500};
  EXPECT_EQ(*offline_layout(settings, facts({1920, 1080})), (WindowLayout{{125, 31}, {8, 16}}));
  settings.layout.grid = GridSize{50, 9};
  EXPECT_EQ(*offline_layout(settings, facts({1920, 1080})), (WindowLayout{{50, 9}, {20, 40}}));
  settings.layout.grid = GridSize{1001, 9};
  EXPECT_FALSE(offline_layout(settings, facts({1920, 1080})));
  settings.layout.size.reset();
  EXPECT_EQ(*offline_layout(settings, facts({1920, 1080})), (WindowLayout{{1001, 9}, {8, 16}}));
  settings.layout.grid.reset();
  settings.layout.size = Extent{7, 16};
  EXPECT_FALSE(offline_layout(settings, facts({1920, 1080}))) << "not even one cell fits";
}

TEST(ExpectedFrames, CountWholeInputs) {
  const cli::Settings settings;
  EXPECT_EQ(expected_frames(settings, facts({640, 480}), {}), 300);
  media::VideoFacts unknown = facts({640, 480});
  unknown.frame_count = 0;
  EXPECT_EQ(expected_frames(settings, unknown, {}), 300) << "29.97 fps for 10 s";
  unknown.duration_seconds.reset();
  EXPECT_EQ(expected_frames(settings, unknown, {}), 0);
  unknown.duration_seconds = 10;
  unknown.frame_rate = {0, 1};
  EXPECT_EQ(expected_frames(settings, unknown, {}), 0);
}

TEST(ExpectedFrames, CountPartialInputs) {
  media::VideoFacts input = facts({640, 480});
  input.frame_rate = {25, 1};
  struct Range {
    std::optional<double> start, end;
    std::int64_t frames;
  };
  const Range ranges[] = {
      {2.0, {}, 200}, {{}, 4.0, 100}, {2.0, 4.0, 50}, {8.0, 13.0, 50}, {{}, 99.0, 250}, {20.0, {}, 0},
  };
  for (const Range& range : ranges) {
    EXPECT_EQ(expected_frames({}, input, {range.start, range.end}), range.frames)
        << range.start.value_or(-1) << ' ' << range.end.value_or(-1);
  }
}

TEST(ExpectedFrames, AreLimitedByRequest) {
  cli::Settings settings;
  settings.playback.frames = 10;
  EXPECT_EQ(expected_frames(settings, facts({640, 480}), {}), 10);
  settings.playback.frames = 1000;
  EXPECT_EQ(expected_frames(settings, facts({640, 480}), {}), 300);
  media::VideoFacts unknown;
  EXPECT_EQ(expected_frames(settings, unknown, {}), 1000);
}

TEST(DecideRenderer, HandlesMissingDevice) {
  const Result<std::shared_ptr<gpu::Device>> none =
      Error{ErrorCode::NoDevice, "No Vulkan driver was found.", "VK_ERROR_INCOMPATIBLE_DRIVER"};
  cli::Settings settings;
  const auto automatic = decide_renderer(settings, none);
  ASSERT_TRUE(automatic);
  EXPECT_FALSE(automatic->use_gpu);
  EXPECT_EQ(automatic->reason, "No Vulkan driver was found");

  settings.engine.renderer = cli::RendererChoice::Cpu;
  const auto cpu = decide_renderer(settings, none);
  ASSERT_TRUE(cpu);
  EXPECT_FALSE(cpu->use_gpu);

  settings.engine.renderer = cli::RendererChoice::Gpu;
  const auto gpu = decide_renderer(settings, none);
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().code, ErrorCode::NoDevice);
  EXPECT_EQ(gpu.error().message, none.error().message);
}

TEST(MappingParameters, IncludeEveryOption) {
  cli::Settings settings;
  settings.glyphs.mode = Mode::Ramp;
  settings.picture.color = cli::ColorChoice::Fg;
  settings.glyphs.sample = Sampling::Corner;
  settings.glyphs.luma = Luma::Bt709;
  settings.picture.foreground = 0x112233;
  settings.picture.background = 0x445566;
  settings.glyphs.ramp = " x";
  settings.glyphs.thresholds = {128};
  const mapping::Parameters parameters = mapping_parameters(settings);
  EXPECT_EQ(parameters.mode, Mode::Ramp);
  EXPECT_EQ(parameters.color, mapping::Color::Fg);
  EXPECT_EQ(parameters.sampling, Sampling::Corner);
  EXPECT_EQ(parameters.luma, Luma::Bt709);
  EXPECT_EQ(parameters.foreground, 0x112233u);
  EXPECT_EQ(parameters.background, 0x445566u);
  EXPECT_EQ(parameters.ramp, " x");
  EXPECT_EQ(parameters.thresholds, std::vector<int>{128});
  settings.glyphs.mode = Mode::Edge;
  EXPECT_EQ(mapping_parameters(settings).mode, Mode::Edge);
  EXPECT_EQ(mapping_parameters(settings).ramp, "") << "a custom ramp is inactive in other modes";
  EXPECT_TRUE(mapping_parameters(settings).thresholds.empty());
  EXPECT_EQ(mapping_parameters({}).mode, Mode::Shape);
  EXPECT_EQ(mapping_parameters({}).color, mapping::Color::Full);
  EXPECT_EQ(mapping_parameters({}).sampling, Sampling::Area);
}

TEST(MappingParameters, IncludeEveryColorOption) {
  cli::Settings settings;
  settings.picture.color = cli::ColorChoice::Mono;
  settings.picture.reverse = Reverse::PerCell;
  settings.picture.inverted = true;
  settings.picture.brightness = 1;
  settings.picture.contrast = 2;
  settings.picture.gamma = 3;
  settings.picture.saturation = -4;
  settings.picture.auto_levels = false;
  settings.picture.legibility = 0.25;
  settings.picture.stability = 0.75;
  settings.picture.dither = Dither::BlueNoise;
  const mapping::Parameters parameters = mapping_parameters(settings);
  EXPECT_EQ(parameters.color, mapping::Color::Mono);
  EXPECT_EQ(parameters.reverse, Reverse::PerCell);
  EXPECT_EQ(frame_options(settings).adjustments, (mapping::Adjustments{1, 2, 3, -4, true}));
  EXPECT_EQ(parameters.auto_levels, mapping::AutoLevels::Off);
  EXPECT_EQ(parameters.legibility, 0.25);
  EXPECT_EQ(parameters.stability, 0.75);
  EXPECT_EQ(parameters.dither, Dither::BlueNoise);
  settings.picture.dither = Dither::Bayer;
  EXPECT_EQ(mapping_parameters(settings).dither, Dither::Bayer);

  const mapping::Parameters defaults = mapping_parameters({});
  const mapping::Parameters same;
  EXPECT_EQ(defaults.reverse, same.reverse);
  EXPECT_EQ(frame_options({}), render::FrameOptions());
  EXPECT_EQ(defaults.auto_levels, same.auto_levels);
  EXPECT_FALSE(defaults.legibility) << "the default depends on the glyphs";
  EXPECT_EQ(defaults.stability, same.stability);
  EXPECT_EQ(defaults.dither, same.dither);
}

TEST(MappingParameters, PalettesImplyFullColor) {
  cli::Settings settings;
  settings.picture.palette = {0x000000, 0x123456};
  EXPECT_EQ(mapping_parameters(settings).palette, settings.picture.palette);
  settings.picture.color = cli::ColorChoice::Mono;
  EXPECT_TRUE(mapping_parameters(settings).palette.empty());
  settings.picture.color = cli::ColorChoice::Ansi16;
  EXPECT_EQ(mapping_parameters(settings).color, mapping::Color::Full);
  EXPECT_EQ(mapping_parameters(settings).palette, mapping::ansi16_palette());
  settings.picture.color = cli::ColorChoice::Ansi256;
  EXPECT_EQ(mapping_parameters(settings).color, mapping::Color::Full);
  EXPECT_EQ(mapping_parameters(settings).palette.size(), 240u) << "without the 16 user-defined colors";
  EXPECT_EQ(mapping_parameters(settings).palette.front(), 0x000000u);
  EXPECT_EQ(mapping_parameters(settings).palette.back(), 0xEEEEEEu);
}

TEST(WithPalette, ReadsFile) {
  const std::string path = testing::TempDir() + "glyphreel-setup-test.txt";
  std::ofstream(path) << "#102030\n#FFFFFF\n";
  cli::Settings settings;
  settings.picture.palette_file = path;
  const auto read = with_palette(settings);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->picture.palette, (std::vector<std::uint32_t>{0x102030, 0xFFFFFF}));
  EXPECT_TRUE(with_palette({})->picture.palette.empty());

  std::ofstream(path) << "#102030\nblue\n";
  const auto wrong = with_palette(settings);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::Usage);
  EXPECT_NE(wrong.error().message.find("ine 2"), std::string::npos) << wrong.error().message;
  std::filesystem::remove(path);
}

TEST(MakeGlyphs, CustomRampIsTheCharset) {
  cli::Settings settings;
  settings.glyphs.mode = Mode::Ramp;
  settings.glyphs.ramp = " 1728";
  const auto glyphs = make_glyphs(settings, {8, 16});
  ASSERT_TRUE(glyphs) << glyphs.error().message;
  EXPECT_EQ((*glyphs)->size(), 5);
  settings.glyphs.mode = Mode::Shape;
  EXPECT_EQ((*make_glyphs(settings, {8, 16}))->size(), 95);
}

/// Decoders use their own memory until bind() provides the renderer's.
TEST(DeferredHostMemory, AllocatesOnlyOnceBound) {
  DeferredHostMemory late;
  EXPECT_FALSE(late.acquire(100));
  const auto heap = make_heap_memory();
  late.bind(heap.get());
  const auto block = late.acquire(100);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->origin, heap.get());
  late.bind(nullptr);
  EXPECT_FALSE(late.acquire(100));
}

}  // namespace
}  // namespace glyphreel::session::setup_test
