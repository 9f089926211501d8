// Tests FFmpeg's Vulkan frames on the renderer's device. FFmpeg uploads the frames, since no decoder is
// available, and the renderer reads them without a copy. Tests that need a GPU with video decoding are not
// included.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/queue.h"
#include "interop/vulkan/vulkan_import.h"
#include "interop/vulkan/vulkan_video_device.h"
#include "media/frame/pixel_layout.h"
#include "support/gpu_fixture.h"
#include "support/vulkan_frames.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_vulkan.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::gpu {
namespace {

using media::BufferRef;
using media::FramePtr;

AVPixelFormat format_named(const std::string& name) {
  const AVPixelFormat format = av_get_pix_fmt(name.c_str());  // maps "p010" to this machine's byte order
  EXPECT_NE(format, AV_PIX_FMT_NONE) << name;
  return format;
}

parity::Case case_of(const std::string& layout, Extent size, std::uint32_t seed = 1) {
  parity::Case test_case;
  test_case.frame = {.layout = parity::layout_named(layout), .size = size, .seed = seed};
  test_case.grid = {24, 9};
  return test_case;
}

class VulkanVideo : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (HasFatalFailure()) return;
    Result<BufferRef> wrapped = interop::wrap_vulkan_device(device());
    ASSERT_TRUE(wrapped) << wrapped.error().message << wrapped.error().cause;
    context_ = *std::move(wrapped);
  }
  [[nodiscard]] AVBufferRef* context() const { return context_.get(); }

 private:
  BufferRef context_;
};

AVVkFrame& vulkan_frame(const FramePtr& frame) {
  return *reinterpret_cast<AVVkFrame*>(frame->data[0]);
}

const AVFrame& frame_of(const Frame& frame) {
  return static_cast<const media::HardwareSurface&>(*frame.surface).frame();
}

TEST_F(VulkanVideo, EachFormatMatchesSource) {
  int read = 0;
  SurfacePair pair(device());
  for (const char* name : {"nv12", "p010", "yuv420p", "yuv422p", "yuv444p", "yuv420p10", "yuv444p12", "nv16",
                           "p016", "gray", "rgba", "bgra", "gbrp", "rgba64"}) {
    SCOPED_TRACE(name);
    const parity::Case test_case = case_of(name, {96, 64});
    if (!has_images_for(context(), format_named(name)))
      continue;  // some FFmpeg versions and drivers lack images for this format
    const BufferRef frames = make_frames(context(), format_named(name), test_case.frame.size);
    ASSERT_TRUE(frames);
    const Frame software = parity::make_frame(test_case.frame);
    pair.configure(test_case);
    const Frame surface = on_surface(software, upload(device(), frames.get(), software));
    ASSERT_NO_FATAL_FAILURE(pair.expect_same(software, surface));
    ++read;
    RecordProperty(name, "read");
  }
  EXPECT_GE(read, 8);
}

TEST_F(VulkanVideo, PictureMayBeSmallerThanImages) {
  SurfacePair pair(device());
  const BufferRef frames = make_frames(context(), AV_PIX_FMT_NV12, {128, 80});
  ASSERT_TRUE(frames);
  for (const Extent size : {Extent{1, 1}, Extent{3, 5}, Extent{17, 9}, Extent{121, 77}, Extent{128, 80}}) {
    for (const Rotation rotation : {Rotation::None, Rotation::Clockwise90}) {
      SCOPED_TRACE(size.width);
      parity::Case test_case = case_of("nv12", size);
      test_case.frame.rotation = rotation;
      const Frame software = parity::make_frame(test_case.frame);
      pair.configure(test_case);
      ASSERT_NO_FATAL_FAILURE(
          pair.expect_same(software, on_surface(software, upload(device(), frames.get(), software))));
    }
  }
}

