// Draws cells with the fragment shader that draws windows, in every format that a window's images may have,
// and compares every pixel with the CPU renderer's picture.
#include "gpu/passes/draw_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "../../eventually.h"
#include "../support/gpu_fixture.h"
#include "../support/renderer_pair.h"
#include "base/threads/thread_pool.h"
#include "cases.h"
#include "gpu/presentation/surface_pixels.h"
#include "gpu/resources/host_frame_pool.h"
#include "mapping/cell_mapper.h"
#include "mapping/lattice_sampler.h"
#include "moving_frame.h"

namespace glyphreel::gpu {
namespace {

using parity::Case;
using Pixels = std::vector<std::uint32_t>;

/// The formats that choose_surface_format() returns. Vulkan devices can draw to all of them, except perhaps
/// the last.
constexpr VkFormat Formats[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
                                VK_FORMAT_A8B8G8R8_UNORM_PACK32, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                VK_FORMAT_A2R10G10B10_UNORM_PACK32};

/// Returns the pixels of a black window with the picture centered in it. A picture that is larger than the
/// window is cut off at the window's edges.
Pixels in_window(const Picture& picture, Extent window) {
  Pixels pixels(static_cast<std::size_t>(window.width) * static_cast<std::size_t>(window.height), 0xFF000000);
  const render::Overlap x = render::overlap(picture.size.width, window.width);
  const render::Overlap y = render::overlap(picture.size.height, window.height);
  for (int row = 0; row < y.count; ++row) {
    std::memcpy(
        &pixels[static_cast<std::size_t>((y.to + row) * window.width + x.to)],
        picture.planes[0] + static_cast<std::ptrdiff_t>(y.from + row) * picture.strides[0] + 4 * x.from,
        static_cast<std::size_t>(x.count) * 4);
  }
  return pixels;
}

/// Returns text over the middle of a picture of this case.
std::shared_ptr<const render::TextImage> text_image_of(const Case& test_case, std::uint32_t seed) {
  const Extent picture{test_case.grid.columns * test_case.cell.width,
                       test_case.grid.rows * test_case.cell.height};
  const render::TextPlace place = render::text_place(picture, 5, 1.3);
  const render::PlacedOverlay placed{overlay_of({.grid = place.grid, .cell = place.cell}, seed), place};
  return render::make_text_image(picture, {&placed, 1});
}

class DrawWindow : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (HasFatalFailure()) return;
    pool_ = HostFramePool::make(device());
    auto pipelines = Pipelines::make(*device());
    ASSERT_TRUE(pipelines) << pipelines.error().message;
    pipelines_ = *std::move(pipelines);
    auto sets = pipelines_->make_sets(1);
    ASSERT_TRUE(sets) << sets.error().message;
    sets_ = *std::move(sets);
    auto ring = FrameRing::make(device(), 1, nullptr);
    ASSERT_TRUE(ring) << ring.error().message;
    ring_ = *std::move(ring);
  }

