// Renders frames stored as images, like those of hardware decoders, and the same frames in buffers. Compares
// every cell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "cases.h"
#include "gpu/gpu_renderer.h"
#include "gpu/resources/frame_ring.h"
#include "interop/frame_importer.h"
#include "support/gpu_fixture.h"

namespace glyphreel::gpu {
namespace {

using parity::Case;
using parity::component_extent;
using parity::NamedLayout;

/// Returns the size in bytes of a texel that has one sample of each component in the plane. Returns 0 if the
/// plane cannot be stored in such texels.
int texel_bytes(const PixelLayout& layout, int plane) {
  int bytes = 0;
  for (int c = 0; c < layout.component_count(); ++c) {
    const ComponentLayout& component = layout.components[static_cast<std::size_t>(c)];
    if (component.plane != plane) continue;
    if (bytes != 0 && bytes != component.step) return 0;
    bytes = component.step;
  }
  return bytes;
}

VkFormat format_of(const PixelLayout& layout, int plane) {
  switch (texel_bytes(layout, plane) / layout.bytes_per_sample * 10 + layout.bytes_per_sample) {
    case 11:
      return VK_FORMAT_R8_UNORM;
    case 21:
      return VK_FORMAT_R8G8_UNORM;
    case 41:
      return VK_FORMAT_R8G8B8A8_UNORM;
    case 12:
      return VK_FORMAT_R16_UNORM;
    case 22:
      return VK_FORMAT_R16G16_UNORM;
    case 42:
      return VK_FORMAT_R16G16B16A16_UNORM;
    default:
      return VK_FORMAT_UNDEFINED;
  }
}

/// Whether image formats exist for all planes of the layout.
bool fits_images(const PixelLayout& layout) {
  for (int c = 0; c < layout.component_count(); ++c) {
    if (format_of(layout, layout.components[static_cast<std::size_t>(c)].plane) == VK_FORMAT_UNDEFINED)
      return false;
  }
  return true;
}

struct Counts {
  int leases = 0;
  int submitted = 0;
  int destroyed = 0;
};

class CountingLease final : public FrameLease {
 public:
  explicit CountingLease(Counts& counts) : counts_(counts) { ++counts_.leases; }
  ~CountingLease() override { ++counts_.destroyed; }
  void submitted() override { ++counts_.submitted; }

 private:
  Counts& counts_;
};

/// Copies frames into images. Returns the images before the copies finish: the renderer must wait
/// for the copies.
class ImageSource final : public FrameSource {
 public:
  ImageSource(std::shared_ptr<Device> device, Counts& counts) : device_(std::move(device)), counts_(counts) {
    auto ring = FrameRing::make(device_, 4, nullptr);
    EXPECT_TRUE(ring);
    ring_ = *std::move(ring);
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    create.pNext = &type;
    EXPECT_EQ(vkCreateSemaphore(device_->handle(), &create, nullptr, &semaphore_), VK_SUCCESS);
  }
  ~ImageSource() override {
    device_->wait_idle();
    vkDestroySemaphore(device_->handle(), semaphore_, nullptr);
  }
  ImageSource(const ImageSource&) = delete;
  ImageSource& operator=(const ImageSource&) = delete;

  Result<GpuFrame> import_frame(const Frame& frame) override {
    // A repeated frame, such as that of a paused player, uses the same images again.
    if (last_ && last_owner_ == frame.owner) return hand_out({});
    last_owner_ = frame.owner;
    last_ = std::make_shared<Planes>();
    TRY_ASSIGN(FrameCommands frame_commands, ring_->begin());
    for (int plane = 0; plane < 3; ++plane) TRY(upload(frame.view, plane, frame_commands));
    const TimelinePoint uploaded{semaphore_, ++reached_};
    GpuFrame signalling;
    signalling.signals = {uploaded};
    signalling.owner = last_;
    frame_commands.read(std::move(signalling));
    TRY(frame_commands.submit());
    return hand_out({uploaded});
  }
  HostMemory* memory() override { return nullptr; }
  [[nodiscard]] std::uint64_t value() const {
    std::uint64_t value = 0;
    vkGetSemaphoreCounterValue(device_->handle(), semaphore_, &value);
    return value;
  }
  [[nodiscard]] std::uint64_t reached() const { return reached_; }

 private:
  struct Planes {
    std::vector<Buffer> staging;
    std::vector<Image> memory;  ///< owns the Vulkan images that the elements of `images` refer to
    std::vector<Image> images;
    std::array<VkImageView, 3> views{};
  };

  Result<GpuFrame> hand_out(std::vector<TimelinePoint> waits) {
    GpuFrame imported;
    imported.plane_views = last_->views;
    for (Image& image : last_->images) imported.images.push_back(&image);
    imported.waits = std::move(waits);
    imported.signals = {{semaphore_, ++reached_}};
    imported.lease = std::make_unique<CountingLease>(counts_);
    imported.owner = last_;
    return imported;
  }

