#include "interop/drm/dma_buf_sync.h"

#include <linux/dma-buf.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <utility>

#include "base/io/file_descriptor.h"

namespace glyphreel::interop {
namespace {

/// Several frames' time: a producer that takes longer is stuck, and a torn frame is the lesser evil.
constexpr int LongestHostWaitMs = 100;

}  // namespace

DmaBufSync::Pool::~Pool() {
  const MutexLock lock(mutex_);
  for (const VkSemaphore semaphore : idle_) vkDestroySemaphore(device_->handle(), semaphore, nullptr);
}

VkSemaphore DmaBufSync::Pool::take() {
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      const VkSemaphore semaphore = idle_.back();
      idle_.pop_back();
      return semaphore;
    }
  }
  const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  if (vkCreateSemaphore(device_->handle(), &create, nullptr, &semaphore) != VK_SUCCESS) return VK_NULL_HANDLE;
  return semaphore;
}

void DmaBufSync::Pool::recycle(VkSemaphore semaphore) {
  const MutexLock lock(mutex_);
  idle_.push_back(semaphore);
}

/// A semaphore on loan to a frame, and the frame's previous owner.
struct DmaBufSync::Lent {
  std::shared_ptr<Pool> pool;
  VkSemaphore semaphore;
  std::shared_ptr<const void> owner;
  Lent(std::shared_ptr<Pool> from, VkSemaphore lent, std::shared_ptr<const void> chained)
      : pool(std::move(from)), semaphore(lent), owner(std::move(chained)) {}
  ~Lent() { pool->recycle(semaphore); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
};

DmaBufSync::DmaBufSync(std::shared_ptr<gpu::Device> device) {
  if (!device->has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME)) return;
  VkPhysicalDeviceExternalSemaphoreInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO};
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  VkExternalSemaphoreProperties properties{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vkGetPhysicalDeviceExternalSemaphoreProperties(device->physical(), &info, &properties);
  if ((properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT) == 0) return;
  import_ = reinterpret_cast<PFN_vkImportSemaphoreFdKHR>(
      vkGetDeviceProcAddr(device->handle(), "vkImportSemaphoreFdKHR"));
  if (import_ != nullptr) pool_ = std::make_shared<Pool>(std::move(device));
}

void DmaBufSync::add_to(gpu::GpuFrame& frame, int dma_buf) {
  dma_buf_export_sync_file request{.flags = DMA_BUF_SYNC_READ, .fd = -1};
  if (ioctl(dma_buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &request) != 0 || request.fd < 0) return;
  FileDescriptor fence(request.fd);
  pollfd state{.fd = fence.number(), .events = POLLIN, .revents = 0};
  const bool is_over = poll(&state, 1, pool_ ? 0 : LongestHostWaitMs) == 1;
  const VkSemaphore semaphore = is_over || !pool_ ? VK_NULL_HANDLE : pool_->take();
  if (semaphore == VK_NULL_HANDLE) return;
  auto lent = std::make_shared<const Lent>(pool_, semaphore, std::move(frame.owner));
  VkImportSemaphoreFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR};
  import.semaphore = semaphore;
  import.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT;
  import.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  import.fd = fence.number();
  if (import_(pool_->device().handle(), &import) == VK_SUCCESS) {
    static_cast<void>(fence.release());     // the driver owns it now
    frame.waits.push_back({semaphore, 0});  // binary: without a value
  }
  frame.owner = std::move(lent);
}

}  // namespace glyphreel::interop
