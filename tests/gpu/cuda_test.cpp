// Tests the transfer of NVDEC frames to Vulkan. ctest runs all tests, with fake drivers in place of NVIDIA's;
// everything except the drivers runs as it would on a GPU. tests/tools/fake_cuda describes the fake drivers'
// behavior. On a machine with an NVIDIA GPU, run_on_gpu.py runs the tests that do not need the fake drivers.
#include <dirent.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "../environment.h"
#include "clips.h"
#include "gpu/gpu_renderer.h"
#include "interop/cuda/cuda_device.h"
#include "interop/frame_importer.h"
#include "support/gpu_fixture.h"
#include "support/nvdec_frames.h"

namespace glyphreel::gpu {
namespace {

using interop::CudaImport;
using interop::CudaImportOptions;
using test::Environment;

std::string hex(const CUuuid& uuid) {
  std::string text;
  for (const unsigned char byte : uuid.bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::size_t open_files() {
  std::size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

/// Returns the resident memory in KiB.
long resident() {
  std::ifstream status("/proc/self/statm");
  long size = 0, pages = 0;
  status >> size >> pages;
  return pages * 4;
}

/// How CUDA and Vulkan synchronize.
enum class Order { Semaphores, HostWaits };

class CudaTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (fake_cuda() == nullptr) return;
    fake_cuda()->reset_calls();
    live_before_ = fake_cuda()->live();
  }
  void TearDown() override {
    if (fake_cuda() != nullptr) {
      EXPECT_EQ(fake_cuda()->live(), live_before_) << "CUDA objects leaked";
    }
    GpuTest::TearDown();
  }

  /// Returns the device to use. With Order::Semaphores, the fake driver signals timeline semaphores on the
  /// host. The validation layer tracks these signals and would stall (version 1.3.239 then reports "most
  /// likely a validation bug"), so the device for Order::Semaphores has no validation.
  [[nodiscard]] const std::shared_ptr<Device>& device(Order order) const {
    if (order == Order::HostWaits || fake_cuda() == nullptr) return GpuTest::device();
    static const std::shared_ptr<Device> Unwatched = *Device::make({.validation = Validation::Off});
    return Unwatched;
  }

  [[nodiscard]] media::BufferRef cuda() const {
    auto made = interop::make_cuda_device(*device(Order::HostWaits));
    EXPECT_TRUE(made) << made.error().message << " " << made.error().cause;
    return *std::move(made);
  }
  [[nodiscard]] std::shared_ptr<CudaImport> importer(Order order) const {
    CudaImportOptions options;
    if (order == Order::HostWaits) {
      options.export_semaphore = [](VkSemaphore) { return Error{ErrorCode::Failed, "no descriptor", {}}; };
    } else if (fake_cuda() != nullptr) {
      options.export_semaphore = fake_export(device(order)->handle());
    }
    return std::make_shared<CudaImport>(device(order), options);
  }
  [[nodiscard]] std::unique_ptr<GpuRenderer> renderer(Order order) {
    auto frames = std::make_unique<CudaFrames>(importer(order));
    frames_ = frames.get();
    auto made = make_gpu_renderer(device(order), times_, std::move(frames), 3);
    EXPECT_TRUE(made);
    return *std::move(made);
  }
  [[nodiscard]] static render::RenderSetup setup() {
    parity::Case test_case;
    test_case.grid = {40, 12};
    return setup_of(test_case, PictureFormat::None);
  }

  StageTimes times_;
  CudaFrames* frames_ = nullptr;  ///< the frame source of the last renderer created

 private:
  long live_before_ = 0;
};

/// A test that needs the fake drivers: it counts calls or live objects, makes calls fail, creates many
/// contexts, or decodes clips that the ffmpeg program makes. On a GPU, run_on_gpu.py decodes other clips
/// instead.
class FakeCudaTest : public CudaTest {
 protected:
  void SetUp() override {
    ASSERT_NE(fake_cuda(), nullptr) << "LD_LIBRARY_PATH does not name the folder of the fake drivers";
    CudaTest::SetUp();
  }
};

class CudaFramesTest : public CudaTest, public testing::WithParamInterface<Order> {};
class FakeCudaFramesTest : public FakeCudaTest, public testing::WithParamInterface<Order> {};

/// Returns the cells of a frame; waits for the GPU.
std::vector<render::Cell> cells_of(render::Renderer& renderer, const Frame& frame) {
  const auto submitted = renderer.submit(frame, {});
  EXPECT_TRUE(submitted) << submitted.error().message << " " << submitted.error().cause;
  if (!submitted) return {};
  const auto rendered = renderer.collect();
  EXPECT_TRUE(rendered);
  return {rendered->cells.begin(), rendered->cells.end()};
}

bool same(const std::vector<render::Cell>& a, const std::vector<render::Cell>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(render::Cell)) == 0;
}

struct Clip {
  const char* name;
  const char* arguments;  ///< ffmpeg arguments after the source
  bool is_real;           ///< false: the fake driver outputs a pattern instead of decoding
};

constexpr Clip Clips[] = {
    {"vp9.webm",
     "-pix_fmt yuv420p -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -auto-alt-ref 0 -lag-in-frames 0",
     true},
    {"vp9-10.webm",
     "-pix_fmt yuv420p10 -c:v libvpx-vp9 -profile:v 2 -deadline realtime -cpu-used 8 -auto-alt-ref 0 "
     "-lag-in-frames 0",
     true},
    {"motion.mkv", "-pix_fmt yuvj420p -c:v mjpeg -q:v 4", true},
    {"h264.mp4", "-pix_fmt yuv420p -c:v libx264 -preset ultrafast", false},
    {"hevc-12.mkv", "-pix_fmt yuv420p12 -c:v libx265 -preset ultrafast -x265-params log-level=none", false},
    {"hevc-444.mkv", "-pix_fmt yuv444p -c:v libx265 -preset ultrafast -x265-params log-level=none", false},
    {"hevc-444-10.mkv", "-pix_fmt yuv444p10 -c:v libx265 -preset ultrafast -x265-params log-level=none",
     false},
};

std::string make_clip(const test::TempDir& folder, const Clip& clip, const char* size = "320x180") {
  const std::string path = folder / clip.name;
  test::ffmpeg(
      fmt::format("-f lavfi -i testsrc2=size={}:rate=25 -frames:v 12 {} {}", size, clip.arguments, path));
  return path;
}

TEST_P(FakeCudaFramesTest, MatchReferenceCellsWithoutHostCopies) {
  // In FFmpeg 5.1, a frame is one of the decoder's own surfaces, which may be overwritten once the frame is
  // freed. Make the fake driver overwrite the surface immediately.
  std::optional<Environment> reuse;
  if (avcodec_version() < AV_VERSION_INT(60, 0, 0)) reuse.emplace("FAKE_NVDEC_REUSE_AT_ONCE", "1");
  const test::TempDir folder;
  for (const Clip& clip : Clips) {
    SCOPED_TRACE(clip.name);
    const std::string path = make_clip(folder, clip);
    const media::BufferRef cuda_device = cuda();
    const auto gpu = renderer(GetParam());
    StageTimes cpu_times;
    const auto downloading = render::make_cpu_renderer(1, cpu_times);
    const auto software = render::make_cpu_renderer(1, cpu_times);
    ASSERT_TRUE(gpu->configure(setup()));
    ASSERT_TRUE(downloading->configure(setup()));
    ASSERT_TRUE(software->configure(setup()));
    ClipFrames hardware_frames(path, cuda_device.get());
    ClipFrames software_frames(path, nullptr);
    int frames = 0;
    while (media::FramePtr decoded = hardware_frames.next()) {
      ASSERT_EQ(decoded->format, AV_PIX_FMT_CUDA);
      const Frame frame = frame_of(std::move(decoded));
      const auto shown = cells_of(*gpu, frame);
      EXPECT_TRUE(same(shown, cells_of(*downloading, frame))) << "frame " << frames;
      media::FramePtr reference = software_frames.next();
      ASSERT_TRUE(reference);
      const auto expected = cells_of(*software, frame_of(std::move(reference)));
      if (clip.is_real) {
        EXPECT_TRUE(same(shown, expected)) << "frame " << frames;
      }
      ++frames;
    }
    EXPECT_EQ(frames, 12);
    EXPECT_EQ(gpu->bytes_copied(), 0u);
    EXPECT_GT(downloading->bytes_copied(), 0u) << "the comparison must use the download path";
  }
}

TEST_P(CudaFramesTest, AreDrawnWhileInFlight) {
  // Frames are submitted without waiting for earlier ones, so that only the synchronization of CUDA and
  // Vulkan determines the order.
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(GetParam());
  StageTimes cpu_times;
  const auto cpu = render::make_cpu_renderer(1, cpu_times);
  ASSERT_TRUE(gpu->configure(setup()));
  ASSERT_TRUE(cpu->configure(setup()));
  const int depth = gpu->depth();
  std::vector<std::vector<render::Cell>> expected;
  std::size_t collected = 0;
  const auto collect = [&] {
    const auto rendered = gpu->collect();
    ASSERT_TRUE(rendered);
    EXPECT_TRUE(same({rendered->cells.begin(), rendered->cells.end()}, expected[collected])) << collected;
    ++collected;
  };
  for (int i = 0; i < 30; ++i) {
    const Frame frame = plain_frame(cuda_device.get(), {256, 144}, static_cast<unsigned char>(16 + 7 * i));
    expected.push_back(cells_of(*cpu, frame));
    if (static_cast<int>(expected.size() - collected) > depth) collect();
    ASSERT_TRUE(gpu->submit(frame, {}));
  }
  while (collected < expected.size()) collect();
}

TEST_P(FakeCudaFramesTest, CreateNoObjectsInSteadyState) {
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(GetParam());
  ASSERT_TRUE(gpu->configure(setup()));
  long imports = 0;
  for (int i = 0; i < 60; ++i) {
    const Frame frame = plain_frame(cuda_device.get(), {256, 144}, static_cast<unsigned char>(i));
    cells_of(*gpu, frame);
    if (i == 20) imports = fake_cuda()->calls("cuImportExternalMemory") + fake_cuda()->calls("cuEventCreate");
  }
  EXPECT_GT(imports, 0);
  EXPECT_EQ(fake_cuda()->calls("cuImportExternalMemory") + fake_cuda()->calls("cuEventCreate"), imports);
  EXPECT_LE(fake_cuda()->calls("cuImportExternalMemory"), 8);
  EXPECT_LE(fake_cuda()->calls("cuImportExternalSemaphore"), 2);
  if (GetParam() == Order::Semaphores) {
    EXPECT_EQ(fake_cuda()->calls("cuStreamSynchronize"), 0);
  }
}

TEST_P(FakeCudaFramesTest, AreCopiedOnceWhileRepeated) {
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(GetParam());
  ASSERT_TRUE(gpu->configure(setup()));
  const Frame first = plain_frame(cuda_device.get(), {256, 144}, 40);
  const Frame second = plain_frame(cuda_device.get(), {256, 144}, 200);
  const auto dark = cells_of(*gpu, first);
  const long copies = fake_cuda()->calls("cuMemcpy2DAsync_v2");
  EXPECT_EQ(copies, 2) << "luma and chroma";
  EXPECT_TRUE(same(cells_of(*gpu, first), dark));
  EXPECT_EQ(fake_cuda()->calls("cuMemcpy2DAsync_v2"), copies);
  const auto bright = cells_of(*gpu, second);
  EXPECT_FALSE(same(bright, dark));
  EXPECT_EQ(fake_cuda()->calls("cuMemcpy2DAsync_v2"), copies + 2);
  EXPECT_TRUE(same(cells_of(*gpu, first), dark));
}

TEST_P(CudaFramesTest, ReturnToDecoderOnceCopied) {
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(GetParam());
  ASSERT_TRUE(gpu->configure(setup()));
  std::vector<Frame> frames;
  const auto references = [](const Frame& frame) {
    return av_buffer_get_ref_count(
        dynamic_cast<const media::HardwareSurface&>(*frame.surface).frame().buf[0]);
  };
  for (int i = 0; i < 12; ++i) {
    frames.push_back(plain_frame(cuda_device.get(), {256, 144}, static_cast<unsigned char>(i)));
    cells_of(*gpu, frames.back());
  }
  for (std::size_t i = 0; i + 2 < frames.size(); ++i) EXPECT_EQ(references(frames[i]), 1) << i;
  EXPECT_EQ(references(frames.back()), 2) << "the last frame is kept, since it may be redrawn";
}

TEST_P(FakeCudaFramesTest, MayBeReleasedWhileCopying) {
  std::optional<Environment> reuse;
  if (avcodec_version() < AV_VERSION_INT(60, 0, 0)) reuse.emplace("FAKE_NVDEC_REUSE_AT_ONCE", "1");
  const test::TempDir folder;
  const std::string path = make_clip(folder, Clips[0]);
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(GetParam());
  StageTimes cpu_times;
  const auto software = render::make_cpu_renderer(1, cpu_times);
  ASSERT_TRUE(gpu->configure(setup()));
  ASSERT_TRUE(software->configure(setup()));
  ClipFrames hardware_frames(path, cuda_device.get());
  ClipFrames software_frames(path, nullptr);
  while (media::FramePtr decoded = hardware_frames.next()) {
    // Only the importer keeps the decoder's surface alive. If it released the surface too early, the surface
    // would be overwritten, and the cells would be wrong.
    ASSERT_TRUE(gpu->submit(frame_of(std::move(decoded)), {}));
    const auto rendered = gpu->collect();
    ASSERT_TRUE(rendered);
    const auto expected = cells_of(*software, frame_of(software_frames.next()));
    EXPECT_TRUE(same({rendered->cells.begin(), rendered->cells.end()}, expected));
  }
}

TEST_P(CudaFramesTest, AreCroppedWhenDecoderCannot) {
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(GetParam());
  StageTimes cpu_times;
  const auto cpu = render::make_cpu_renderer(1, cpu_times);
  ASSERT_TRUE(gpu->configure(setup()));
  ASSERT_TRUE(cpu->configure(setup()));
  media::FramePtr cropped = cuda_frame(cuda_device.get(), {256, 144}, [](AVFrame& pixels) {
    fill(pixels, 128);
    for (int y = 0; y < 144; ++y) {
      for (int x = 0; x < 256; ++x)
        pixels.data[0][y * pixels.linesize[0] + x] = static_cast<std::uint8_t>(x + y);
    }
  });
  cropped->crop_left = 34;
  cropped->crop_top = 18;
  cropped->crop_right = 5;
  cropped->crop_bottom = 7;
  const Frame frame = frame_of(std::move(cropped));
  EXPECT_EQ(frame.view.size, (Extent{217, 119}));
  EXPECT_TRUE(same(cells_of(*gpu, frame), cells_of(*cpu, frame)));
}

TEST_P(CudaFramesTest, MayChangeSizeMidStream) {
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(GetParam());
  StageTimes cpu_times;
  const auto cpu = render::make_cpu_renderer(1, cpu_times);
  ASSERT_TRUE(gpu->configure(setup()));
  ASSERT_TRUE(cpu->configure(setup()));
  const auto live = [] { return fake_cuda() != nullptr ? fake_cuda()->live() : 0; };
  const long before = live();
  long most = 0;
  for (int i = 0; i < 200; ++i) {
    const Extent size = i % 2 == 0 ? Extent{64 + 2 * (i % 7), 48} : Extent{640, 360 + 2 * (i % 5)};
    const Frame frame = plain_frame(cuda_device.get(), size, static_cast<unsigned char>(i));
    ASSERT_TRUE(same(cells_of(*gpu, frame), cells_of(*cpu, frame))) << i;
    most = std::max(most, live() - before);
  }
  EXPECT_LT(most, 60);
}

TEST_P(FakeCudaFramesTest, FailCleanlyAndRecover) {
  const auto gpu = renderer(GetParam());
  ASSERT_TRUE(gpu->configure(setup()));
  for (const char* call :
       {"cuCtxPushCurrent_v2", "cuCtxGetDevice", "cuDeviceGetUuid", "cuImportExternalMemory",
        "cuExternalMemoryGetMappedBuffer", "cuEventCreate", "cuMemcpy2DAsync_v2", "cuEventRecord",
        "cuStreamSynchronize", "cuSignalExternalSemaphoresAsync", "cuWaitExternalSemaphoresAsync"}) {
    for (int number = 1; number <= 4; ++number) {
      SCOPED_TRACE(fmt::format("{}:{}", call, number));
      const media::BufferRef cuda_device = cuda();
      frames_->replace(importer(GetParam()));
      std::vector<Frame> frames;
      for (int i = 0; i < 8; ++i)
        frames.push_back(plain_frame(cuda_device.get(), {256, 144}, static_cast<unsigned char>(20 * i)));
      fake_cuda()->reset_calls();
      int failures = 0;
      {
        const Environment fail("FAKE_CUDA_FAIL", fmt::format("{}:{}", call, number));
        for (int i = 0; i < 7; ++i) {
          const Result<void> submitted = gpu->submit(frames[static_cast<std::size_t>(i)], {});
          if (submitted) {
            EXPECT_TRUE(gpu->collect());
            continue;
          }
          ++failures;
          EXPECT_EQ(submitted.error().message.back(), '.');
        }
      }
      // submit() may succeed each time: the CUDA function may be called fewer than `number` times, or its
      // failure may be tolerated.
      EXPECT_LE(failures, 1);
      if (std::string(call) == "cuMemcpy2DAsync_v2") {
        EXPECT_EQ(failures, 1);
      }
      EXPECT_FALSE(cells_of(*gpu, frames.back()).empty());
    }
  }
}

constexpr auto order_name = [](const auto& order) {
  return order.param == Order::Semaphores ? "Semaphores" : "HostWaits";
};
INSTANTIATE_TEST_SUITE_P(Orders, CudaFramesTest, testing::Values(Order::Semaphores, Order::HostWaits),
                         order_name);
INSTANTIATE_TEST_SUITE_P(Orders, FakeCudaFramesTest, testing::Values(Order::Semaphores, Order::HostWaits),
                         order_name);

TEST_F(FakeCudaTest, FaultDuringCopiesDoesNotBlock) {
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(Order::Semaphores);
  ASSERT_TRUE(gpu->configure(setup()));
  std::vector<Frame> frames;
  for (int i = 0; i < 4; ++i)
    frames.push_back(plain_frame(cuda_device.get(), {256, 144}, static_cast<unsigned char>(40 * i)));
  {
    const Environment late("FAKE_CUDA_DELAY_US", "200000");
    ASSERT_TRUE(gpu->submit(frames[0], {}));
    ASSERT_TRUE(gpu->submit(frames[1], {}));
    fake_cuda()->set_broken(true);
    EXPECT_TRUE(gpu->collect()) << "the frame is rendered with undefined content";
    EXPECT_TRUE(gpu->collect());
    EXPECT_FALSE(gpu->submit(frames[2], {}));
  }
  fake_cuda()->set_broken(false);
  EXPECT_FALSE(cells_of(*gpu, frames[3]).empty());
}

TEST_F(FakeCudaTest, WorksWithoutSharedSemaphores) {
  const media::BufferRef cuda_device = cuda();
  const auto gpu = renderer(Order::Semaphores);
  ASSERT_TRUE(gpu->configure(setup()));
  const Environment fail("FAKE_CUDA_FAIL", "cuImportExternalSemaphore:2");
  cells_of(*gpu, plain_frame(cuda_device.get(), {256, 144}, 40));
  EXPECT_EQ(fake_cuda()->calls("cuSignalExternalSemaphoresAsync"), 0);
  EXPECT_GT(fake_cuda()->calls("cuStreamSynchronize"), 0);
}

TEST_F(CudaTest, UnsubmittedFramesDoNotBlock) {
  const media::BufferRef cuda_device = cuda();
  const auto import = importer(Order::Semaphores);
  CudaFrames source(import);
  for (int i = 0; i < 20; ++i) {
    const Frame frame = plain_frame(cuda_device.get(), {256, 144}, static_cast<unsigned char>(i));
    const auto imported = source.import_frame(frame);
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->bytes_copied, 0u);
  }
  // The frames above were imported but not submitted, so the semaphore values that their submissions would
  // signal never come. If CUDA waited for such a value before the next frame, the fake driver would abort.
  const auto gpu = renderer(Order::Semaphores);
  frames_->replace(import);
  ASSERT_TRUE(gpu->configure(setup()));
  EXPECT_FALSE(cells_of(*gpu, plain_frame(cuda_device.get(), {256, 144}, 90)).empty());
}

TEST_F(FakeCudaTest, FindsRenderingGpuAmongOthers) {
  const std::string ours = hex(interop::device_uuid(*device(Order::HostWaits)));
  const std::string other(32, 'a');
  const Environment uuids("FAKE_CUDA_UUIDS", other + "," + ours + "," + other);
  const media::BufferRef made = cuda();
  const auto gpu = renderer(Order::HostWaits);
  ASSERT_TRUE(gpu->configure(setup()));
  EXPECT_FALSE(cells_of(*gpu, plain_frame(made.get(), {256, 144}, 90)).empty());
}

TEST_F(FakeCudaTest, FramesOfAnotherGpuAreRejected) {
  const std::string ours = hex(interop::device_uuid(*device(Order::HostWaits)));
  const std::string other(32, 'a');
  const auto import = importer(Order::HostWaits);
  CudaFrames source(import);
  media::BufferRef made;
  {
    const Environment uuids("FAKE_CUDA_UUIDS", ours);
    made = cuda();
  }
  const Environment uuids("FAKE_CUDA_UUIDS", other);
  const auto imported = source.import_frame(plain_frame(made.get(), {256, 144}, 90));
  ASSERT_FALSE(imported);
  EXPECT_NE(imported.error().message.find("on a different GPU"), std::string::npos);
}

TEST_F(CudaTest, FramesWithoutDriverAreRejected) {
  const media::BufferRef cuda_device = cuda();
  CudaImportOptions options;
  options.library = "libm.so.6";
  CudaFrames source(std::make_shared<CudaImport>(device(Order::HostWaits), options));
  const auto imported = source.import_frame(plain_frame(cuda_device.get(), {256, 144}, 90));
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().message, "The CUDA driver is too old; update NVIDIA's driver.");
}

