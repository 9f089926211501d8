#include "vulkan_frames.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "gpu/resources/command_buffer.h"
#include "gpu/resources/frame_ring.h"
#include "gpu_fixture.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_vulkan.h>
}

namespace glyphreel::gpu {
namespace {

struct CountedLocks {
  std::mutex mutex;
  std::map<const AVVkFrame*, std::unique_ptr<std::mutex>> frames;
  std::map<const AVVkFrame*, bool> is_held;
  int taken = 0, held = 0, mistakes = 0;
};

CountedLocks& counted() {
  static CountedLocks locks;
  return locks;
}

#if GLYPHREEL_AV_VULKAN_LOCKS
void lock_counted(AVHWFramesContext*, AVVkFrame* frame) {
  CountedLocks& locks = counted();
  std::mutex* own = nullptr;
  {
    const std::lock_guard guard(locks.mutex);
    std::unique_ptr<std::mutex>& entry = locks.frames[frame];
    if (!entry) entry = std::make_unique<std::mutex>();
    own = entry.get();
  }
  own->lock();
  const std::lock_guard guard(locks.mutex);
  locks.is_held[frame] = true;
  ++locks.taken;
  ++locks.held;
}

void unlock_counted(AVHWFramesContext*, AVVkFrame* frame) {
  CountedLocks& locks = counted();
  const std::lock_guard guard(locks.mutex);
  if (!locks.is_held[frame]) {
    ++locks.mistakes;
    return;
  }
  locks.is_held[frame] = false;
  --locks.held;
  locks.frames[frame]->unlock();
}
#endif

/// Moves the images of a newly created FFmpeg frame to the state that FFmpeg assumes. On a device with a
/// single queue family, FFmpeg's first barrier releases the images from that family but names no acquiring
/// family. The validation layer then loses track of the images. On a GPU with video queues, frames are shared
/// by all families and have no such barrier.
void prepare_for_ffmpeg(const std::shared_ptr<Device>& device, AVVkFrame& frame) {
#if GLYPHREEL_AV_VULKAN_LOCKS
  auto ring = FrameRing::make(device, 1, nullptr);
  ASSERT_TRUE(ring);
  auto frame_commands = (*ring)->begin();
  ASSERT_TRUE(frame_commands);
  GpuFrame used;
  for (std::size_t i = 0; i < AV_NUM_DATA_POINTERS && frame.img[i] != VK_NULL_HANDLE; ++i) {
    Image image;
    image.handle = frame.img[i];
    frame_commands->commands().use(image, CopyWrite, frame.layout[i], Commands::Content::Discard);
    used.waits.push_back({frame.sem[i], frame.sem_value[i]});
    used.signals.push_back({frame.sem[i], ++frame.sem_value[i]});
  }
  frame_commands->read(std::move(used));
  ASSERT_TRUE(frame_commands->submit());
#else
  static_cast<void>(device);
  static_cast<void>(frame);
#endif
}

}  // namespace

void FrameLocks::reset() {
  const std::lock_guard guard(counted().mutex);
  counted().taken = counted().mistakes = 0;
}

int FrameLocks::taken() {
  const std::lock_guard guard(counted().mutex);
  return counted().taken;
}

int FrameLocks::held() {
  const std::lock_guard guard(counted().mutex);
  return counted().held;
}

int FrameLocks::mistakes() {
  const std::lock_guard guard(counted().mutex);
  return counted().mistakes;
}

bool has_images_for(AVBufferRef* device, AVPixelFormat format) {
  AVHWFramesConstraints* constraints = av_hwdevice_get_hwframe_constraints(device, nullptr);
  EXPECT_NE(constraints, nullptr);
  bool found = false;
  for (const AVPixelFormat* known = constraints->valid_sw_formats; *known != AV_PIX_FMT_NONE; ++known) {
    found |= *known == format;
  }
  av_hwframe_constraints_free(&constraints);
  return found;
}

media::BufferRef make_frames(AVBufferRef* device, AVPixelFormat format, Extent size, Locks locks) {
  media::BufferRef frames(av_hwframe_ctx_alloc(device));
  auto& context = *reinterpret_cast<AVHWFramesContext*>(frames->data);
  context.format = AV_PIX_FMT_VULKAN;
  context.sw_format = format;
  context.width = size.width;
  context.height = size.height;
#if GLYPHREEL_AV_VULKAN_LOCKS
  if (locks == Locks::Counted) {
    auto& vulkan = *static_cast<AVVulkanFramesContext*>(context.hwctx);
    vulkan.lock_frame = lock_counted;
    vulkan.unlock_frame = unlock_counted;
  }
#else
  EXPECT_EQ(locks, Locks::FFmpegs) << "this FFmpeg has no locks";
#endif
  if (av_hwframe_ctx_init(frames.get()) < 0) return nullptr;
  return frames;
}

void wait_for(const AVFrame& frame) {
  const auto& context = *reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data);
  const auto& images = *reinterpret_cast<const AVVkFrame*>(frame.data[0]);
  VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  wait.pSemaphores = images.sem;
  wait.pValues = images.sem_value;
  while (wait.semaphoreCount < AV_NUM_DATA_POINTERS && images.sem[wait.semaphoreCount] != VK_NULL_HANDLE) {
    ++wait.semaphoreCount;
  }
  const auto& device = *static_cast<const AVVulkanDeviceContext*>(context.device_ctx->hwctx);
  EXPECT_EQ(vkWaitSemaphores(device.act_dev, &wait, UINT64_MAX), VK_SUCCESS);
}

