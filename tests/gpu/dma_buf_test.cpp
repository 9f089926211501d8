// Tests DRM PRIME frames that the GPU reads in place. Their memory comes from the kernel's udmabuf driver
// instead of a decoder; without that driver, tests/tools/pretend_dma_bufs.cpp emulates dma-bufs for lavapipe.
// Every cell must equal the cell that the CPU renderer makes from the same samples. On a machine with a GPU,
// tests/gpu/run_on_gpu.sh runs these tests.
#include <dirent.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "../threads_at_rest.h"
#include "cases.h"
#include "gpu/gpu_renderer.h"
#include "interop/drm/drm_import.h"
#include "interop/frame_importer.h"
#include "media/hwdec/hardware_surface.h"
#include "support/drm_frames.h"
#include "support/gpu_fixture.h"

namespace glyphreel::gpu {
namespace {

using interop::drm_code;
using interop::DrmImport;
using parity::Case;
using Layers = DrmOptions::Layers;

/// The allowed growth of resident memory in bytes. The allocator's own caches vary by less. A leak of a
/// thousand surfaces of 8 KiB and their objects would be larger.
constexpr std::size_t AllowedGrowth = std::size_t{6} << 20;

int open_descriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

/// Returns the process's resident memory in bytes.
std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// A GPU renderer's frame source that imports each frame with a `DrmImport` that tests can inspect.
class DrmSource final : public FrameSource {
 public:
  explicit DrmSource(const std::shared_ptr<Device>& device) : import_(DrmImport::make(device)) {}
  Result<GpuFrame> import_frame(const Frame& frame) override {
    const auto& surface = static_cast<const media::HardwareSurface&>(*frame.surface);
    TRY_ASSIGN(GpuFrame imported, import_->import_frame(surface.frame(), frame.view));
    took_buffer_ = imported.buffer != VK_NULL_HANDLE;
    waits_ = imported.waits.size();
    using Owners = std::pair<std::shared_ptr<const Surface>, std::shared_ptr<const void>>;
    imported.owner = std::make_shared<const Owners>(frame.surface, std::move(imported.owner));
    return imported;
  }
  HostMemory* memory() override { return nullptr; }
  [[nodiscard]] DrmImport& import() { return *import_; }
  [[nodiscard]] bool took_buffer() const { return took_buffer_; }
  [[nodiscard]] std::size_t waits() const { return waits_; }

 private:
  std::unique_ptr<DrmImport> import_;
  bool took_buffer_ = false;
  std::size_t waits_ = 0;
};

class DmaBuf : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (HasFatalFailure()) return;
    const bool imports =
        DrmImport::make(device()) && device()->has(VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME);
    if (!imports && !device()->is_software()) GTEST_SKIP() << device()->name() << " imports no dma-bufs";
    ASSERT_TRUE(imports) << device()->name()
                         << " imports no dma-bufs: Mesa 24.3 or later is needed, see scripts/fetch_mesa.sh";
    if (!has_udmabufs()) GTEST_SKIP() << "the kernel has no /dev/udmabuf";
    if (const std::string reason = why_unreadable(); !reason.empty() && !device()->is_software()) {
      GTEST_SKIP() << device()->name() << " imports no udmabufs: " << reason;
    }
    auto frames = std::make_unique<DrmSource>(device());
    source_ = frames.get();
    auto made = make_gpu_renderer(device(), gpu_times_, std::move(frames), 3);
    ASSERT_TRUE(made) << made.error().message;
    gpu_ = *std::move(made);
    cpu_ = render::make_cpu_renderer(1, cpu_times_);
  }
  void TearDown() override {
    gpu_.reset();
    GpuTest::TearDown();
  }

  /// Returns why the device cannot import a frame of the simplest kind; empty if it can. Drivers need not
  /// import memory that another driver has allocated.
  [[nodiscard]] std::string why_unreadable() const {
    const Frame host = parity::make_frame({.layout = parity::layout_named("nv12"), .size = {256, 64}});
    const DrmMemory memory(host.view, {.pitch_alignment = 256});
    const Result<GpuFrame> imported = DrmSource(device()).import_frame(memory.frame());
    return imported ? "" : full_text(imported.error());
  }

  void configure(const Case& test_case) {
    const auto on_gpu = gpu_->configure(setup_of(test_case, PictureFormat::None));
    ASSERT_TRUE(on_gpu) << on_gpu.error().message;
    ASSERT_TRUE(cpu_->configure(setup_of(test_case, PictureFormat::None)));
  }

