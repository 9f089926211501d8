#include "interop/drm/dma_buf_sync.h"

#include <linux/dma-buf.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <utility>

#include "base/io/file_descriptor.h"
#include "gpu/device/handle.h"
#include "gpu/device/loader.h"

namespace glyphreel::interop {
namespace {

/// The duration of several frames. A producer that is still writing after this time is probably stuck.
/// Showing a torn frame is then better than stalling the display.
constexpr int LongestHostWaitMs = 100;

}  // namespace

DmaBufSync::DmaBufSync(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {
  if (!device_->has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME)) return;
  VkPhysicalDeviceExternalSemaphoreInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO};
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  VkExternalSemaphoreProperties properties{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vkGetPhysicalDeviceExternalSemaphoreProperties(device_->physical(), &info, &properties);
  if ((properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT) == 0) return;
  import_ = gpu::device_function<PFN_vkImportSemaphoreFdKHR>(device_->handle(), "vkImportSemaphoreFdKHR");
}

void DmaBufSync::add_to(gpu::GpuFrame& frame, int dma_buf) {
  dma_buf_export_sync_file request{.flags = DMA_BUF_SYNC_READ, .fd = -1};
  if (ioctl(dma_buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &request) != 0 || request.fd < 0) return;
  FileDescriptor fence(request.fd);
  pollfd state{.fd = fence.number(), .events = POLLIN, .revents = 0};
  const bool is_over = poll(&state, 1, import_ != nullptr ? 0 : LongestHostWaitMs) == 1;
  if (is_over || import_ == nullptr) return;
  gpu::SemaphoreHandle semaphore;
  const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  if (semaphore.create(*device_, vkCreateSemaphore, create) != VK_SUCCESS) return;
  VkImportSemaphoreFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR};
  import.semaphore = semaphore.get();
  import.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT;
  import.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  import.fd = fence.number();
  if (import_(device_->handle(), &import) != VK_SUCCESS) return;
  static_cast<void>(fence.release());           // the driver owns the descriptor now
  frame.waits.push_back({semaphore.get(), 0});  // a binary semaphore has no value
  using Owners = std::pair<gpu::SemaphoreHandle, std::shared_ptr<const void>>;
  frame.owner = std::make_shared<const Owners>(std::move(semaphore), std::move(frame.owner));
}

}  // namespace glyphreel::interop