media::FramePtr upload(const std::shared_ptr<Device>& device, AVBufferRef* frames, const Frame& frame) {
  const auto& context = *reinterpret_cast<const AVHWFramesContext*>(frames->data);
  media::FramePtr host = media::new_frame();
  host->format = context.sw_format;
  host->width = context.width;
  host->height = context.height;
  EXPECT_EQ(av_frame_get_buffer(host.get(), 0), 0);
  const PixelLayout& layout = frame.view.layout;
  for (int c = 0; c < layout.component_count(); ++c) {
    const ComponentLayout& component = layout.components[static_cast<std::size_t>(c)];
    const std::size_t p = component.plane;
    const Extent extent = parity::component_extent(component, frame.view.size);
    for (int y = 0; y < extent.height; ++y) {
      for (int x = 0; x < extent.width; ++x) {
        const std::ptrdiff_t at = x * component.step + component.offset;
        std::memcpy(host->data[p] + y * host->linesize[p] + at,
                    frame.view.planes[p] + y * frame.view.strides[p] + at, layout.bytes_per_sample);
      }
    }
  }
  media::FramePtr uploaded = media::new_frame();
  EXPECT_EQ(av_hwframe_get_buffer(frames, uploaded.get(), 0), 0);
  prepare_for_ffmpeg(device, *reinterpret_cast<AVVkFrame*>(uploaded->data[0]));
  EXPECT_EQ(av_hwframe_transfer_data(uploaded.get(), host.get(), 0), 0);
  wait_for(*uploaded);
  uploaded->width = frame.view.size.width;
  uploaded->height = frame.view.size.height;
  return uploaded;
}

Frame on_surface(const Frame& frame, media::FramePtr surface) {
  Frame decoded = frame;
  decoded.view.planes = {};
  decoded.view.strides = {};
  decoded.view.block = nullptr;
  decoded.owner = nullptr;
  decoded.surface = std::make_shared<media::HardwareSurface>(std::move(surface));
  return decoded;
}

Result<GpuFrame> VulkanFrames::import_frame(const Frame& frame) {
  const auto& surface = static_cast<const media::HardwareSurface&>(*frame.surface);
  EXPECT_TRUE(import_->supports(surface.frame()));
  return import_->import_frame(surface.frame(), frame.view);
}

SurfacePair::SurfacePair(const std::shared_ptr<Device>& device)
    : import_(std::make_shared<interop::VulkanImport>(device)),
      cpu_(render::make_cpu_renderer(1, cpu_times_)) {
  auto made = make_gpu_renderer(device, gpu_times_, std::make_unique<VulkanFrames>(import_), 2);
  EXPECT_TRUE(made) << made.error().message;
  gpu_ = *std::move(made);
}

void SurfacePair::configure(const parity::Case& test_case) {
  const render::RenderSetup setup = setup_of(test_case, PictureFormat::None);
  ASSERT_TRUE(cpu_->configure(setup));
  ASSERT_TRUE(gpu_->configure(setup));
}

void SurfacePair::expect_same(const Frame& software, const Frame& surface) {
  expect_same_cells(*gpu_, surface, *cpu_, software);
}

}  // namespace glyphreel::gpu
