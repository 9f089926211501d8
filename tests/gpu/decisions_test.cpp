// Tests the decisions that the GPU code makes without a device.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gpu/device/device_choice.h"
#include "gpu/device/memory_policy.h"
#include "gpu/passes/dispatch.h"
#include "gpu/passes/draw_pass.h"
#include "gpu/passes/exact_division.h"
#include "gpu/passes/packed_axis.h"
#include "gpu/presentation/surface_pixels.h"
#include "gpu/presentation/swapchain.h"
#include "gpu/resources/resource_state.h"

namespace glyphreel::gpu {
namespace {

TEST(ExactDivision, EqualsDivisionForEveryCellSize) {
  for (std::uint32_t divisor = 1; divisor <= 255; ++divisor) {
    const ExactDivision by = exact_division(divisor);
    for (std::uint32_t x = 0; x < MaxDividend; ++x) {
      ASSERT_LE(static_cast<std::uint64_t>(x) * by.multiplier, UINT32_MAX) << x << " / " << divisor;
      ASSERT_EQ((x * by.multiplier) >> by.shift, x / divisor) << x << " / " << divisor;
    }
  }
}

TEST(MemoryPolicy, FollowsFromKindAndMemoryTypes) {
  constexpr VkMemoryPropertyFlags Visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  constexpr VkMemoryPropertyFlags Coherent = Visible | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags Cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const auto policy = [](DeviceKind kind, const std::vector<VkMemoryPropertyFlags>& types) {
    VkPhysicalDeviceMemoryProperties memory{};
    memory.memoryTypeCount = static_cast<std::uint32_t>(types.size());
    for (std::size_t i = 0; i < types.size(); ++i) memory.memoryTypes[i].propertyFlags = types[i];
    return choose_memory_policy(kind, memory);
  };
  using Access = MemoryPolicy::HostAccess;
  EXPECT_EQ(policy(DeviceKind::Cpu, {Coherent | Cached}), (MemoryPolicy{Access::Coherent, false}));
  EXPECT_EQ(policy(DeviceKind::Integrated, {Visible | Cached, Coherent, Coherent | Cached}),
            (MemoryPolicy{Access::Coherent, false}))
      << "the order of the memory types must not matter";
  EXPECT_EQ(policy(DeviceKind::Integrated, {Coherent, Visible | Cached}),
            (MemoryPolicy{Access::Flushed, false}));
  EXPECT_EQ(policy(DeviceKind::Integrated, {Coherent}), (MemoryPolicy{Access::Uncached, false}));
  EXPECT_EQ(policy(DeviceKind::Discrete, {0, Coherent, Coherent | Cached}),
            (MemoryPolicy{Access::Coherent, true}));
}

TEST(Dispatch, RoundsUp) {
  EXPECT_EQ(groups_for(1, 64), 1u);
  EXPECT_EQ(groups_for(64, 64), 1u);
  EXPECT_EQ(groups_for(65, 64), 2u);
  EXPECT_EQ(cell_groups({240, 67}), (GroupCount{252, 1}));
  EXPECT_EQ(cell_groups({1, 1}), (GroupCount{1, 1}));
  EXPECT_EQ(cell_groups({300, 240}), (GroupCount{1024, 2})) << "groups beyond the limit in x continue in y";
  EXPECT_EQ(pair_groups({240, 67}), (GroupCount{126, 1}));
  EXPECT_EQ(pair_groups({1, 65}), (GroupCount{2, 1})) << "the last odd column counts as a pair";
  EXPECT_EQ(sample_groups({240, 67}, {4, 8}), (GroupCount{4, 536}));
  EXPECT_EQ(sample_groups({1, 1}, {1, 1}), (GroupCount{1, 1}));
}

/// Returns a plan for a planar 8-bit 4:2:0 frame on a grid of 10 x 5 cells with 4 x 8 samples each.
mapping::SamplePlan plan_for(Extent size, Rotation rotation) {
  mapping::SampleKey key{.size = size, .rotation = rotation, .samples = {4, 8}};
  key.layout.model = ColorModel::Yuv;
  key.layout.components[1] = {.plane = 1, .log2_subsampling_x = 1, .log2_subsampling_y = 1};
  key.layout.components[2] = {.plane = 2, .log2_subsampling_x = 1, .log2_subsampling_y = 1};
  key.placement = {.grid = {10, 5}, .left = 1, .columns = 8, .rows = 5};
  return mapping::make_sample_plan(key);
}

TEST(PackedAxis, PacksFirstSamplesAndWeights) {
  for (const int width : {32, 64, 70, 100, 160}) {
    const mapping::SamplePlan plain = plan_for({width, 48}, Rotation::None);
    mapping::SamplePlan packed = plain;
    const ReadSpans spans = pack_axes(packed);
    ASSERT_NE(spans.first, 0u) << width;
    const std::uint32_t taps = plain.parameters.component_0.taps_x;
    EXPECT_GE(spans.first, 3 * static_cast<std::uint32_t>(width) / 32 + taps - 1) << width;
    for (std::uint32_t x = 0; x < 40; ++x) {
      const std::uint32_t* entry =
          packed.axis_words.data() + packed.parameters.component_0.axis_x + x * packed_entry_words(taps);
      const std::uint32_t first = plain.axis_words[plain.parameters.component_0.axis_x + x];
      if (x < 4 || x >= 36) {
        EXPECT_EQ(entry[0], mapping::shared::AxisOutside) << x;
        continue;
      }
      const std::uint32_t* weights =
          plain.axis_words.data() + plain.parameters.component_0.axis_x + 40 + x * taps;
      EXPECT_EQ(entry[0], first | weights[0] << 16) << width << ' ' << x;
      for (std::uint32_t tap = 1; taps > 2 && tap < taps; ++tap) {
        EXPECT_EQ((entry[1 + (tap - 1) / 2] >> ((tap - 1) % 2 * 16)) & 0xFFFF, weights[tap])
            << width << ' ' << x;
      }
    }
  }
}

TEST(PackedAxis, CountsBytesOfWideSamples) {
  mapping::SamplePlan narrow = plan_for({160, 48}, Rotation::None);
  mapping::SamplePlan wide = plan_for({160, 48}, Rotation::None);
  wide.parameters.bytes_per_sample = 2;
  for (auto* component :
       {&wide.parameters.component_0, &wide.parameters.component_1, &wide.parameters.component_2}) {
    component->step *= 2;
    component->shift = 6;  // P010
    component->mask = 1023;
  }
  const ReadSpans bytes = pack_axes(narrow);
  ASSERT_NE(bytes.first, 0u);
  EXPECT_EQ(pack_axes(wide), (ReadSpans{.first = 2 * bytes.first, .others = 2 * bytes.others}));
}

TEST(PackedAxis, RejectsUnpackableAxes) {
  for (const Rotation rotation : {Rotation::Clockwise90, Rotation::Half, Rotation::Clockwise270}) {
    mapping::SamplePlan plan = plan_for({100, 48}, rotation);
    EXPECT_EQ(pack_axes(plan), ReadSpans{});
    EXPECT_EQ(plan.axis_words, plan_for({100, 48}, rotation).axis_words);
  }
  // In the first plan, each cell spans 125 bytes of a row. In the second one, each cell spans 150 bytes,
  // which exceed MaxSpanWords words (128 bytes).
  mapping::SamplePlan widest = plan_for({1000, 48}, Rotation::None);
  EXPECT_EQ(pack_axes(widest).first, 125u);
  mapping::SamplePlan wide = plan_for({1200, 48}, Rotation::None);
  EXPECT_EQ(pack_axes(wide).first, 0u);
}

TEST(Dispatch, CoversEveryPixel) {
  for (const int width : {2, 8, 10, 254, 256, 258, 1920}) {
    for (const int height : {2, 16, 1080}) {
      const GroupCount quads = picture_groups({width, height}, PictureFormat::Bgra8);
      EXPECT_GE(quads.x * shared::PackGroupWidth * shared::QuadWidth, static_cast<std::uint32_t>(width));
      EXPECT_EQ(quads.y, static_cast<std::uint32_t>(height));
      const GroupCount groups = picture_groups({width, height}, PictureFormat::Yuv420p);
      EXPECT_GE(groups.x * shared::PackGroupWidth * shared::PackBlockWidth,
                static_cast<std::uint32_t>(width));
      EXPECT_EQ(groups.y * shared::PackBlockHeight, static_cast<std::uint32_t>(height));
    }
  }
}

TEST(Centered, IsNegativeForLargerGrid) {
  EXPECT_EQ(centered(100, 80), 10);
  EXPECT_EQ(centered(80, 100), -10);
}

TEST(ResourceState, FirstUseNeedsNoBarrier) {
  ResourceState state;
  EXPECT_FALSE(state.next_use(ComputeWrite).needed);
}

TEST(ResourceState, ReadAfterWriteWaitsOncePerStage) {
  ResourceState state;
  static_cast<void>(state.next_use(ComputeWrite));
  const BarrierSource compute = state.next_use(ComputeRead);
  EXPECT_TRUE(compute.needed);
  EXPECT_EQ(compute.stage, ComputeWrite.stage);
  EXPECT_EQ(compute.access, ComputeWrite.access);
  EXPECT_FALSE(state.next_use(ComputeRead).needed);
  EXPECT_TRUE(state.next_use(FragmentRead).needed);
  EXPECT_FALSE(state.next_use(FragmentRead).needed);
}

TEST(ResourceState, WriteWaitsForAllReadsSince) {
  ResourceState state;
  static_cast<void>(state.next_use(ComputeWrite));
  static_cast<void>(state.next_use(FragmentRead));
  static_cast<void>(state.next_use(CopyRead));
  const BarrierSource barrier = state.next_use(ComputeWrite);
  EXPECT_TRUE(barrier.needed);
  EXPECT_EQ(barrier.stage & FragmentRead.stage, FragmentRead.stage);
  EXPECT_EQ(barrier.stage & CopyRead.stage, CopyRead.stage);
}

/// Every frame updates a buffer and then reads it. Each update must wait for the previous update and for the
/// reads that followed the previous update.
TEST(ResourceState, UpdatesWaitForUpdatesAndReads) {
  ResourceState state;
  EXPECT_FALSE(state.next_use(FillWrite).needed);
  const BarrierSource update = state.next_use(ComputeUpdate);
  EXPECT_TRUE(update.needed);
  EXPECT_EQ(update.access, FillWrite.access);
  const BarrierSource again = state.next_use(ComputeUpdate);
  EXPECT_TRUE(again.needed);
  EXPECT_EQ(again.access, ComputeWrite.access);
  EXPECT_TRUE(state.next_use(ComputeRead).needed);
  const BarrierSource cleared = state.next_use(FillWrite);
  EXPECT_TRUE(cleared.needed);
  EXPECT_EQ(cleared.stage, ComputeRead.stage);
}

TEST(ResourceState, LayoutChangeIsWrite) {
  ResourceState state;
  static_cast<void>(state.next_use(ColorWrite, ImageLayout::Changed));
  EXPECT_TRUE(state.next_use(CopyRead, ImageLayout::Changed).needed);
  EXPECT_FALSE(state.next_use(CopyRead).needed);
  const BarrierSource again = state.next_use(ColorWrite, ImageLayout::Changed);
  EXPECT_EQ(again.stage, CopyRead.stage);
}

TEST(ResourceState, ResetUsesWaitStageAsSource) {
  ResourceState state;
  static_cast<void>(state.next_use(CopyWrite, ImageLayout::Changed));
  state.reset(ColorWrite.stage);
  EXPECT_EQ(state.next_use(ClearWrite, ImageLayout::Changed).stage, ColorWrite.stage);
}

DeviceFacts good_facts() {
  return {.api_version = (1u << 22) | (3u << 12),
          .kind = DeviceKind::Discrete,
          .timeline_semaphore = true,
          .synchronization2 = true,
          .dynamic_rendering = true,
          .maintenance4 = true,
          .graphics_and_compute = true,
          .storage_buffers = 8,
          .group_invocations = 256,
          .fragment_resources = 6};
}

TEST(DeviceChoice, PrefersRealHardware) {
  int last = 0;
  for (const DeviceKind kind :
       {DeviceKind::Cpu, DeviceKind::Virtual, DeviceKind::Integrated, DeviceKind::Discrete}) {
    DeviceFacts facts = good_facts();
    facts.kind = kind;
    EXPECT_GT(score_of(facts), last) << kind_name(kind);
    last = score_of(facts);
  }
}

TEST(DeviceChoice, NamesMissingFeatures) {
  EXPECT_EQ(reason_against(good_facts()), "");
  DeviceFacts old = good_facts();
  old.api_version = (1u << 22) | (1u << 12);
  EXPECT_EQ(reason_against(old), "its driver supports Vulkan 1.1, but 1.3 is required");
  EXPECT_EQ(score_of(old), 0);
  DeviceFacts blind = good_facts();
  blind.presents = false;
  EXPECT_EQ(reason_against(blind), "it cannot present to this window");
  DeviceFacts small = good_facts();
  small.storage_buffers = 4;
  EXPECT_EQ(reason_against(small),
            "its maximum number of storage buffers per shader stage is 4, but 8 are required");
  DeviceFacts narrow = good_facts();
  narrow.group_invocations = 128;
  EXPECT_EQ(reason_against(narrow),
            "its maximum number of invocations per work group is 128, but 256 are required");
  DeviceFacts few = good_facts();
  few.fragment_resources = 4;
  EXPECT_EQ(reason_against(few),
            "its maximum number of buffers and outputs per fragment shader is 4, but 6 are required");
}

TEST(Swapchain, ChoosesSurfaceFormat) {
  const VkColorSpaceKHR srgb = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  const VkSurfaceFormatKHR bgra_srgb{VK_FORMAT_B8G8R8A8_SRGB, srgb};
  const VkSurfaceFormatKHR bgra{VK_FORMAT_B8G8R8A8_UNORM, srgb};
  const VkSurfaceFormatKHR rgba{VK_FORMAT_R8G8B8A8_UNORM, srgb};
  const VkSurfaceFormatKHR rgb10{VK_FORMAT_A2R10G10B10_UNORM_PACK32, srgb};
  const VkSurfaceFormatKHR hdr10{VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_COLOR_SPACE_HDR10_ST2084_EXT};
  const auto chosen = [](std::vector<VkSurfaceFormatKHR> formats) { return choose_surface_format(formats); };
  EXPECT_EQ(chosen({bgra_srgb, rgb10, rgba, bgra}), VK_FORMAT_B8G8R8A8_UNORM);
  EXPECT_EQ(chosen({hdr10, rgb10}), VK_FORMAT_A2R10G10B10_UNORM_PACK32) << "a screen with 30 bits per pixel";
  EXPECT_EQ(chosen({bgra_srgb, hdr10}), VK_FORMAT_UNDEFINED);
}

TEST(Swapchain, PrefersOpaqueCompositing) {
  constexpr VkCompositeAlphaFlagsKHR Inherited = VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  constexpr VkCompositeAlphaFlagsKHR Premultiplied = VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR;
  EXPECT_EQ(choose_composite_alpha(Inherited | Premultiplied | VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR),
            VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR);
  EXPECT_EQ(choose_composite_alpha(Inherited | Premultiplied), VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR);
  EXPECT_EQ(choose_composite_alpha(Inherited), VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR);
}

TEST(Swapchain, ConvertsPixelsLikeShaderOutputs) {
  const std::vector<std::uint32_t> bgra = {0xFF000000, 0xFFFFFFFF, 0xFF018040};
  const auto converted = [&](VkFormat format) {
    std::vector<std::uint32_t> out(bgra.size());
    convert_pixels(bgra, format, out);
    return out;
  };
  using Pixels = std::vector<std::uint32_t>;
  EXPECT_EQ(converted(VK_FORMAT_B8G8R8A8_UNORM), bgra);
  EXPECT_EQ(converted(VK_FORMAT_R8G8B8A8_UNORM), (Pixels{0xFF000000, 0xFFFFFFFF, 0xFF408001}));
  EXPECT_EQ(converted(VK_FORMAT_A8B8G8R8_UNORM_PACK32), converted(VK_FORMAT_R8G8B8A8_UNORM));
  // The 8-bit values 1, 128 and 64 become 4.01, 513.5 and 256.8 at 10 bits, and are then rounded.
  EXPECT_EQ(converted(VK_FORMAT_A2R10G10B10_UNORM_PACK32),
            (Pixels{0xC0000000, 0xFFFFFFFF, 3u << 30 | 4u << 20 | 514u << 10 | 257u}));
  EXPECT_EQ(converted(VK_FORMAT_A2B10G10R10_UNORM_PACK32),
            (Pixels{0xC0000000, 0xFFFFFFFF, 3u << 30 | 257u << 20 | 514u << 10 | 4u}));
}

DeviceListing listing(int index, const char* name, int score, const char* reason = "") {
  return {.index = index, .name = name, .score = score, .reason = reason};
}

TEST(DeviceChoice, PicksBestOrNamedDevice) {
  const std::vector<DeviceListing> devices = {listing(0, "llvmpipe", 10), listing(1, "GeForce RTX", 1000),
                                              listing(2, "Old Card", 0, "it lacks maintenance4")};
  EXPECT_EQ(*choose_device(devices, ""), 1u);
  EXPECT_EQ(*choose_device(devices, "0"), 0u);
  EXPECT_EQ(*choose_device(devices, "geforce"), 1u);
  EXPECT_EQ(*choose_device(devices, "LLVM"), 0u);
  EXPECT_EQ(
      choose_device(devices, "2").error().message,
      "Old Card cannot be used: it lacks maintenance4; choose a different --device or use --renderer cpu.");
  EXPECT_EQ(choose_device(devices, "radeon").error().message,
            "No GPU matches --device radeon; choose one of: 0: llvmpipe, 1: GeForce RTX, 2: Old Card.");
  EXPECT_EQ(*find_device(devices, "old"), 2u) << "unusable devices must be found, too";
  EXPECT_EQ(
      find_device({}, "5").error().message,
      "There is no GPU for --device 5 because no Vulkan driver was found; omit --device, or install your "
      "GPU's driver.");
  EXPECT_EQ(choose_device({}, "").error().code, ErrorCode::NoDevice);
}

TEST(DeviceChoice, WindowsUseFirstGpu) {
  const DeviceListing software{.name = "llvmpipe", .kind = DeviceKind::Cpu, .score = 10};
  const DeviceListing old{
      .name = "Old Card", .kind = DeviceKind::Discrete, .score = 0, .reason = "it is old"};
  const DeviceListing integrated{.name = "Iris", .kind = DeviceKind::Integrated, .score = 500};
  const DeviceListing discrete{.name = "GeForce RTX", .kind = DeviceKind::Discrete, .score = 1000};
  const std::vector<DeviceListing> laptop = {software, old, integrated, discrete};
  EXPECT_EQ(*choose_device(laptop, "", DevicePreference::Display), 2u);
  EXPECT_EQ(*choose_device(laptop, "", DevicePreference::Fastest), 3u);
  EXPECT_EQ(*choose_device(laptop, "rtx", DevicePreference::Display), 3u);
  EXPECT_EQ(*choose_device({old, software}, "", DevicePreference::Display), 1u);
}

}  // namespace
}  // namespace glyphreel::gpu
