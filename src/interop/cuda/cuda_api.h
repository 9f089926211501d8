#pragma once

#include <dlfcn.h>

#include <memory>

#include "base/result.h"

namespace glyphreel::interop::cuda {

/// The library that ffnvcodec's loader opens, and what the loader did not find.
struct LoadAttempt {
  const char* library;
  /// Name of the missing function, or "libcuda.so.1" if the library itself is missing. Null if nothing is
  /// missing.
  const char* missing = nullptr;
};

}  // namespace glyphreel::interop::cuda

// The macros with which ffnvcodec's loader opens the library and reports errors. The loader's `logctx` points
// to a LoadAttempt.
#define FFNV_LOAD_FUNC(path) \
  dlopen(static_cast<glyphreel::interop::cuda::LoadAttempt*>(logctx)->library, RTLD_NOW | RTLD_LOCAL)
#define FFNV_SYM_FUNC(library, name) dlsym((library), (name))
#define FFNV_FREE_FUNC(library) dlclose(library)
#define FFNV_LOG_FUNC(logctx, message, name) \
  (static_cast<glyphreel::interop::cuda::LoadAttempt*>(logctx)->missing = (name))
#define FFNV_DEBUG_LOG_FUNC(logctx, message, name)
// Also declares CUDA's types for <libavutil/hwcontext_cuda.h>.
#include <ffnvcodec/dynlink_loader.h>

namespace glyphreel::interop::cuda {

/// The driver's functions, under CUDA's own names. If a function has several versions, ffnvcodec chooses the
/// version: the member cuCtxPushCurrent is cuCtxPushCurrent_v2, but cuDeviceGetUuid is the first version.
/// Thread-safety: any thread; each thread has its own stack of current contexts.
using Api = CudaFunctions;

inline constexpr const char* DriverLibrary = "libcuda.so.1";

/// Loads the driver, which stays loaded as long as the Api exists. Errors: Failed if there is no driver, or
/// if the driver is older than CUDA 11.2, which introduced timeline semaphores.
[[nodiscard]] Result<std::shared_ptr<const Api>> load(const char* library = DriverLibrary);

/// Returns the error for a failed call. Its message is a sentence for the user. Its cause contains the call
/// and CUDA's name for the result.
[[nodiscard]] Error failure(const Api& api, CUresult result, const char* call);

/// Makes a CUDA context current on the calling thread until the end of the scope.
class CurrentContext {
 public:
  CurrentContext(const Api& api, CUcontext context) : api_(api), result_(api.cuCtxPushCurrent(context)) {}
  ~CurrentContext() {
    CUcontext popped = nullptr;
    if (result_ == CUDA_SUCCESS) api_.cuCtxPopCurrent(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  /// Returns CUDA_SUCCESS, or the reason why the context is not current.
  [[nodiscard]] CUresult result() const { return result_; }

 private:
  const Api& api_;
  const CUresult result_;
};

}  // namespace glyphreel::interop::cuda

/// Evaluates a CUDA call. If the call fails, the enclosing function returns the call's error.
#define CUDA_TRY(api, call)                                                  \
  do {                                                                       \
    if (const CUresult cuda_result = (call); cuda_result != CUDA_SUCCESS)    \
      return ::glyphreel::interop::cuda::failure((api), cuda_result, #call); \
  } while (false)