  /// Compares the imported frame with the host frame that its memory was written from.
  void compare(const Frame& imported, const Frame& host) {
    ASSERT_NO_FATAL_FAILURE(expect_same_cells(*gpu_, imported, *cpu_, host));
    ASSERT_EQ(gpu_->bytes_copied(), 0u);
  }

  /// Runs both renderers on a frame of this layout, imported with these options.
  void compare_as(const char* layout, Extent size, const DrmOptions& options) {
    SCOPED_TRACE(fmt::format("{} {}x{}, padding {}", layout, size.width, size.height, options.padding));
    Case test_case{.frame = {.layout = parity::layout_named(layout), .size = size, .seed = ++seed_},
                   .grid = {23, 11}};
    ASSERT_NO_FATAL_FAILURE(configure(test_case));
    const Frame host = parity::make_frame(test_case.frame);
    DrmMemory memory(host.view, options);
    memory.write(host.view);
    ASSERT_NO_FATAL_FAILURE(compare(memory.frame(), host));
    // Write new content to the same memory. The comparison below passes only if the importer reads this
    // memory, and not a copy of the first content.
    test_case.frame.seed = ++seed_;
    const Frame changed = parity::make_frame(test_case.frame);
    const std::uint64_t imported = source_->import().imported();
    memory.write(changed.view);
    ASSERT_NO_FATAL_FAILURE(compare(memory.frame(), changed));
    EXPECT_EQ(source_->import().imported(), imported) << "a surface must be imported only once";
  }

  std::uint32_t seed_ = 0;
  StageTimes gpu_times_, cpu_times_;
  DrmSource* source_ = nullptr;
  std::unique_ptr<GpuRenderer> gpu_;
  std::unique_ptr<render::Renderer> cpu_;
};

TEST_F(DmaBuf, ReadsSeparateLayersAsImages) {
  for (const char* layout :
       {"nv12", "p010", "yuv420p", "yuv422p", "yuv444p", "yuv420p10", "nv16", "gray", "bgra"}) {
    // Test padded and aligned pitches, such as 224 bytes for 160 samples, and sizes that chroma subsampling
    // does not divide. Compiling shaders takes most of the time. These sizes all need the same number of taps
    // per sample, so each layout needs only one shader.
    ASSERT_NO_FATAL_FAILURE(compare_as(layout, {160, 91}, {.padding = 64}));
    EXPECT_FALSE(source_->took_buffer());
    ASSERT_NO_FATAL_FAILURE(compare_as(layout, {161, 91}, {.padding = 64, .pitch_alignment = 64}));
    ASSERT_NO_FATAL_FAILURE(compare_as(layout, {161, 91}, {.padding = 16, .pitch_alignment = 16}));
    EXPECT_FALSE(source_->took_buffer());
  }
}

TEST_F(DmaBuf, ReadsOddPitchesAsImages) {
  for (const char* layout : {"nv12", "p010"}) {
    for (const int padding : {2, 6, 14, 34}) {
      ASSERT_NO_FATAL_FAILURE(compare_as(layout, {163, 89}, {.padding = padding}));
      EXPECT_FALSE(source_->took_buffer());
    }
  }
}

TEST_F(DmaBuf, ReadsMultiPlaneLayerAsImages) {
  const std::pair<const char*, std::uint32_t> formats[] = {{"nv12", drm_code("NV12")},
                                                           {"nv21", drm_code("NV21")},
                                                           {"p010", drm_code("P010")},
                                                           {"yuv420p", drm_code("YU12")},
                                                           {"yuv444p", drm_code("YU24")}};
  for (const auto& [layout, code] : formats) {
    ASSERT_NO_FATAL_FAILURE(
        compare_as(layout, {162, 90}, {.layers = Layers::Combined, .combined_code = code, .padding = 30}));
    EXPECT_FALSE(source_->took_buffer());
  }
}

TEST_F(DmaBuf, ReadsPlanesInSeveralObjects) {
  ASSERT_NO_FATAL_FAILURE(compare_as("nv12", {162, 90}, {.object_per_plane = true}));
  ASSERT_NO_FATAL_FAILURE(
      compare_as("yuv420p", {162, 90},
                 {.layers = Layers::Combined, .combined_code = drm_code("YU12"), .object_per_plane = true}));
}

TEST_F(DmaBuf, UnknownTilingUsesBuffer) {
  for (const char* layout : {"nv12", "p010", "yuv420p", "yuv420p10", "rgba"}) {
    for (const int padding : {2, 6, 64}) {
      ASSERT_NO_FATAL_FAILURE(
          compare_as(layout, {163, 89}, {.modifier = interop::UnknownModifier, .padding = padding}));
      EXPECT_TRUE(source_->took_buffer());
    }
  }
  ASSERT_NO_FATAL_FAILURE(
      compare_as("nv12", {163, 89}, {.modifier = interop::UnknownModifier, .padding = 1}));
}