TEST_F(VulkanVideo, ReimportedFrameKeepsViewAndContent) {
  SurfacePair pair(device());
  const parity::Case test_case = case_of("p010", {64, 48});
  pair.configure(test_case);
  BufferRef frames = make_frames(context(), AV_PIX_FMT_P010, test_case.frame.size);
  ASSERT_TRUE(frames);
  const Frame software = parity::make_frame(test_case.frame);
  const Frame surface = on_surface(software, upload(device(), frames.get(), software));
  pair.expect_same(software, surface);
  const std::uint64_t views = pair.import().views_made();
  EXPECT_EQ(views, 2u);
  for (int i = 0; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(pair.expect_same(software, surface));
  EXPECT_EQ(pair.import().views_made(), views);

  // FFmpeg writes to the image next and continues from the state that the renderer left.
  AVVkFrame& images = *reinterpret_cast<AVVkFrame*>(frame_of(surface).data[0]);
  EXPECT_EQ(images.layout[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  const Frame other = parity::make_frame(case_of("p010", {64, 48}, 7).frame);
  FramePtr host = media::new_frame();
  ASSERT_EQ(av_hwframe_transfer_data(host.get(), &frame_of(surface), 0), 0);
  const FramePtr changed = upload(device(), frames.get(), other);
  ASSERT_EQ(av_hwframe_transfer_data(host.get(), changed.get(), 0), 0);
  FramePtr same_frame(av_frame_clone(&frame_of(surface)));
  host->width = 64;
  host->height = 48;
  ASSERT_EQ(av_hwframe_transfer_data(same_frame.get(), host.get(), 0), 0);
  wait_for(*same_frame);
  pair.expect_same(other, surface);
}

TEST_F(VulkanVideo, EachFramePoolHasItsOwnViews) {
  SurfacePair pair(device());
  const parity::Case test_case = case_of("nv12", {64, 48});
  pair.configure(test_case);
  std::uint64_t views = 0;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    // Each pool's images are freed before the next pool's are created, so the driver may reuse their handles.
    // Even then, the importer must make new views.
    const Frame software = parity::make_frame(case_of("nv12", {64, 48}, seed).frame);
    const BufferRef frames = make_frames(context(), AV_PIX_FMT_NV12, {64, 48});
    ASSERT_NO_FATAL_FAILURE(
        pair.expect_same(software, on_surface(software, upload(device(), frames.get(), software))));
    EXPECT_EQ(pair.import().views_made(), views + 2);
    views = pair.import().views_made();
  }
}

TEST_F(VulkanVideo, SemaphoresIncreaseByOnePerSubmission) {
  SurfacePair pair(device());
  const parity::Case test_case = case_of("nv12", {64, 48});
  pair.configure(test_case);
  const BufferRef frames = make_frames(context(), AV_PIX_FMT_NV12, test_case.frame.size);
  const Frame software = parity::make_frame(test_case.frame);
  const Frame surface = on_surface(software, upload(device(), frames.get(), software));
  const AVVkFrame& images = *reinterpret_cast<AVVkFrame*>(frame_of(surface).data[0]);
  for (int round = 0; round < 4; ++round) {
    std::array<std::uint64_t, AV_NUM_DATA_POINTERS> before{};
    std::copy(std::begin(images.sem_value), std::end(images.sem_value), before.begin());
    pair.expect_same(software, surface);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(images.sem_value[i], before[i] + (images.sem[i] != VK_NULL_HANDLE ? 1 : 0)) << i;
      if (images.sem[i] == VK_NULL_HANDLE) continue;
      std::uint64_t reached = 0;
      ASSERT_EQ(vkGetSemaphoreCounterValue(device()->handle(), images.sem[i], &reached), VK_SUCCESS);
      EXPECT_EQ(reached, images.sem_value[i]);
    }
  }
}

TEST_F(VulkanVideo, UnsubmittedImportLeavesFrameUnchanged) {
  interop::VulkanImport import(device());
  const parity::Case test_case = case_of("nv12", {64, 48});
  const BufferRef frames = make_frames(context(), AV_PIX_FMT_NV12, test_case.frame.size);
  const Frame software = parity::make_frame(test_case.frame);
  const FramePtr uploaded = upload(device(), frames.get(), software);
  const AVVkFrame& images = vulkan_frame(uploaded);
  const std::uint64_t value = images.sem_value[0];
  const VkImageLayout layout = images.layout[0];
  const int references = av_buffer_get_ref_count(uploaded->buf[0]);
  for (int i = 0; i < 3; ++i) {  // if an import leaked its lock, the next one would deadlock
    Result<GpuFrame> imported = import.import_frame(*uploaded, software.view);
    ASSERT_TRUE(imported);
    EXPECT_TRUE(imported->waits.empty()) << "waits must be added only when commands are recorded";
    imported->lease->acquire(imported->waits, imported->signals);
    ASSERT_EQ(imported->signals.size(), imported->waits.size());
    ASSERT_FALSE(imported->waits.empty());
    EXPECT_EQ(imported->signals.front().value, value + 1);
    EXPECT_EQ(imported->waits.front().value, value);
    EXPECT_EQ(av_buffer_get_ref_count(uploaded->buf[0]), references + 1);
  }
  EXPECT_EQ(images.sem_value[0], value);
  EXPECT_EQ(images.layout[0], layout);
  EXPECT_EQ(av_buffer_get_ref_count(uploaded->buf[0]), references);
}

TEST_F(VulkanVideo, UnreadableFramesAreRejected) {
  interop::VulkanImport import(device());
  const parity::Case test_case = case_of("nv12", {64, 48});
  const BufferRef frames = make_frames(context(), AV_PIX_FMT_NV12, test_case.frame.size);
  const Frame software = parity::make_frame(test_case.frame);
  FramePtr uploaded = upload(device(), frames.get(), software);
  ASSERT_TRUE(import.supports(*uploaded));

  uploaded->crop_left = 2;
  EXPECT_FALSE(import.import_frame(*uploaded, software.view));
  uploaded->crop_left = 0;
  const Frame packed = parity::make_frame(case_of("yuyv422", {64, 48}).frame);
  EXPECT_FALSE(import.import_frame(*uploaded, packed.view));
  const Frame planar = parity::make_frame(case_of("yuv420p10", {64, 48}).frame);
  EXPECT_FALSE(import.import_frame(*uploaded, planar.view));

  FramePtr host = media::new_frame();
  host->format = AV_PIX_FMT_NV12;
  EXPECT_FALSE(import.supports(*host));
  AVBufferRef* foreign = nullptr;  // a VkDevice created by FFmpeg
  if (av_hwdevice_ctx_create(&foreign, AV_HWDEVICE_TYPE_VULKAN, nullptr, nullptr, 0) < 0) return;
  const BufferRef other(foreign);
  if (const BufferRef others = make_frames(other.get(), AV_PIX_FMT_NV12, {64, 48})) {
    FramePtr theirs = media::new_frame();
    ASSERT_EQ(av_hwframe_get_buffer(others.get(), theirs.get(), 0), 0);
    EXPECT_FALSE(import.supports(*theirs));
  }
}

TEST_F(VulkanVideo, SurfacesAreDownloadedForHostUse) {
  const parity::Case test_case = case_of("nv12", {64, 48});
  const BufferRef frames = make_frames(context(), AV_PIX_FMT_NV12, test_case.frame.size);
  const Frame software = parity::make_frame(test_case.frame);
  const Frame surface = on_surface(software, upload(device(), frames.get(), software));
  const Result<Frame> host = on_host(surface, nullptr);
  ASSERT_TRUE(host) << host.error().message;
  for (int y = 0; y < 48; ++y) {
    EXPECT_EQ(std::memcmp(host->view.planes[0] + y * host->view.strides[0],
                          software.view.planes[0] + y * software.view.strides[0], 64),
              0);
  }
}

TEST_F(VulkanVideo, DeviceWithoutDecodersIsNotWrapped) {
  if (device()->video().codecs != 0) GTEST_SKIP() << "this GPU decodes video";
  const Result<BufferRef> made = interop::make_vulkan_device(device());
  ASSERT_FALSE(made);
#if GLYPHREEL_AV_VULKAN_LOCKS
  EXPECT_NE(made.error().message.find(device()->name()), std::string::npos);
#else
  EXPECT_NE(made.error().message.find("too old for Vulkan Video; rebuild it with FFmpeg 6.1 or"),
            std::string::npos);
#endif
}

TEST_F(VulkanVideo, FramesAreRequestedInShaderReadableFormat) {
  const BufferRef frames(av_hwframe_ctx_alloc(context()));
  auto& parameters = *reinterpret_cast<AVHWFramesContext*>(frames->data);
  auto& vulkan = *static_cast<AVVulkanFramesContext*>(parameters.hwctx);
  vulkan.tiling = VK_IMAGE_TILING_LINEAR;
  vulkan.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  interop::adjust_vulkan_frames(parameters);
  EXPECT_EQ(vulkan.tiling, VK_IMAGE_TILING_OPTIMAL);
  EXPECT_EQ(static_cast<VkImageUsageFlags>(vulkan.usage),
            static_cast<VkImageUsageFlags>(VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT));
}

#if GLYPHREEL_AV_VULKAN_LOCKS
TEST_F(VulkanVideo, FramesAreLockedFromRecordingToSubmission) {
  FrameLocks::reset();
  SurfacePair pair(device());
  const parity::Case test_case = case_of("yuv420p", {64, 48});
  pair.configure(test_case);
  const BufferRef frames = make_frames(context(), AV_PIX_FMT_YUV420P, test_case.frame.size, Locks::Counted);
  ASSERT_TRUE(frames);
  const Frame software = parity::make_frame(test_case.frame);
  const Frame surface = on_surface(software, upload(device(), frames.get(), software));
  ASSERT_EQ(FrameLocks::held(), 0);
  const int before = FrameLocks::taken();
  for (int i = 1; i <= 5; ++i) {
    pair.expect_same(software, surface);
    EXPECT_EQ(FrameLocks::taken(), before + i);
    EXPECT_EQ(FrameLocks::held(), 0);
  }
  {
    Result<GpuFrame> imported = pair.import().import_frame(frame_of(surface), surface.view);
    ASSERT_TRUE(imported);
    EXPECT_EQ(FrameLocks::held(), 0) << "no lock may be held while a window waits for the screen";
    imported->lease->acquire(imported->waits, imported->signals);
    EXPECT_EQ(FrameLocks::held(), 1);
  }
  EXPECT_EQ(FrameLocks::held(), 0);
  // An import that fails must fail before it locks the frame.
  const Frame packed = parity::make_frame(case_of("yuyv422", {64, 48}).frame);
  EXPECT_FALSE(pair.import().import_frame(frame_of(surface), packed.view));
  EXPECT_EQ(FrameLocks::taken(), before + 6);
  EXPECT_EQ(FrameLocks::mistakes(), 0);
}

TEST_F(VulkanVideo, DecoderThreadsShareQueueWithRenderer) {
  constexpr int Decoders = 3, Frames = 25;
  struct Decoded {
    Frame software, surface;
  };
  BoundedQueue<Decoded> queue(4);
  std::vector<std::jthread> decoders;
  for (int decoder = 0; decoder < Decoders; ++decoder) {
    decoders.emplace_back([&, decoder] {
      const BufferRef frames = make_frames(context(), AV_PIX_FMT_NV12, {64, 48});
      for (int i = 0; i < Frames; ++i) {
        const auto seed = static_cast<std::uint32_t>(1 + decoder * Frames + i);
        Frame software = parity::make_frame(case_of("nv12", {64, 48}, seed).frame);
        Frame surface = on_surface(software, upload(device(), frames.get(), software));
        static_cast<void>(queue.push({std::move(software), std::move(surface)}));
      }
    });
  }
  SurfacePair pair(device());
  pair.configure(case_of("nv12", {64, 48}));
  for (int i = 0; i < Decoders * Frames; ++i) {
    const auto decoded = queue.pop();
    ASSERT_TRUE(decoded.has_value());
    pair.expect_same(decoded->software, decoded->surface);
    if (HasFatalFailure()) queue.close();
  }
}
#endif

int open_files() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

/// Returns the number of bytes allocated on the heap.
std::size_t allocated() {
  return mallinfo2().uordblks;
}

TEST(VulkanVideoDevice, ThousandContextsLeakNothing) {
  ASSERT_FALSE(list_devices().empty())
      << "no Vulkan device: install mesa-vulkan-drivers to test without a GPU";
  const Result<std::shared_ptr<Device>> device =
      Device::make({.validation = Validation::Off});  // validation keeps records, which would count as growth
  ASSERT_TRUE(device);
  const auto open_and_close = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const Result<BufferRef> made = interop::wrap_vulkan_device(*device);
      ASSERT_TRUE(made);
      const BufferRef frames = make_frames(made->get(), AV_PIX_FMT_NV12, {64, 48});
      ASSERT_TRUE(frames);
    }
  };
  open_and_close(100);
  const int files = open_files();
  const std::size_t memory = allocated();
  const long owners = device->use_count();
  open_and_close(1000);
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(device->use_count(), owners);
  EXPECT_LT(allocated(), memory + 64 * 1024);
}

