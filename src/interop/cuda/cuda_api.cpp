#include "interop/cuda/cuda_api.h"

#include <dlfcn.h>

#include <fmt/format.h>

namespace glyphreel::interop::cuda {
namespace {

/// Loads all functions. Returns the first one that `library` lacks, or null.
const char* load_functions(void* library, Api& api) {
  const char* missing = nullptr;
  const auto load = [&](auto*& function, const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr && missing == nullptr) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  load(api.init, "cuInit");
  load(api.device_get_count, "cuDeviceGetCount");
  load(api.device_get, "cuDeviceGet");
  // For a slice of a GPU (MIG), this older function returns the UUID of the whole GPU, as Vulkan does.
  load(api.device_get_uuid, "cuDeviceGetUuid");
  load(api.get_error_name, "cuGetErrorName");
  load(api.ctx_push_current, "cuCtxPushCurrent_v2");
  load(api.ctx_pop_current, "cuCtxPopCurrent_v2");
  load(api.ctx_get_device, "cuCtxGetDevice");
  load(api.stream_synchronize, "cuStreamSynchronize");
  load(api.event_create, "cuEventCreate");
  load(api.event_destroy, "cuEventDestroy_v2");
  load(api.event_query, "cuEventQuery");
  load(api.event_record, "cuEventRecord");
  load(api.memcpy_2d_async, "cuMemcpy2DAsync_v2");
  load(api.mem_free, "cuMemFree_v2");
  load(api.import_external_memory, "cuImportExternalMemory");
  load(api.destroy_external_memory, "cuDestroyExternalMemory");
  load(api.external_memory_get_mapped_buffer, "cuExternalMemoryGetMappedBuffer");
  load(api.import_external_semaphore, "cuImportExternalSemaphore");
  load(api.destroy_external_semaphore, "cuDestroyExternalSemaphore");
  load(api.signal_external_semaphores_async, "cuSignalExternalSemaphoresAsync");
  load(api.wait_external_semaphores_async, "cuWaitExternalSemaphoresAsync");
  return missing;
}

}  // namespace

Result<std::shared_ptr<const Api>> load(const char* library) {
  const std::shared_ptr<void> opened(dlopen(library, RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) dlclose(handle);
  });
  if (!opened) {
    const char* reason = dlerror();
    return Error{ErrorCode::Failed, "No CUDA driver was found: install NVIDIA's driver.",
                 reason != nullptr ? reason : library};
  }
  struct Loaded {
    std::shared_ptr<void> library;
    Api api{};
  };
  auto loaded = std::make_shared<Loaded>(Loaded{.library = opened});
  if (const char* missing = load_functions(opened.get(), loaded->api); missing != nullptr) {
    return Error{ErrorCode::Failed, "The CUDA driver is too old: update NVIDIA's driver.",
                 fmt::format("{} lacks {}", library, missing)};
  }
  return std::shared_ptr<const Api>(loaded, &loaded->api);
}

Error failure(const Api& api, CUresult result, const char* call) {
  const char* name = nullptr;
  if (api.get_error_name(result, &name) != Success || name == nullptr) name = "an unknown error";
  return {ErrorCode::Failed, "The CUDA driver failed.", fmt::format("{}: {} ({})", call, name, result)};
}

}  // namespace glyphreel::interop::cuda
