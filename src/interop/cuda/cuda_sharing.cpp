#include "interop/cuda/cuda_sharing.h"

#include <unistd.h>

#include "gpu/device/loader.h"
#include "gpu/device/vulkan_result.h"
#include "gpu/resources/buffer.h"

namespace glyphreel::interop {
namespace {

Error unsupported(const char* what) {
  return {ErrorCode::Failed, "The GPU's Vulkan driver cannot share memory with CUDA; update the GPU driver.",
          what};
}

constexpr VkExternalMemoryHandleTypeFlagBits Opaque = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr VkBufferUsageFlags Usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
constexpr unsigned ExternalMemoryDedicated = 1;  // CUDA_EXTERNAL_MEMORY_DEDICATED, which ffnvcodec lacks

bool exports_buffers(const gpu::Device& device) {
  VkPhysicalDeviceExternalBufferInfo asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
  asked.usage = Usage;
  asked.handleType = Opaque;
  VkExternalBufferProperties answer{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vkGetPhysicalDeviceExternalBufferProperties(device.physical(), &asked, &answer);
  return (answer.externalMemoryProperties.externalMemoryFeatures &
          VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0;
}

/// Whether timeline semaphores can be exported as file descriptors.
bool exports_timelines(const gpu::Device& device) {
  if (!device.has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME)) return false;
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkPhysicalDeviceExternalSemaphoreInfo asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO};
  asked.pNext = &type;
  asked.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalSemaphoreProperties answer{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vkGetPhysicalDeviceExternalSemaphoreProperties(device.physical(), &asked, &answer);
  return (answer.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0;
}

Result<int> export_by_driver(gpu::Device& device, VkSemaphore semaphore) {
  const auto get = gpu::device_function<PFN_vkGetSemaphoreFdKHR>(device.handle(), "vkGetSemaphoreFdKHR");
  if (get == nullptr) return unsupported("no vkGetSemaphoreFdKHR");
  VkSemaphoreGetFdInfoKHR asked{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
  asked.semaphore = semaphore;
  asked.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  VK_TRY(device, get(device.handle(), &asked, &fd));
  return fd;
}

}  // namespace

Result<std::unique_ptr<SharedBuffer>> SharedBuffer::make(std::shared_ptr<const CudaSession> session,
                                                         std::size_t size) {
  std::unique_ptr<SharedBuffer> made(new SharedBuffer(std::move(session)));
  made->size_ = (size + 3) / 4 * 4;  // shaders read whole words
  TRY_ASSIGN(const VkDeviceSize allocated, made->create());
  TRY(made->import(allocated));
  return made;
}

Result<VkDeviceSize> SharedBuffer::create() {
  gpu::Device& device = *session_->device;
  if (!device.has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)) {
    return unsupported("no " VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  }
  if (!exports_buffers(device)) return unsupported("buffers cannot be exported");
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = Opaque;
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.pNext = &external;
  create.size = size_;
  create.usage = Usage;
  VK_CREATE(device, buffer_, vkCreateBuffer, create);
  buffer_.name("CUDA frame");

  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device.handle(), buffer_.get(), &requirements);
  VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  dedicated.buffer = buffer_.get();
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  exported.pNext = &dedicated;
  exported.handleTypes = Opaque;
  TRY_ASSIGN(memory_,
             gpu::allocate_memory(device, requirements, gpu::MemoryKind::Device, "CUDA frame", &exported));
  VK_TRY(device, vkBindBufferMemory(device.handle(), buffer_.get(), memory_.get(), 0));
  return requirements.size;
}

Result<void> SharedBuffer::import(VkDeviceSize allocated) {
  gpu::Device& device = *session_->device;
  const cuda::Api& api = *session_->api;
  const auto get = gpu::device_function<PFN_vkGetMemoryFdKHR>(device.handle(), "vkGetMemoryFdKHR");
  if (get == nullptr) return unsupported("no vkGetMemoryFdKHR");
  VkMemoryGetFdInfoKHR asked{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  asked.memory = memory_.get();
  asked.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc{};
  VK_TRY(device, get(device.handle(), &asked, &desc.handle.fd));
  desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  desc.size = allocated;
  desc.flags = ExternalMemoryDedicated;
  if (const CUresult result = api.cuImportExternalMemory(&imported_, &desc); result != CUDA_SUCCESS) {
    imported_ = nullptr;
    close(desc.handle.fd);  // CUDA owns the descriptor only after a successful import
    return cuda::failure(api, result, "cuImportExternalMemory");
  }
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC all{};
  all.size = size_;
  CUDA_TRY(api, api.cuExternalMemoryGetMappedBuffer(&pointer_, imported_, &all));
  return {};
}

SharedBuffer::~SharedBuffer() {
  const cuda::CurrentContext current(*session_->api, session_->context);
  if (pointer_ != 0) session_->api->cuMemFree(pointer_);
  if (imported_ != nullptr) session_->api->cuDestroyExternalMemory(imported_);
}

Result<std::shared_ptr<SharedTimeline>> SharedTimeline::make(std::shared_ptr<const CudaSession> session,
                                                             const ExportSemaphore& export_semaphore) {
  std::shared_ptr<SharedTimeline> made(new SharedTimeline(std::move(session)));
  gpu::Device& device = *made->session_->device;
  const cuda::Api& api = *made->session_->api;
  const bool by_driver = !export_semaphore;
  if (by_driver && !exports_timelines(device)) return unsupported("timeline semaphores cannot be exported");
  VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
  exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkSemaphoreTypeCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  timeline.pNext = by_driver ? &exported : nullptr;
  timeline.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  create.pNext = &timeline;
  VK_TRY(device, vkCreateSemaphore(device.handle(), &create, nullptr, &made->semaphore_));
  device.debug().name(VK_OBJECT_TYPE_SEMAPHORE, gpu::object_id(made->semaphore_), "CUDA timeline");

  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc{};
  desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  TRY_ASSIGN(desc.handle.fd,
             by_driver ? export_by_driver(device, made->semaphore_) : export_semaphore(made->semaphore_));
  if (const CUresult result = api.cuImportExternalSemaphore(&made->imported_, &desc);
      result != CUDA_SUCCESS) {
    made->imported_ = nullptr;
    close(desc.handle.fd);
    return cuda::failure(api, result, "cuImportExternalSemaphore");
  }
  device.register_signaler(made);
  return made;
}

SharedTimeline::~SharedTimeline() {
  if (imported_ != nullptr) {
    const cuda::CurrentContext current(*session_->api, session_->context);
    session_->api->cuDestroyExternalSemaphore(imported_);
  }
  vkDestroySemaphore(session_->device->handle(), semaphore_, nullptr);
}

Result<void> SharedTimeline::signal(std::uint64_t value) {
  owed_ = value;
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params{};
  params.params.fence.value = value;
  const cuda::Api& api = *session_->api;
  CUDA_TRY(api, api.cuSignalExternalSemaphoresAsync(&imported_, &params, 1, session_->stream));
  return {};
}

Result<void> SharedTimeline::wait(std::uint64_t value) {
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params{};
  params.params.fence.value = value;
  const cuda::Api& api = *session_->api;
  CUDA_TRY(api, api.cuWaitExternalSemaphoresAsync(&imported_, &params, 1, session_->stream));
  return {};
}

void SharedTimeline::signal_abandoned() {
  const std::uint64_t value = owed_;
  if (value == 0) return;
  const cuda::CurrentContext current(*session_->api, session_->context);
  if (current.result() == CUDA_SUCCESS &&
      session_->api->cuStreamSynchronize(session_->stream) == CUDA_SUCCESS)
    return;
  const VkDevice device = session_->device->handle();
  std::uint64_t reached = 0;
  if (vkGetSemaphoreCounterValue(device, semaphore_, &reached) != VK_SUCCESS || reached >= value) return;
  VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  signal.semaphore = semaphore_;
  signal.value = value;
  vkSignalSemaphore(device, &signal);
}

}  // namespace glyphreel::interop