TEST_F(DmaBuf, SamplesWithoutImageFormatUseBuffer) {
  for (const auto& [layout, code] :
       {std::pair{"yuyv422", drm_code("YUYV")}, std::pair{"rgb24", drm_code("BG24")}}) {
    ASSERT_NO_FATAL_FAILURE(
        compare_as(layout, {162, 90}, {.layers = Layers::Combined, .combined_code = code, .padding = 7}));
    EXPECT_TRUE(source_->took_buffer());
  }
}

TEST_F(DmaBuf, CroppedFramesUseBuffer) {
  ASSERT_NO_FATAL_FAILURE(compare_as("nv12", {98, 54}, {.crop_left = 14, .crop_top = 6}));
  EXPECT_TRUE(source_->took_buffer());
}

TEST_F(DmaBuf, SteadyStateImportsNothing) {
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {162, 90}}, .grid = {23, 11}};
  ASSERT_NO_FATAL_FAILURE(configure(test_case));
  std::vector<Frame> hosts;
  std::vector<std::unique_ptr<DrmMemory>> pool;
  for (std::uint32_t i = 0; i < 8; ++i) {
    test_case.frame.seed = i + 1;
    hosts.push_back(parity::make_frame(test_case.frame));
    pool.push_back(std::make_unique<DrmMemory>(hosts.back().view, DrmOptions{}));
    pool.back()->write(hosts.back().view);
  }
  int descriptors = 0;
  for (int frame = 0; frame < 200; ++frame) {
    const auto surface = static_cast<std::size_t>(frame) % pool.size();
    ASSERT_NO_FATAL_FAILURE(compare(pool[surface]->frame(), hosts[surface]));
    if (frame == 15) descriptors = open_descriptors();
  }
  EXPECT_EQ(source_->import().imported(), pool.size());
  EXPECT_EQ(source_->import().kept(), pool.size());
  EXPECT_EQ(open_descriptors(), descriptors);
}

TEST_F(DmaBuf, ManySurfacesAndSizesLeakNothing) {
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {64, 48}}, .grid = {9, 5}};
  ASSERT_NO_FATAL_FAILURE(configure(test_case));
  const auto one = [&](Extent size) {
    test_case.frame.size = size;
    const Frame host = parity::make_frame(test_case.frame);
    DrmMemory memory(host.view, {});
    memory.write(host.view);
    ASSERT_NO_FATAL_FAILURE(compare(memory.frame(), host));
  };
  const auto cycles = [&](int count, auto size_of) {
    for (int i = 0; i < count; ++i) ASSERT_NO_FATAL_FAILURE(one(size_of(i)));
  };
  // Run one round before measuring: each new size creates a pipeline, which stays cached.
  const auto changing = [](int i) { return Extent{66 + 2 * (i % 10), 50 + 2 * (i % 10)}; };
  ASSERT_NO_FATAL_FAILURE(cycles(10, changing));
  EXPECT_EQ(source_->import().kept(), 1u) << "imported surfaces of earlier sizes must be freed";
  const auto same = [](int) { return Extent{64, 48}; };
  ASSERT_NO_FATAL_FAILURE(cycles(DrmImport::MaxKept + 10, same));
  EXPECT_EQ(source_->import().kept(), DrmImport::MaxKept);
  const int descriptors = open_descriptors();
  const std::size_t resident = resident_bytes();
  ASSERT_NO_FATAL_FAILURE(cycles(1000, same));
  EXPECT_EQ(source_->import().kept(), DrmImport::MaxKept);
  EXPECT_LE(open_descriptors(), descriptors + 4) << "the GPU may still hold a few surfaces";
  EXPECT_LE(resident_bytes(), resident + AllowedGrowth) << "after 1,000 surfaces";
  ASSERT_NO_FATAL_FAILURE(cycles(200, changing));
  EXPECT_EQ(source_->import().kept(), 1u);
  EXPECT_LE(open_descriptors(), descriptors);
  EXPECT_LE(resident_bytes(), resident + AllowedGrowth) << "after 200 size changes";
  EXPECT_EQ(source_->import().imported(), 10 + (DrmImport::MaxKept + 10) + 1000 + 200);
}