TEST(VulkanVideoDevice, TwoHundredSizeChangesLeakNothing) {
  ASSERT_FALSE(list_devices().empty())
      << "no Vulkan device: install mesa-vulkan-drivers to test without a GPU";
  const Result<std::shared_ptr<Device>> device = Device::make({.validation = Validation::Off});
  ASSERT_TRUE(device);
  const Result<BufferRef> context = interop::wrap_vulkan_device(*device);
  ASSERT_TRUE(context);
  interop::VulkanImport import(*device);
  const auto change_sizes = [&](int changes) {
    for (int i = 0; i < changes; ++i) {
      const Extent size{64 + 16 * (i % 5), 48};
      const BufferRef frames = make_frames(context->get(), AV_PIX_FMT_NV12, size);
      ASSERT_TRUE(frames);
      const Frame software = parity::make_frame(case_of("nv12", size).frame);
      for (int frame = 0; frame < 2; ++frame) {
        FramePtr decoded = media::new_frame();
        ASSERT_EQ(av_hwframe_get_buffer(frames.get(), decoded.get(), 0), 0);
        ASSERT_TRUE(import.import_frame(*decoded, software.view));
      }
      (*device)->free_retired();
    }
  };
  change_sizes(50);
  const int files = open_files();
  const std::size_t memory = allocated();
  change_sizes(200);
  EXPECT_EQ(open_files(), files);
  EXPECT_LT(allocated(), memory + 64 * 1024);
}

