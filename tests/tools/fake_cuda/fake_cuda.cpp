// A fake libcuda.so.1 without a GPU. Has the functions that FFmpeg and glyphreel call, written from NVIDIA's
// documentation.
#include "fake_cuda.h"

#include <cstdlib>

#include <ffnvcodec/dynlink_cuda.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct CUctx_st {
  int device;
};
struct CUevent_st {
  std::atomic<bool> done = true;
};
struct CUextMemory_st {
  void* mapped;
  std::size_t size;    ///< size of the mapping
  std::size_t offset;  ///< offset of the external memory in the mapping
};
struct CUextSemaphore_st {
  FakeSemaphore fake;
};

namespace {

constexpr auto Failed = static_cast<CUresult>(999);          // CUDA_ERROR_UNKNOWN
constexpr auto Invalid = static_cast<CUresult>(1);           // CUDA_ERROR_INVALID_VALUE
constexpr auto InvalidContext = static_cast<CUresult>(201);  // CUDA_ERROR_INVALID_CONTEXT
constexpr auto NotSupported = static_cast<CUresult>(801);    // CUDA_ERROR_NOT_SUPPORTED

std::atomic<bool> broken = false;

/// Emulates the stream: one thread runs all tasks in order.
class Stream {
 public:
  ~Stream() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  void push(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    tasks_.push_back(std::move(task));
    ++pushed_;
    changed_.notify_all();
  }
  void synchronize() {
    std::unique_lock lock(mutex_);
    const std::uint64_t until = pushed_;
    changed_.wait(lock, [&] { return done_ >= until; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      const char* delay = std::getenv("FAKE_CUDA_DELAY_US");
      std::this_thread::sleep_for(std::chrono::microseconds(delay != nullptr ? std::atoi(delay) : 500));
      if (!broken) task();
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::uint64_t pushed_ = 0, done_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

Stream stream;
std::mutex calls_mutex;
std::map<std::string, long, std::less<>> calls;
std::atomic<long> live = 0;
thread_local std::vector<CUcontext> contexts;

bool has_context() {
  return !contexts.empty();
}

using Uuid = std::array<unsigned char, 16>;

std::vector<Uuid> uuids_of_vulkan() {
  std::vector<Uuid> uuids;
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo create{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  create.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  if (vkCreateInstance(&create, nullptr, &instance) != VK_SUCCESS) return uuids;
  std::array<VkPhysicalDevice, 16> devices{};
  auto count = static_cast<std::uint32_t>(devices.size());
  vkEnumeratePhysicalDevices(instance, &count, devices.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(devices[i], &properties);
    std::memcpy(uuids.emplace_back().data(), id.deviceUUID, sizeof(Uuid));
  }
  vkDestroyInstance(instance, nullptr);
  return uuids;
}

std::vector<Uuid> uuids_now() {
  const char* value = std::getenv("FAKE_CUDA_UUIDS");
  if (value == nullptr) {
    static const std::vector<Uuid> OfVulkan = uuids_of_vulkan();
    return OfVulkan;
  }
  std::vector<Uuid> uuids;
  for (std::string_view text = value; text.size() >= 32; text.remove_prefix(text.size() > 32 ? 33 : 32)) {
    Uuid& uuid = uuids.emplace_back();
    for (std::size_t i = 0; i < uuid.size(); ++i)
      std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, uuid[i], 16);
  }
  return uuids;
}

CUresult copy_2d(const CUDA_MEMCPY2D& copy) {
  const auto address = [](CUmemorytype type, const void* host, CUdeviceptr device, std::size_t x,
                          std::size_t y, std::size_t pitch) {
    const auto base = type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(host)
                                                 : static_cast<std::uintptr_t>(device);
    return reinterpret_cast<std::byte*>(base + y * pitch + x);
  };
  const std::byte* from =
      address(copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcXInBytes, copy.srcY, copy.srcPitch);
  std::byte* to =
      address(copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstXInBytes, copy.dstY, copy.dstPitch);
  for (std::size_t row = 0; row < copy.Height; ++row)
    std::memcpy(to + row * copy.dstPitch, from + row * copy.srcPitch, copy.WidthInBytes);
  return CUDA_SUCCESS;
}

CUresult allocate(CUdeviceptr* memory, std::size_t size) {
  if (!has_context()) return InvalidContext;
  void* made = nullptr;
  if (posix_memalign(&made, 256, size) != 0) return static_cast<CUresult>(2);
  ++live;
  *memory = reinterpret_cast<CUdeviceptr>(made);
  return CUDA_SUCCESS;
}

/// The addresses at which external memory is mapped, as keys. Callers pass them to cuMemFree() like
/// allocations.
std::mutex mapped_mutex;
std::map<CUdeviceptr, int> mapped;

}  // namespace

#define FAKE(function, ...)                        \
  FAKE_CUDA_EXPORT CUresult function(__VA_ARGS__); \
  FAKE_CUDA_EXPORT CUresult function(__VA_ARGS__)
#define COUNT(function) \
  if (fake_cuda_call(#function)) return Failed

bool fake_cuda_call(const char* function) {
  long number = 0;
  {
    const std::lock_guard lock(calls_mutex);
    number = ++calls[function];
  }
  if (broken && std::string_view(function).find("Ctx") == std::string_view::npos) return true;
  const char* fail = std::getenv("FAKE_CUDA_FAIL");
  if (fail == nullptr) return false;
  const std::string_view text = fail;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.substr(0, colon) != function) return false;
  const long wanted = std::atol(fail + colon + 1);
  return text.back() == '+' ? number >= wanted : number == wanted;
}

void fake_cuda_break(bool is_broken) {
  broken = is_broken;
}

long fake_cuda_calls(const char* function) {
  const std::lock_guard lock(calls_mutex);
  const auto found = calls.find(std::string_view(function));
  return found != calls.end() ? found->second : 0;
}

void fake_cuda_reset_calls() {
  const std::lock_guard lock(calls_mutex);
  calls.clear();
}

long fake_cuda_live() {
  return live;
}

void fake_cuda_count_live(long more) {
  live += more;
}

void fake_cuda_enqueue(std::function<void()> task) {
  stream.push(std::move(task));
}

FAKE(cuInit, unsigned) {
  COUNT(cuInit);
  return CUDA_SUCCESS;
}
FAKE(cuDriverGetVersion, int* version) {
  *version = 12000;
  return CUDA_SUCCESS;
}
FAKE(cuDeviceGetCount, int* count) {
  COUNT(cuDeviceGetCount);
  *count = static_cast<int>(uuids_now().size());
  return CUDA_SUCCESS;
}
FAKE(cuDeviceGet, CUdevice* device, int index) {
  COUNT(cuDeviceGet);
  if (index < 0 || index >= static_cast<int>(uuids_now().size())) return static_cast<CUresult>(101);
  *device = index;
  return CUDA_SUCCESS;
}
FAKE(cuDeviceGetAttribute, int* value, CUdevice_attribute, CUdevice) {
  COUNT(cuDeviceGetAttribute);
  *value = 256;
  return CUDA_SUCCESS;
}
FAKE(cuDeviceGetName, char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "fake GPU");
  return CUDA_SUCCESS;
}
FAKE(cuDeviceGetUuid, CUuuid* uuid, CUdevice device) {
  COUNT(cuDeviceGetUuid);
  const std::vector<Uuid> uuids = uuids_now();
  if (device < 0 || device >= static_cast<int>(uuids.size())) return static_cast<CUresult>(101);
  std::memcpy(uuid->bytes, uuids[static_cast<std::size_t>(device)].data(), sizeof(Uuid));
  return CUDA_SUCCESS;
}
FAKE(cuDeviceComputeCapability, int* major, int* minor, CUdevice) {
  *major = 9;
  *minor = 0;
  return CUDA_SUCCESS;
}
FAKE(cuGetErrorName, CUresult, const char** name) {
  *name = "CUDA_ERROR_OF_THE_FAKE";
  return CUDA_SUCCESS;
}
FAKE(cuGetErrorString, CUresult, const char** text) {
  *text = "an error of the fake driver";
  return CUDA_SUCCESS;
}

FAKE(cuCtxCreate_v2, CUcontext* context, unsigned, CUdevice device) {
  COUNT(cuCtxCreate_v2);
  *context = new CUctx_st{device};
  contexts.push_back(*context);
  ++live;
  return CUDA_SUCCESS;
}
FAKE(cuCtxDestroy_v2, CUcontext context) {
  stream.synchronize();
  std::erase(contexts, context);
  delete context;
  --live;
  return CUDA_SUCCESS;
}
FAKE(cuCtxPushCurrent_v2, CUcontext context) {
  COUNT(cuCtxPushCurrent_v2);
  contexts.push_back(context);
  return CUDA_SUCCESS;
}
FAKE(cuCtxPopCurrent_v2, CUcontext* context) {
  if (!has_context()) return InvalidContext;
  if (context != nullptr) *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}
FAKE(cuCtxGetCurrent, CUcontext* context) {
  *context = has_context() ? contexts.back() : nullptr;
  return CUDA_SUCCESS;
}
FAKE(cuCtxGetDevice, CUdevice* device) {
  COUNT(cuCtxGetDevice);
  if (!has_context()) return InvalidContext;
  *device = contexts.back()->device;
  return CUDA_SUCCESS;
}

FAKE(cuMemAlloc_v2, CUdeviceptr* memory, std::size_t size) {
  COUNT(cuMemAlloc_v2);
  return allocate(memory, size);
}
FAKE(cuMemAllocPitch_v2, CUdeviceptr* memory, std::size_t* pitch, std::size_t width, std::size_t rows,
     unsigned) {
  COUNT(cuMemAllocPitch_v2);
  *pitch = (width + 511) / 512 * 512;
  return allocate(memory, *pitch * rows);
}
FAKE(cuMemFree_v2, CUdeviceptr memory) {
  if (!has_context()) return InvalidContext;
  stream.synchronize();
  const std::lock_guard lock(mapped_mutex);
  if (const auto found = mapped.find(memory); found != mapped.end()) {
    mapped.erase(found);
  } else {
    std::free(reinterpret_cast<void*>(memory));
  }
  --live;
  return CUDA_SUCCESS;
}
FAKE(cuMemsetD8Async, CUdeviceptr memory, unsigned char value, std::size_t size, CUstream) {
  stream.push([=] { std::memset(reinterpret_cast<void*>(memory), value, size); });
  return CUDA_SUCCESS;
}
FAKE(cuMemcpy2D_v2, const CUDA_MEMCPY2D* copy) {
  COUNT(cuMemcpy2D_v2);
  stream.synchronize();
  return copy_2d(*copy);
}
FAKE(cuMemcpy2DAsync_v2, const CUDA_MEMCPY2D* copy, CUstream) {
  COUNT(cuMemcpy2DAsync_v2);
  if (!has_context()) return InvalidContext;
  stream.push([copied = *copy] { copy_2d(copied); });
  return CUDA_SUCCESS;
}

FAKE(cuStreamCreate, CUstream* made, unsigned) {
  *made = nullptr;
  return CUDA_SUCCESS;
}
FAKE(cuStreamDestroy_v2, CUstream) {
  return CUDA_SUCCESS;
}
FAKE(cuStreamSynchronize, CUstream) {
  COUNT(cuStreamSynchronize);
  if (!has_context()) return InvalidContext;
  stream.synchronize();
  return CUDA_SUCCESS;
}
FAKE(cuEventCreate, CUevent* event, unsigned) {
  COUNT(cuEventCreate);
  if (!has_context()) return InvalidContext;
  *event = new CUevent_st;
  ++live;
  return CUDA_SUCCESS;
}
FAKE(cuEventDestroy_v2, CUevent event) {
  stream.synchronize();
  delete event;
  --live;
  return CUDA_SUCCESS;
}
FAKE(cuEventRecord, CUevent event, CUstream) {
  COUNT(cuEventRecord);
  event->done = false;
  stream.push([event] { event->done = true; });
  return CUDA_SUCCESS;
}
FAKE(cuEventQuery, CUevent event) {
  COUNT(cuEventQuery);
  return event->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

FAKE(cuImportExternalMemory, CUexternalMemory* memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc) {
  COUNT(cuImportExternalMemory);
  if (!has_context()) return InvalidContext;
  if (desc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD) return NotSupported;
  struct stat status {};
  if (fstat(desc->handle.fd, &status) != 0) return Invalid;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < desc->size) return Invalid;
  void* const base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, desc->handle.fd, 0);
  if (base == MAP_FAILED) return Invalid;
  close(desc->handle.fd);
  // lavapipe's descriptors are files that begin with a page of header; the memory follows it.
  *memory = new CUextMemory_st{base, size, (size - desc->size) / 4096 * 4096};
  ++live;
  return CUDA_SUCCESS;
}
FAKE(cuDestroyExternalMemory, CUexternalMemory memory) {
  stream.synchronize();
  munmap(memory->mapped, memory->size);
  delete memory;
  --live;
  return CUDA_SUCCESS;
}
FAKE(cuExternalMemoryGetMappedBuffer, CUdeviceptr* pointer, CUexternalMemory memory,
     const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* desc) {
  COUNT(cuExternalMemoryGetMappedBuffer);
  if (memory->offset + desc->offset + desc->size > memory->size) return Invalid;
  *pointer =
      reinterpret_cast<CUdeviceptr>(static_cast<std::byte*>(memory->mapped) + memory->offset + desc->offset);
  const std::lock_guard lock(mapped_mutex);
  mapped[*pointer] = 1;
  ++live;
  return CUDA_SUCCESS;
}

FAKE(cuImportExternalSemaphore, CUexternalSemaphore* semaphore,
     const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* desc) {
  COUNT(cuImportExternalSemaphore);
  if (!has_context()) return InvalidContext;
  FakeSemaphore fake{};
  if (desc->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD ||
      pread(desc->handle.fd, &fake, sizeof fake, 0) != static_cast<ssize_t>(sizeof fake))
    return Invalid;
  close(desc->handle.fd);
  *semaphore = new CUextSemaphore_st{fake};
  ++live;
  return CUDA_SUCCESS;
}
FAKE(cuDestroyExternalSemaphore, CUexternalSemaphore semaphore) {
  stream.synchronize();
  delete semaphore;
  --live;
  return CUDA_SUCCESS;
}
FAKE(cuSignalExternalSemaphoresAsync, const CUexternalSemaphore* semaphores,
     const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* params, unsigned count, CUstream) {
  COUNT(cuSignalExternalSemaphoresAsync);
  for (unsigned i = 0; i < count; ++i) {
    stream.push([fake = semaphores[i]->fake, value = params[i].params.fence.value] {
      VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
      signal.semaphore = reinterpret_cast<VkSemaphore>(fake.semaphore);
      signal.value = value;
      reinterpret_cast<PFN_vkSignalSemaphore>(fake.signal)(static_cast<VkDevice>(fake.device), &signal);
    });
  }
  return CUDA_SUCCESS;
}
FAKE(cuWaitExternalSemaphoresAsync, const CUexternalSemaphore* semaphores,
     const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* params, unsigned count, CUstream) {
  COUNT(cuWaitExternalSemaphoresAsync);
  for (unsigned i = 0; i < count; ++i) {
    stream.push([fake = semaphores[i]->fake, value = params[i].params.fence.value] {
      const auto semaphore = reinterpret_cast<VkSemaphore>(fake.semaphore);
      const std::uint64_t wanted = value;
      VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
      wait.semaphoreCount = 1;
      wait.pSemaphores = &semaphore;
      wait.pValues = &wanted;
      const VkResult result = reinterpret_cast<PFN_vkWaitSemaphores>(fake.wait)(
          static_cast<VkDevice>(fake.device), &wait, 10'000'000'000);
      if (result == VK_SUCCESS) return;
      std::fprintf(stderr, "fake CUDA: the semaphore never reached the value %llu\n",
                   static_cast<unsigned long long>(wanted));
      std::abort();
    });
  }
  return CUDA_SUCCESS;
}

// FFmpeg loads these functions on startup, but decoding does not call them.
#define ABSENT(function)                 \
  FAKE_CUDA_EXPORT CUresult function();  \
  FAKE_CUDA_EXPORT CUresult function() { \
    return NotSupported;                 \
  }
ABSENT(cuArray3DCreate_v2)
ABSENT(cuArrayCreate_v2)
ABSENT(cuArrayDestroy)
ABSENT(cuCtxSetLimit)
ABSENT(cuDevicePrimaryCtxGetState)
ABSENT(cuDevicePrimaryCtxRelease)
ABSENT(cuDevicePrimaryCtxReset)
ABSENT(cuDevicePrimaryCtxRetain)
ABSENT(cuDevicePrimaryCtxSetFlags)
ABSENT(cuEventSynchronize)
ABSENT(cuGLGetDevices_v2)
ABSENT(cuGraphicsGLRegisterImage)
ABSENT(cuGraphicsMapResources)
ABSENT(cuGraphicsResourceGetMappedPointer_v2)
ABSENT(cuGraphicsSubResourceGetMappedArray)
ABSENT(cuGraphicsUnmapResources)
ABSENT(cuGraphicsUnregisterResource)
ABSENT(cuLaunchKernel)
ABSENT(cuLinkAddData)
ABSENT(cuLinkComplete)
ABSENT(cuLinkCreate)
ABSENT(cuLinkDestroy)
ABSENT(cuMemAllocManaged)
ABSENT(cuMemcpy)
ABSENT(cuMemcpyAsync)
ABSENT(cuMemcpyDtoDAsync_v2)
ABSENT(cuMemcpyDtoD_v2)
ABSENT(cuMemcpyDtoHAsync_v2)
ABSENT(cuMemcpyDtoH_v2)
ABSENT(cuMemcpyHtoDAsync_v2)
ABSENT(cuMemcpyHtoD_v2)
ABSENT(cuModuleGetFunction)
ABSENT(cuModuleGetGlobal)
ABSENT(cuModuleLoadData)
ABSENT(cuModuleUnload)
ABSENT(cuStreamAddCallback)
ABSENT(cuStreamQuery)
ABSENT(cuStreamWaitEvent)
ABSENT(cuTexObjectCreate)
ABSENT(cuTexObjectDestroy)