TEST_F(DmaBuf, InvalidDescriptorsAreRejected) {
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {162, 90}}, .grid = {23, 11}};
  ASSERT_NO_FATAL_FAILURE(configure(test_case));
  const Frame host = parity::make_frame(test_case.frame);
  const auto refused = [&](auto spoil) {
    DrmMemory memory(host.view, {});
    const AVDRMFrameDescriptor whole = memory.descriptor();
    spoil(memory.descriptor());
    const Frame frame = memory.frame();
    memory.descriptor() = whole;
    const auto imported = source_->import_frame(frame);
    EXPECT_FALSE(imported);
  };
  refused([](AVDRMFrameDescriptor& d) { d.layers[1].planes[0].offset += 1 << 20; });
  refused([](AVDRMFrameDescriptor& d) { d.layers[0].planes[0].offset = -4096; });
  refused([](AVDRMFrameDescriptor& d) { d.layers[0].planes[0].pitch = 100; });
  refused([](AVDRMFrameDescriptor& d) { d.layers[0].planes[0].pitch = 1 << 16; });
  refused([](AVDRMFrameDescriptor& d) { d.layers[1].planes[0].object_index = 3; });
  refused([](AVDRMFrameDescriptor& d) { d.layers[1].format = drm_code("GR32"); });
  refused([](AVDRMFrameDescriptor& d) { d.layers[1].format = drm_code("NV15"); });
  refused([](AVDRMFrameDescriptor& d) { d.nb_layers = 1; });
  refused([](AVDRMFrameDescriptor& d) { d.nb_layers = 0; });
  refused([](AVDRMFrameDescriptor& d) { d.objects[0].format_modifier = 0x0100000000000002; });
}

TEST_F(DmaBuf, ProducerFencesAreWaitedFor) {
  using Pretend = void(int);
  auto* pretend = reinterpret_cast<Pretend*>(dlsym(RTLD_DEFAULT, "glyphreel_pretend_fence"));
  if (pretend == nullptr) GTEST_SKIP() << "this test needs pretend_dma_bufs preloaded";
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {162, 90}}, .grid = {23, 11}};
  ASSERT_NO_FATAL_FAILURE(configure(test_case));
  const Frame early = parity::make_frame(test_case.frame);
  test_case.frame.seed = 99;
  const Frame late = parity::make_frame(test_case.frame);
  DrmMemory memory(early.view, {});
  memory.write(early.view);
  const int fence = eventfd(0, EFD_CLOEXEC);
  pretend(fence);
  std::thread producer([&] {
    test::wait_until_others_sleep();  // by now the importer waits for the fence, or wrongly ignores it
    memory.write(late.view);
    const std::uint64_t one = 1;
    EXPECT_EQ(write(fence, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  });
  compare(memory.frame(), late);
  producer.join();
  // The importer must not wait for a fence that is already signaled.
  pretend(fence);
  const int descriptors = open_descriptors();
  compare(memory.frame(), late);
  EXPECT_EQ(source_->waits(), 0u);
  EXPECT_EQ(open_descriptors(), descriptors);
  close(fence);
}

TEST_F(DmaBuf, FrameImporterImportsOrDownloads) {
  auto made = interop::make_gpu_renderer(device(), gpu_times_, 2);
  ASSERT_TRUE(made);
  gpu_ = *std::move(made);
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {162, 90}}, .grid = {23, 11}};
  ASSERT_NO_FATAL_FAILURE(configure(test_case));
  const Frame host = parity::make_frame(test_case.frame);
  DrmMemory memory(host.view, {.software = AV_PIX_FMT_NV12});
  memory.write(host.view);
  ASSERT_NO_FATAL_FAILURE(compare(memory.frame(), host));
  EXPECT_EQ(gpu_times_.engine(Stage::Import), "dma-buf");

  // The modifier declares Vivante's tiling, which no available driver supports. The memory is linear anyway.
  DrmMemory tiled(host.view, {.modifier = 0x0600000000000001, .software = AV_PIX_FMT_NV12});
  tiled.write(host.view);
  ASSERT_TRUE(gpu_->submit(tiled.frame(), {}));
  const auto downloaded = gpu_->collect();
  ASSERT_TRUE(downloaded);
  ASSERT_TRUE(cpu_->submit(host, {}));
  const auto cpu = cpu_->collect();
  for (std::size_t i = 0; i < cpu->cells.size(); ++i) {
    ASSERT_EQ(std::memcmp(&downloaded->cells[i], &cpu->cells[i], sizeof(render::Cell)), 0);
  }
  EXPECT_EQ(gpu_times_.engine(Stage::Import), "host copy");
  EXPECT_GE(gpu_->bytes_copied(), 162u * 90u * 3 / 2);
}

}  // namespace
}  // namespace glyphreel::gpu