/// Runs `use` on a separate device. Returns the validation messages that the device's destruction causes.
template <typename Use>
std::string messages_at_destruction(const Use& use) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  {
    Result<std::shared_ptr<Device>> made = Device::make({.validation = Validation::On});
    EXPECT_TRUE(made);
    if (made) use(*made);
  }
  return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
}

TEST(VulkanVideoDevice, IsKeptByContextsAndLeaksNothing) {
  ASSERT_FALSE(list_devices().empty())
      << "no Vulkan device: install mesa-vulkan-drivers to test without a GPU";
  std::weak_ptr<Device> watched;
  const std::string messages = messages_at_destruction([&](std::shared_ptr<Device>& device) {
    watched = device;
    Result<BufferRef> context = interop::wrap_vulkan_device(device);
    ASSERT_TRUE(context);
    const BufferRef frames = make_frames(context->get(), AV_PIX_FMT_NV12, {64, 48});
    ASSERT_TRUE(frames);
    FramePtr frame = media::new_frame();
    ASSERT_EQ(av_hwframe_get_buffer(frames.get(), frame.get(), 0), 0);
    {
      interop::VulkanImport import(device);
      const Frame software = parity::make_frame(case_of("nv12", {64, 48}).frame);
      EXPECT_TRUE(import.import_frame(*frame, software.view));
    }
    context->reset();
    device.reset();
    EXPECT_FALSE(watched.expired()) << "FFmpeg's frames must keep the device alive";
  });
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(messages.find("validation"), std::string::npos) << messages;
}

TEST(VulkanVideoDevice, LeakIsDetected) {
  ASSERT_FALSE(list_devices().empty())
      << "no Vulkan device: install mesa-vulkan-drivers to test without a GPU";
  VkSemaphore forgotten = VK_NULL_HANDLE;
  const std::string messages = messages_at_destruction([&](const std::shared_ptr<Device>& device) {
    const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
    ASSERT_EQ(vkCreateSemaphore(device->handle(), &create, nullptr, &forgotten), VK_SUCCESS);
  });
  EXPECT_NE(messages.find("validation"), std::string::npos);
}

}  // namespace
}  // namespace glyphreel::gpu
