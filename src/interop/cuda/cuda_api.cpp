#include "interop/cuda/cuda_api.h"

#include <fmt/format.h>
#include <string_view>

namespace glyphreel::interop::cuda {
namespace {

/// Whether the driver has the functions that this program needs but the loader regards as optional.
bool is_recent(const Api& api) {
  return api.cuDeviceGetUuid != nullptr && api.cuImportExternalMemory != nullptr &&
         api.cuDestroyExternalMemory != nullptr && api.cuExternalMemoryGetMappedBuffer != nullptr &&
         api.cuImportExternalSemaphore != nullptr && api.cuDestroyExternalSemaphore != nullptr &&
         api.cuSignalExternalSemaphoresAsync != nullptr && api.cuWaitExternalSemaphoresAsync != nullptr;
}

}  // namespace

Result<std::shared_ptr<const Api>> load(const char* library) {
  LoadAttempt attempt{.library = library};
  Api* functions = nullptr;
  if (cuda_load_functions(&functions, &attempt) != 0 && attempt.missing == std::string_view(DriverLibrary)) {
    const char* reason = dlerror();
    return Error{ErrorCode::Failed, "No CUDA driver was found; install NVIDIA's driver.",
                 reason != nullptr ? reason : library};
  }
  const std::shared_ptr<const Api> api(functions, [](Api* loaded) { cuda_free_functions(&loaded); });
  if (api == nullptr || !is_recent(*api)) {
    return Error{ErrorCode::Failed, "The CUDA driver is too old; update NVIDIA's driver.",
                 fmt::format("{} lacks {}", library,
                             attempt.missing != nullptr ? attempt.missing : "external memory")};
  }
  return api;
}

Error failure(const Api& api, CUresult result, const char* call) {
  const char* name = nullptr;
  if (api.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  return {ErrorCode::Failed, "The CUDA driver failed; try a different --hwdec.",
          fmt::format("{}: {} ({})", call, name, static_cast<int>(result))};
}

}  // namespace glyphreel::interop::cuda
