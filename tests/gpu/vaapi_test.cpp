// Tests VAAPI frames that are synchronized, exported and read in place by the GPU. libva and FFmpeg's own
// code run on a driver whose surfaces are memfds (tests/tools/pretend_va_driver.cpp).
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "cases.h"
#include "gpu/gpu_renderer.h"
#include "interop/drm/vaapi_device.h"
#include "interop/drm/vaapi_import.h"
#include "interop/frame_importer.h"
#include "interop/surface/plane_extent.h"
#include "media/hwdec/hardware_surface.h"
#include "support/gpu_fixture.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace glyphreel::gpu {
namespace {

using interop::VaapiImport;
using media::BufferRef;
using parity::Case;

template <typename Function>
Function* of_driver(const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  EXPECT_NE(found, nullptr) << "the fake driver is not loaded";
  return found;
}

int count_of(const char* name) {
  return of_driver<int()>(name)();
}

class Vaapi : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (HasFatalFailure()) return;
    ASSERT_TRUE(VaapiImport::make(device()))
        << device()->name()
        << " imports no dma-bufs: Mesa 24.3 or later is needed, see scripts/fetch_mesa.sh";
    // Any device file works: pretend_dma_bufs makes libva believe that it is a render node.
    auto va = interop::open_vaapi("/dev/null");
    ASSERT_TRUE(va) << va.error().message << va.error().cause;
    va_ = *std::move(va);
    auto made = interop::make_gpu_renderer(device(), gpu_times_, 3);
    ASSERT_TRUE(made) << made.error().message;
    gpu_ = *std::move(made);
    cpu_ = render::make_cpu_renderer(1, cpu_times_);
  }
  void TearDown() override {
    gpu_.reset();
    GpuTest::TearDown();
  }

  [[nodiscard]] BufferRef make_pool(AVPixelFormat format, Extent stored, int surfaces) const {
    BufferRef pool(av_hwframe_ctx_alloc(va_.get()));
    auto* context = reinterpret_cast<AVHWFramesContext*>(pool->data);
    context->format = AV_PIX_FMT_VAAPI;
    context->sw_format = format;
    context->width = stored.width;
    context->height = stored.height;
    context->initial_pool_size = surfaces;
    interop::adjust_vaapi_frames(*device(), *context);
    EXPECT_EQ(av_hwframe_ctx_init(pool.get()), 0);
    return pool;
  }

  /// Returns a frame of the pool with the host frame's samples.
  [[nodiscard]] Frame decoded(const BufferRef& pool, const Frame& host) {
    media::FramePtr made = media::new_frame();
    EXPECT_EQ(av_hwframe_get_buffer(pool.get(), made.get(), 0), 0);
    made->width = host.view.size.width;  // the decoder's padding is cropped
    made->height = host.view.size.height;
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(made->data[3]));
    std::uint32_t pitch = 0;
    std::uint32_t chroma = 0;
    std::uint32_t size = 0;
    const int memory = of_driver<int(unsigned, std::uint32_t*, std::uint32_t*, std::uint32_t*)>(
        "pretend_va_memory")(id, &pitch, &chroma, &size);
    auto* bytes = static_cast<std::byte*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
    EXPECT_NE(bytes, MAP_FAILED);
    for (int plane = 0; plane < 2; ++plane) {
      const interop::PlaneExtent extent = interop::plane_extent(host.view, plane);
      for (int y = 0; y < extent.rows; ++y) {
        std::memcpy(bytes + (plane == 0 ? 0 : chroma) + static_cast<std::size_t>(y) * pitch,
                    host.view.planes[static_cast<std::size_t>(plane)] +
                        y * host.view.strides[static_cast<std::size_t>(plane)],
                    extent.row_bytes);
      }
    }
    munmap(bytes, size);
    Frame frame;
    frame.view = host.view;
    frame.view.planes = {};
    frame.view.strides = {};
    frame.surface = std::make_shared<media::HardwareSurface>(std::move(made));
    return frame;
  }

  void compare(const Frame& imported, const Frame& host) { expect_same_cells(*gpu_, imported, *cpu_, host); }

  void configure(const Case& test_case) {
    ASSERT_TRUE(gpu_->configure(setup_of(test_case, PictureFormat::None)));
    ASSERT_TRUE(cpu_->configure(setup_of(test_case, PictureFormat::None)));
  }

  BufferRef va_;
  StageTimes gpu_times_, cpu_times_;
  std::unique_ptr<GpuRenderer> gpu_;
  std::unique_ptr<render::Renderer> cpu_;
};