  Result<void> upload(const FrameView& view, int plane, FrameCommands& frame_commands) {
    const int texel = texel_bytes(view.layout, plane);
    if (texel == 0) return {};
    Extent extent;
    for (const ComponentLayout& component : view.layout.components) {
      if (component.plane == plane) extent = component_extent(component, view.size);
    }
    const auto row = static_cast<std::size_t>(texel) * static_cast<std::size_t>(extent.width);
    TRY_ASSIGN(Buffer staging, make_buffer(*device_, row * static_cast<std::size_t>(extent.height),
                                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT, MemoryKind::Upload, "staging"));
    const auto p = static_cast<std::size_t>(plane);
    for (int y = 0; y < extent.height; ++y) {
      // The plane ends with its last sample, which may be before the end of the last texel. Copy only that
      // far. The rest of the texel stays undefined.
      const auto last = static_cast<std::size_t>(
          texel - (y + 1 == extent.height ? texel - bytes_of_last(view.layout, plane) : 0));
      std::memcpy(staging.mapped + static_cast<std::size_t>(y) * row, view.planes[p] + y * view.strides[p],
                  row - static_cast<std::size_t>(texel) + last);
    }
    const VkFormat format = format_of(view.layout, plane);
    TRY_ASSIGN(Image memory,
               make_image(*device_, extent, format,
                          VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "plane"));
    TRY_ASSIGN(Image image, wrap_image(*device_, memory.handle, extent, format, "plane"));
    Commands& commands = frame_commands.commands();
    commands.use(staging, CopyRead);
    commands.use(image, CopyWrite, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, Commands::Content::Discard);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {static_cast<std::uint32_t>(extent.width), static_cast<std::uint32_t>(extent.height),
                          1};
    vkCmdCopyBufferToImage(commands.handle(), staging.handle.get(), image.handle,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    last_->views[p] = image.view.get();
    last_->staging.push_back(std::move(staging));
    last_->memory.push_back(std::move(memory));
    last_->images.push_back(std::move(image));
    return {};
  }

  static int bytes_of_last(const PixelLayout& layout, int plane) {
    int bytes = 0;
    for (const ComponentLayout& component : layout.components) {
      if (component.plane == plane) bytes = std::max(bytes, component.offset + layout.bytes_per_sample);
    }
    return bytes;
  }

  const std::shared_ptr<Device> device_;
  Counts& counts_;
  std::unique_ptr<FrameRing> ring_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
  std::uint64_t reached_ = 0;
  std::shared_ptr<Planes> last_;
  std::shared_ptr<const void> last_owner_;
};

class ImageFrames : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!device()) return;
    auto frames = std::make_unique<ImageSource>(device(), counts_);
    source_ = frames.get();
    auto images = make_gpu_renderer(device(), image_times_, std::move(frames), 3);
    ASSERT_TRUE(images) << images.error().message;
    images_ = *std::move(images);
    auto buffers = interop::make_gpu_renderer(device(), buffer_times_, 3);
    ASSERT_TRUE(buffers) << buffers.error().message;
    buffers_ = *std::move(buffers);
  }
  void TearDown() override {
    images_.reset();
    buffers_.reset();
    GpuTest::TearDown();
  }

  void configure(const Case& test_case) {
    render::RenderSetup setup = setup_of(test_case, PictureFormat::None);
    const auto images = images_->configure(setup);
    ASSERT_TRUE(images) << images.error().message;
    ASSERT_TRUE(buffers_->configure(setup));
  }

  void compare(const Frame& frame, const std::string& what) {
    const auto submitted = images_->submit(frame, {});
    ASSERT_TRUE(submitted) << submitted.error().message << submitted.error().cause << what;
    const auto images = images_->collect();
    ASSERT_TRUE(images) << images.error().message;
    ASSERT_TRUE(buffers_->submit(frame, {}));
    const auto buffers = buffers_->collect();
    ASSERT_TRUE(buffers);
    ASSERT_EQ(images->cells.size(), buffers->cells.size());
    for (std::size_t i = 0; i < images->cells.size(); ++i) {
      ASSERT_EQ(std::memcmp(&images->cells[i], &buffers->cells[i], sizeof(render::Cell)), 0)
          << "cell " << i << " of " << what;
    }
    ++compared_;
  }

  Counts counts_;
  StageTimes image_times_, buffer_times_;
  ImageSource* source_ = nullptr;
  std::unique_ptr<GpuRenderer> images_, buffers_;
  int compared_ = 0;
};