TEST_F(CudaTest, FrameImporterAcceptsCudaFrames) {
  const media::BufferRef cuda_device = cuda();
  StageTimes times;
  interop::FrameImporter frames(device(Order::HostWaits), times);
  const auto imported = frames.import_frame(plain_frame(cuda_device.get(), {256, 144}, 90));
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->bytes_copied, 0u);
  EXPECT_EQ(times.engine(Stage::Import), "CUDA");
}

TEST_F(FakeCudaTest, FrameImporterDownloadsUnsupportedFrames) {
  const media::BufferRef cuda_device = cuda();
  StageTimes times;
  interop::FrameImporter frames(device(Order::HostWaits), times);
  const Environment fail("FAKE_CUDA_FAIL", "cuImportExternalMemory:1+");
  const auto imported = frames.import_frame(plain_frame(cuda_device.get(), {256, 144}, 90));
  ASSERT_TRUE(imported);
  EXPECT_GT(imported->bytes_copied, 256u * 144 * 3 / 2 - 1);
  EXPECT_EQ(times.engine(Stage::Import), "host copy");
}

TEST_F(FakeCudaTest, InvalidDevicesAreRejected) {
  const auto refused = [&](const char* library) {
    const auto made = interop::make_cuda_device(*device(Order::HostWaits), library);
    EXPECT_FALSE(made);
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(refused("libcuda-that-is-not-there.so.1"), "No CUDA driver was found; install NVIDIA's driver.");
  EXPECT_EQ(refused("libm.so.6"), "The CUDA driver is too old; update NVIDIA's driver.");
  const char* const driver = interop::cuda::DriverLibrary;
  for (const char* uuids : {"", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    const Environment others("FAKE_CUDA_UUIDS", uuids);
    EXPECT_EQ(refused(driver),
              fmt::format("CUDA does not support {}, which renders the video; try a different --hwdec.",
                          device(Order::HostWaits)->name()));
  }
  for (const char* call :
       {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetUuid", "cuCtxCreate_v2"}) {
    SCOPED_TRACE(call);
    const Environment fail("FAKE_CUDA_FAIL", fmt::format("{}:1+", call));
    fake_cuda()->reset_calls();
    EXPECT_FALSE(refused(driver).empty());
  }
  EXPECT_TRUE(cuda());
}

TEST_F(FakeCudaTest, ThousandCyclesLeakNothing) {
  const Environment delay("FAKE_CUDA_DELAY_US", "0");
  const auto cycle = [this](int i) {
    const media::BufferRef cuda_device = cuda();
    const auto import = importer(i % 2 == 0 ? Order::Semaphores : Order::HostWaits);
    CudaFrames source(import);
    for (int frame = 0; frame < 3; ++frame) {
      const auto imported =
          source.import_frame(plain_frame(cuda_device.get(), {128, 72}, static_cast<unsigned char>(i)));
      ASSERT_TRUE(imported) << imported.error().message << " " << imported.error().cause;
    }
    device(Order::Semaphores)->free_retired();
    device(Order::HostWaits)->free_retired();
  };
  for (int i = 0; i < 100; ++i) cycle(i);
  const std::size_t files = open_files();
  const long memory = resident();
  for (int i = 100; i < 1000; ++i) cycle(i);
  EXPECT_EQ(open_files(), files);
  EXPECT_LT(resident() - memory, 8 * 1024) << "KiB of growth after 900 cycles";
}

}  // namespace
}  // namespace glyphreel::gpu