TEST_F(Vaapi, ReadsTwoPoolsInPlace) {
  const int exports = count_of("pretend_va_exports");
  const int syncs = count_of("pretend_va_syncs");
  std::uint32_t seed = 0;
  for (const auto& [layout, format] :
       {std::pair{"nv12", AV_PIX_FMT_NV12}, std::pair{"p010", AV_PIX_FMT_P010}}) {
    Case test_case{.frame = {.layout = parity::layout_named(layout), .size = {162, 90}}, .grid = {23, 11}};
    ASSERT_NO_FATAL_FAILURE(configure(test_case));
    const BufferRef pool = make_pool(format, {176, 96}, 4);
    for (int i = 0; i < 40; ++i) {
      test_case.frame.seed = ++seed;
      const Frame host = parity::make_frame(test_case.frame);
      ASSERT_NO_FATAL_FAILURE(compare(decoded(pool, host), host));
    }
    EXPECT_EQ(gpu_times_.engine(Stage::Import), "vaapi, dma-buf");
  }
  EXPECT_EQ(gpu_->bytes_copied(), 0u);
  EXPECT_EQ(count_of("pretend_va_exports") - exports, 80);
  // Newer FFmpeg versions synchronize each surface a second time on export.
  const int synced = count_of("pretend_va_syncs") - syncs;
  EXPECT_TRUE(synced == 80 || synced == 160) << synced;
  EXPECT_EQ(count_of("pretend_va_unsynced_exports"), 0);
}

TEST_F(Vaapi, SurfacesReturnToPool) {
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {162, 90}}, .grid = {23, 11}};
  ASSERT_NO_FATAL_FAILURE(configure(test_case));
  const int before = count_of("pretend_va_surfaces");
  {
    // Two surfaces, one frame at a time: if a surface leaked, the pool would soon be empty.
    const BufferRef pool = make_pool(AV_PIX_FMT_NV12, {176, 96}, 2);
    for (std::uint32_t i = 1; i <= 10; ++i) {
      test_case.frame.seed = i;
      const Frame host = parity::make_frame(test_case.frame);
      ASSERT_NO_FATAL_FAILURE(compare(decoded(pool, host), host));
    }
  }
  gpu_.reset();
  EXPECT_EQ(count_of("pretend_va_surfaces"), before) << "the last pool is freed with the renderer";
}

TEST_F(Vaapi, SurfacesAreRequestedWithImportableModifiers) {
  const int before = count_of("pretend_va_linear_requests");
  const BufferRef pool = make_pool(AV_PIX_FMT_NV12, {176, 96}, 3);
  EXPECT_EQ(count_of("pretend_va_linear_requests") - before, 3);
}

TEST_F(Vaapi, FinishedFrameIsSynchronized) {
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {162, 90}}, .grid = {23, 11}};
  const BufferRef pool = make_pool(AV_PIX_FMT_NV12, {176, 96}, 2);
  const Frame frame = decoded(pool, parity::make_frame(test_case.frame));
  const int before = count_of("pretend_va_syncs");
  interop::finish_vaapi_frame(static_cast<const media::HardwareSurface&>(*frame.surface).frame());
  EXPECT_EQ(count_of("pretend_va_syncs") - before, 1);
}

TEST_F(Vaapi, FailedSurfaceSyncIsError) {
  const auto import = VaapiImport::make(device());
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {162, 90}}, .grid = {23, 11}};
  const Frame host = parity::make_frame(test_case.frame);
  const BufferRef pool = make_pool(AV_PIX_FMT_NV12, {176, 96}, 2);
  const Frame frame = decoded(pool, host);
  const AVFrame& surface = static_cast<const media::HardwareSurface&>(*frame.surface).frame();
  ASSERT_TRUE(import->supports(surface));
  of_driver<void(bool)>("pretend_va_break")(true);
  const auto broken = import->import_frame(surface, frame.view);
  of_driver<void(bool)>("pretend_va_break")(false);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::Failed);
  EXPECT_TRUE(import->import_frame(surface, frame.view));
}

TEST_F(Vaapi, MissingRenderNodeIsReported) {
  const auto none = interop::make_vaapi_device(*device());
  if (none) GTEST_SKIP() << "this machine has a VAAPI driver for its Vulkan device";
  EXPECT_EQ(none.error().code, ErrorCode::Failed);
  EXPECT_FALSE(interop::open_vaapi("/nonexistent/renderD128"));
}

}  // namespace
}  // namespace glyphreel::gpu