TEST_F(ImageFrames, MatchBuffersForEveryImageLayout) {
  int layouts = 0;
  for (const NamedLayout& layout : parity::all_layouts()) {
    if (!fits_images(layout.layout)) continue;
    if (++layouts % 2 == 0 && !parity::is_whole_sweep()) continue;
    Case test_case{.frame = {.layout = layout}, .grid = {13, 7}};
    test_case.mapping.mode = layouts % 4 == 1 ? Mode::Shape : Mode::Ramp;
    ASSERT_NO_FATAL_FAILURE(configure(test_case));
    std::uint32_t seed = 1;
    const auto compare_this = [&](Extent size, Rotation rotation, parity::Pattern pattern) {
      test_case.frame.size = size;
      test_case.frame.rotation = rotation;
      test_case.frame.pattern = pattern;
      test_case.frame.seed = ++seed;
      compare(parity::make_frame(test_case.frame), parity::describe(test_case));
    };
    for (const Rotation rotation :
         {Rotation::None, Rotation::Clockwise90, Rotation::Half, Rotation::Clockwise270}) {
      ASSERT_NO_FATAL_FAILURE(compare_this({161, 91}, rotation, parity::Pattern::Random));
      ASSERT_NO_FATAL_FAILURE(compare_this({161, 91}, rotation, parity::Pattern::White));
    }
    ASSERT_NO_FATAL_FAILURE(compare_this({7, 5}, Rotation::None, parity::Pattern::Random));
  }
  // All layouts except packed 4:2:2 and three-channel formats.
  EXPECT_EQ(layouts, 25);
  EXPECT_EQ(compared_, (parity::is_whole_sweep() ? 25 : 13) * 9);
  EXPECT_EQ(counts_.leases, compared_);
  EXPECT_EQ(counts_.submitted, compared_);
  EXPECT_EQ(counts_.destroyed, compared_);
  EXPECT_EQ(source_->value(), source_->reached()) << "each frame must be signaled";
}

/// Compares the sampling shaders for images and for buffers. The shader for images is the variant tuned for
/// GPUs (ShaderTuning::Gpu). The shader for buffers is the variant that suits the test's device.
TEST_F(ImageFrames, MatchBuffersWithGpuShaders) {
  const auto tuned = Device::make({.validation = Validation::On, .shaders = ShaderTuning::Gpu});
  ASSERT_TRUE(tuned) << tuned.error().message;
  auto images = make_gpu_renderer(*tuned, image_times_, std::make_unique<ImageSource>(*tuned, counts_), 3);
  ASSERT_TRUE(images) << images.error().message;
  images_ = *std::move(images);
  for (const char* name : {"p010", "nv12", "yuv444p12", "gray"}) {
    Case test_case{.frame = {.layout = parity::layout_named(name), .size = {161, 91}}, .grid = {13, 7}};
    test_case.mapping.color = mapping::Color::Full;
    ASSERT_NO_FATAL_FAILURE(configure(test_case));
    for (const Rotation rotation : {Rotation::None, Rotation::Clockwise90}) {
      test_case.frame.rotation = rotation;
      ASSERT_NO_FATAL_FAILURE(compare(parity::make_frame(test_case.frame), parity::describe(test_case)));
    }
  }
  EXPECT_EQ((*tuned)->validation_messages(), 0u);
}

TEST_F(ImageFrames, MayRepeatInFlight) {
  Case test_case{.frame = {.layout = parity::layout_named("nv12"), .size = {161, 91}}, .grid = {13, 7}};
  ASSERT_NO_FATAL_FAILURE(configure(test_case));
  const Frame frame = parity::make_frame(test_case.frame);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(images_->submit(frame, {}));
    ASSERT_TRUE(buffers_->submit(frame, {}));
  }
  for (int i = 0; i < 3; ++i) {
    const auto images = images_->collect();
    const auto buffers = buffers_->collect();
    ASSERT_TRUE(images && buffers);
    ASSERT_EQ(images->cells.size(), buffers->cells.size());
    EXPECT_EQ(std::memcmp(images->cells.data(), buffers->cells.data(), images->cells.size_bytes()), 0);
  }
}

TEST_F(ImageFrames, MayAlternateWithBuffers) {
  // One renderer receives frames alternately as images and as buffers. It must rebuild its sampling plan each
  // time.
  class Either final : public FrameSource {
   public:
    Either(const std::shared_ptr<Device>& device, StageTimes& times, Counts& counts)
        : images_(device, counts), buffers_(device, times) {}
    Result<GpuFrame> import_frame(const Frame& frame) override {
      return ++count_ % 2 == 0 ? images_.import_frame(frame) : buffers_.import_frame(frame);
    }
    HostMemory* memory() override { return nullptr; }

   private:
    ImageSource images_;
    interop::FrameImporter buffers_;
    int count_ = 0;
  };
  auto made =
      make_gpu_renderer(device(), image_times_, std::make_unique<Either>(device(), image_times_, counts_), 3);
  ASSERT_TRUE(made);
  images_ = *std::move(made);
  Case test_case{.frame = {.layout = parity::layout_named("p010"), .size = {97, 55}}, .grid = {13, 7}};
  ASSERT_NO_FATAL_FAILURE(configure(test_case));
  for (std::uint32_t i = 0; i < 6; ++i) {
    test_case.frame.seed = i + 1;
    ASSERT_NO_FATAL_FAILURE(compare(parity::make_frame(test_case.frame), parity::describe(test_case)));
  }
}

}  // namespace
}  // namespace glyphreel::gpu