  template <typename T>
  Buffer upload(std::span<const T> values) {
    auto made = make_buffer(*device(), values.size_bytes(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                            MemoryKind::Upload, "input");
    EXPECT_TRUE(made) << made.error().message;
    std::memcpy(made->mapped, values.data(), values.size_bytes());
    return *std::move(made);
  }

  /// Returns the source picture of the wipe: the frame scaled to the size of the drawn picture.
  static Pixels source_of(const Case& test_case, const Frame& frame) {
    ThreadPool pool(1);
    Pixels source(
        static_cast<std::size_t>(test_case.grid.cells() * test_case.cell.width * test_case.cell.height));
    const auto key =
        mapping::sample_key(frame.view, test_case.grid, test_case.cell, test_case.fit, test_case.mapping);
    mapping::SourceScaler().scale(frame.view, mapping::pixel_key(key, test_case.cell), pool, source.data());
    return source;
  }

  [[nodiscard]] bool is_drawable(VkFormat format) const {
    VkFormatProperties properties{};
    vkGetPhysicalDeviceFormatProperties(device()->physical(), format, &properties);
    return (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) != 0;
  }

  /// Draws the cells into an image with the bound descriptor sets, and reads the image back.
  Result<Pixels> draw(DrawPass& pass, Buffer& cells, Extent size, VkFormat format) {
    TRY_ASSIGN(const Image memory,
               make_image(*device(), size, format,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, "window"));
    TRY_ASSIGN(Image target, wrap_image(*device(), memory.handle, size, format, "window"));
    Pixels pixels(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
    std::shared_ptr<const HostBlock> block = pool_->acquire(pixels.size() * sizeof pixels[0]);
    const VkBuffer buffer = pool_->buffer_of(block.get());

    TRY_ASSIGN(FrameCommands frame_commands, ring_->begin());
    pass.record_window(frame_commands, sets_.slots[0], cells, target);
    Commands& commands = frame_commands.commands();
    ResourceState written;
    commands.use(target, CopyRead, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    commands.use(buffer, written, CopyWrite);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height), 1};
    vkCmdCopyImageToBuffer(commands.handle(), target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1,
                           &region);
    commands.use(buffer, written, HostRead);
    TRY(frame_commands.submit());
    TRY(ring_->finish(0));
    TRY_ASSIGN(block, pool_->for_reading(std::move(block)));
    std::memcpy(pixels.data(), block->bytes, pixels.size() * sizeof pixels[0]);
    return pixels;
  }

  /// Draws a frame in every format and compares the pixels with those of the CPU renderer.
  void compare(const Case& test_case, const render::FrameOptions& options, Extent window) {
    render::RenderSetup setup = setup_of(test_case, PictureFormat::Bgra8);
    setup.tables = parity::tables_of(test_case);
    ASSERT_TRUE(cpu_->configure(setup));
    const Frame frame = parity::moving_frame({}, 3);
    const auto rendered = cpu_->render(frame, options);
    ASSERT_TRUE(rendered) << rendered.error().message;

    std::vector<std::uint8_t> masks = setup.glyphs->masks();
    if (options.overlay)
      masks.insert(masks.end(), options.overlay->glyphs->masks.begin(), options.overlay->glyphs->masks.end());
    Buffer cells = upload(rendered->cells);
    const Buffer mask_buffer = upload(std::span<const std::uint8_t>(masks));
    const Buffer tables = upload(std::span<const std::uint32_t>(setup.tables->words));
    const Pixels scaled = source_of(test_case, frame);
    const Buffer source = upload(std::span<const std::uint32_t>(scaled));

    auto pass = DrawPass::make(*pipelines_, *setup.glyphs, test_case.grid);
    ASSERT_TRUE(pass) << pass.error().message;
    SlotResources slot;
    auto parameters = make_buffer(*device(), ParametersSize, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                  MemoryKind::Upload, "parameters");
    ASSERT_TRUE(parameters) << parameters.error().message;
    slot.parameters = *std::move(parameters);
    BindingWriter bindings;
    ASSERT_TRUE(pass->bind(
        slot, cells, mask_buffer,
        {.text = options.text,
         .source = options.wipe ? &source : nullptr,
         .wipe = options.wipe,
         .light = render::light_parameters(options.light, setup.tables->parameters, *setup.glyphs)},
        window, bindings));
    bindings.add(shared::TableBinding, tables);
    bindings.write(*device(), sets_.slots[0], {SetKind::Draw});

    const DrawPass::Features features{.has_layers = options.text || options.wipe,
                                      .has_light = options.light.is_on()};
    Pixels expected = in_window(rendered->picture, window);
    for (const VkFormat format : Formats) {
      // If the device cannot draw to the format, its windows do not have this format.
      if (!is_drawable(format) && !device()->is_software()) continue;
      Pixels converted(expected.size());
      convert_pixels(expected, format, converted);
      // First with the pipeline for all cell sizes, then with the one for this cell size.
      for (const bool is_specialized : {false, true}) {
        ASSERT_TRUE(pass->prepare_window(format, features));
        if (is_specialized) {
          ASSERT_TRUE(test::eventually(
              [&] { return pass->prepare_window(format, features) && pass->is_specialized(); }));
        }
        draws_for_any_cell_ += pass->is_specialized() ? 0 : 1;
        const auto drawn = draw(*pass, cells, window, format);
        ASSERT_TRUE(drawn) << drawn.error().message << drawn.error().cause;
        const auto at = std::ranges::mismatch(*drawn, converted);
        ASSERT_TRUE(at.in1 == drawn->end()) << fmt::format(
            "format {}: {:08X} instead of {:08X} at pixel {} of a window of {}x{}", static_cast<int>(format),
            *at.in1, *at.in2, at.in1 - drawn->begin(), window.width, window.height);
      }
    }
  }

  int draws_for_any_cell_ = 0;  ///< draws with the pipeline for all cell sizes
  StageTimes cpu_times_;
  std::unique_ptr<render::Renderer> cpu_ = render::make_cpu_renderer(1, cpu_times_);
  std::shared_ptr<HostFramePool> pool_;
  std::unique_ptr<Pipelines> pipelines_;
  DescriptorSets sets_;
  std::unique_ptr<FrameRing> ring_;
};

TEST_F(DrawWindow, PixelsMatchCpuInEveryFormat) {
  const parity::FrameOptions frame{.layout = parity::layout_named("yuv420p")};
  std::uint32_t seed = 0;
  for (const Case& test_case : {Case{.frame = frame, .grid = {23, 9}}, parity::wide_glyph_cases().at(20),
                                Case{.frame = frame, .grid = {19, 5}, .cell = {7, 13}}}) {
    SCOPED_TRACE(parity::describe(test_case));
    const Extent grid{test_case.grid.columns * test_case.cell.width,
                      test_case.grid.rows * test_case.cell.height};
    const Extent larger{grid.width + 37, grid.height + 20};
    const Extent smaller{grid.width - 31, grid.height - 16};
    const OverlayPointer overlay = overlay_of(test_case, ++seed);
    const auto text = text_image_of(test_case, ++seed);
    ASSERT_NE(text, nullptr);
    const render::PixelLight light{.glow = 65, .scanlines = 40};
    ASSERT_NO_FATAL_FAILURE(compare(test_case, {}, larger));
    ASSERT_NO_FATAL_FAILURE(compare(test_case, {.overlay = overlay}, grid));
    ASSERT_NO_FATAL_FAILURE(compare(test_case, {.text = text}, smaller));
    ASSERT_NO_FATAL_FAILURE(compare(test_case, {.wipe = 0.37}, larger));
    ASSERT_NO_FATAL_FAILURE(compare(test_case, {.light = light}, smaller));
    ASSERT_NO_FATAL_FAILURE(
        compare(test_case, {.light = light, .overlay = overlay, .text = text, .wipe = 0.6}, larger));
  }
  EXPECT_GE(draws_for_any_cell_,
            3 * 4);  // at least one draw for each of 3 cell sizes and 4 combinations of features
}

TEST(DrawWindowPipelines, NewCellSizesAreCompiledInTheBackground) {
  int compiled_here = 0;
  const auto thread = std::this_thread::get_id();
  auto device = Device::make({.on_pipeline = [&](const char*, VkPipeline) {
    if (std::this_thread::get_id() == thread) ++compiled_here;
  }});
  ASSERT_TRUE(device) << device.error().message;
  {
    auto pipelines = Pipelines::make(**device);
    ASSERT_TRUE(pipelines);
    for (int height = 12; height < 15; ++height) {
      auto pass = DrawPass::make(**pipelines, *parity::glyphs_of({.cell = {8, height}}), {20, 5});
      ASSERT_TRUE(pass) << pass.error().message;
      EXPECT_TRUE(test::eventually(
          [&] { return pass->prepare_window(VK_FORMAT_B8G8R8A8_UNORM, {}) && pass->is_specialized(); }));
    }
  }
  EXPECT_EQ(compiled_here, 1);  // the pipeline for all cell sizes
}

}  // namespace
}  // namespace glyphreel::gpu
