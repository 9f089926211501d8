#include "gpu/presentation/picture_presenter.h"

#include <cstdint>
#include <utility>

#include "gpu/presentation/surface_pixels.h"
#include "render/picture_layout.h"

namespace glyphreel::gpu {
Result<std::unique_ptr<PicturePresenter>> PicturePresenter::make(std::shared_ptr<Device> device) {
  std::unique_ptr<PicturePresenter> presenter(new PicturePresenter);
  presenter->device_ = std::move(device);
  presenter->pool_ = HostFramePool::make(presenter->device_);
  TRY_ASSIGN(presenter->ring_, FrameRing::make(presenter->device_, FramesInFlight, nullptr));
  return presenter;
}

Result<std::shared_ptr<const HostBlock>> PicturePresenter::block_of(const Picture& picture, VkFormat format) {
  const bool is_converted = format != VK_FORMAT_B8G8R8A8_UNORM;
  if (!is_converted && pool_->buffer_of(picture.block.get()) != VK_NULL_HANDLE) return picture.block;
  // Copy the picture, because the window needs a different format, or because the picture is on the heap: the
  // pool was exhausted, or the host reads the pool's memory slowly.
  const auto bytes =
      static_cast<std::size_t>(picture.strides[0]) * static_cast<std::size_t>(picture.size.height);
  std::shared_ptr<const HostBlock> copy = pool_->acquire(bytes);
  if (!copy)
    return Error{
        ErrorCode::Failed, "Out of memory for the pictures in the window; make the window smaller.", {}};
  const std::size_t words = bytes / sizeof(std::uint32_t);
  convert_pixels({reinterpret_cast<const std::uint32_t*>(picture.planes[0]), words}, format,
                 {reinterpret_cast<std::uint32_t*>(copy->bytes), words});
  return copy;
}

Result<PresentOutcome> PicturePresenter::present(const Picture& picture, Swapchain& swapchain) {
  CHECK(picture.format == PictureFormat::Bgra8, "a picture for a window is not Bgra8");
  TRY_ASSIGN(FrameCommands frame_commands, ring_->begin());
  TRY_ASSIGN(std::shared_ptr<const HostBlock> block, block_of(picture, swapchain.format()));
  const std::size_t picture_at =
      block == picture.block ? static_cast<std::size_t>(picture.planes[0] - block->bytes) : 0;
  TRY(pool_->flush(*block));
  const VkBuffer source = pool_->buffer_of(block.get());
  frame_commands.keep(std::move(block));
  // This must be the last call that can fail: an acquired image must be presented.
  TRY_ASSIGN(const Swapchain::Acquired acquired, swapchain.acquire());
  if (acquired.outcome != PresentOutcome::Presented) return acquired.outcome;

  Commands& commands = frame_commands.commands();
  Image& target = *acquired.image;
  const render::Overlap x = render::overlap(picture.size.width, target.size.width);
  const render::Overlap y = render::overlap(picture.size.height, target.size.height);
  const bool is_covered = x.count == target.size.width && y.count == target.size.height;
  if (!is_covered) commands.clear_to_black(target);
  commands.use(target, CopyWrite, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
               is_covered ? Commands::Content::Discard : Commands::Content::Keep);
  const auto stride = static_cast<std::size_t>(picture.strides[0]);
  VkBufferImageCopy region{};
  region.bufferOffset =
      picture_at + static_cast<std::size_t>(y.from) * stride + static_cast<std::size_t>(x.from) * 4;
  region.bufferRowLength = static_cast<std::uint32_t>(stride / 4);
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageOffset = {x.to, y.to, 0};
  region.imageExtent = {static_cast<std::uint32_t>(x.count), static_cast<std::uint32_t>(y.count), 1};
  vkCmdCopyBufferToImage(commands.handle(), source, target.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                         &region);
  return swapchain.present(frame_commands, acquired);
}

}  // namespace glyphreel::gpu
