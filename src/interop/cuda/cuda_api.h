#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

// The part of the CUDA driver API that is used here, under that API's own names. The driver is loaded at
// run time if there is one; building needs nothing from CUDA. Layouts and values are those that NVIDIA
// documents, and keeps stable, for the driver API of CUDA 11.2, which introduced timeline semaphores.

using CUdevice = int;
using CUdeviceptr = std::uintptr_t;
using CUresult = int;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUarray = struct CUarray_st*;
using CUexternalMemory = struct CUextMemory_st*;
using CUexternalSemaphore = struct CUextSemaphore_st*;

namespace glyphreel::interop::cuda {

inline constexpr CUresult Success = 0;
inline constexpr CUresult NotReady = 600;
inline constexpr int MemoryTypeDevice = 2;
inline constexpr unsigned EventDisableTiming = 2;
inline constexpr int HandleOpaqueFd = 1;             ///< of an ExternalMemoryDesc
inline constexpr int HandleTimelineSemaphoreFd = 9;  ///< of an ExternalSemaphoreDesc
inline constexpr unsigned ExternalMemoryDedicated = 1;

struct Uuid {
  unsigned char bytes[16];
};

struct Memcpy2d {
  std::size_t src_x_bytes, src_y;
  int src_memory_type;
  const void* src_host;
  CUdeviceptr src_device;
  CUarray src_array;
  std::size_t src_pitch;
  std::size_t dst_x_bytes, dst_y;
  int dst_memory_type;
  void* dst_host;
  CUdeviceptr dst_device;
  CUarray dst_array;
  std::size_t dst_pitch;
  std::size_t width_bytes, height;
};

/// The union of handle types; Linux uses the file descriptor.
union ExternalHandle {
  int fd;
  struct {
    void* handle;
    const void* name;
  } windows;
};

struct ExternalMemoryDesc {
  int type;
  ExternalHandle handle;
  unsigned long long size;
  unsigned flags;
  unsigned reserved[16];
};

struct ExternalMemoryBufferDesc {
  unsigned long long offset;
  unsigned long long size;
  unsigned flags;
  unsigned reserved[16];
};

struct ExternalSemaphoreDesc {
  int type;
  ExternalHandle handle;
  unsigned flags;
  unsigned reserved[16];
};

/// For signaling one semaphore or waiting for one: `fence_value` is the timeline's.
struct ExternalSemaphoreParams {
  struct {
    unsigned long long fence_value;
    unsigned reserved[16];
  } params;
  unsigned flags;
  unsigned reserved[16];
};

/// The driver's functions.
/// Thread-safety: any thread; each thread has its own stack of current contexts.
struct Api {
  CUresult (*init)(unsigned flags);
  CUresult (*device_get_count)(int* count);
  CUresult (*device_get)(CUdevice* device, int index);
  CUresult (*device_get_uuid)(Uuid* uuid, CUdevice device);
  CUresult (*get_error_name)(CUresult result, const char** name);
  CUresult (*ctx_push_current)(CUcontext context);
  CUresult (*ctx_pop_current)(CUcontext* context);
  CUresult (*ctx_get_device)(CUdevice* device);
  CUresult (*stream_synchronize)(CUstream stream);
  CUresult (*event_create)(CUevent* event, unsigned flags);
  CUresult (*event_destroy)(CUevent event);
  CUresult (*event_query)(CUevent event);
  CUresult (*event_record)(CUevent event, CUstream stream);
  CUresult (*memcpy_2d_async)(const Memcpy2d* copy, CUstream stream);
  CUresult (*mem_free)(CUdeviceptr memory);
  CUresult (*import_external_memory)(CUexternalMemory* memory, const ExternalMemoryDesc* desc);
  CUresult (*destroy_external_memory)(CUexternalMemory memory);
  CUresult (*external_memory_get_mapped_buffer)(CUdeviceptr* pointer, CUexternalMemory memory,
                                                const ExternalMemoryBufferDesc* desc);
  CUresult (*import_external_semaphore)(CUexternalSemaphore* semaphore, const ExternalSemaphoreDesc* desc);
  CUresult (*destroy_external_semaphore)(CUexternalSemaphore semaphore);
  CUresult (*signal_external_semaphores_async)(const CUexternalSemaphore* semaphores,
                                               const ExternalSemaphoreParams* params, unsigned count,
                                               CUstream stream);
  CUresult (*wait_external_semaphores_async)(const CUexternalSemaphore* semaphores,
                                             const ExternalSemaphoreParams* params, unsigned count,
                                             CUstream stream);
};

inline constexpr const char* DriverLibrary = "libcuda.so.1";

/// Loads the driver, which stays loaded as long as the Api exists. Errors: Failed if there is no driver or
/// it is too old.
[[nodiscard]] Result<std::shared_ptr<const Api>> load(const char* library = DriverLibrary);

/// The error for a failed call: a sentence for the user, and the call with CUDA's name for the result as
/// the cause.
[[nodiscard]] Error failure(const Api& api, CUresult result, const char* call);

/// Makes a context current on this thread until the end of the scope.
class CurrentContext {
 public:
  CurrentContext(const Api& api, CUcontext context) : api_(api), result_(api.ctx_push_current(context)) {}
  ~CurrentContext() {
    CUcontext popped = nullptr;
    if (result_ == Success) api_.ctx_pop_current(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  /// Success, or the reason why the context is not current.
  [[nodiscard]] CUresult result() const { return result_; }

 private:
  const Api& api_;
  const CUresult result_;
};

}  // namespace glyphreel::interop::cuda

/// Returns the error of a failed CUDA call to the caller.
#define CUDA_TRY(api, call)                                                                      \
  do {                                                                                           \
    if (const CUresult cuda_result = (call); cuda_result != ::glyphreel::interop::cuda::Success) \
      return ::glyphreel::interop::cuda::failure((api), cuda_result, #call);                     \
  } while (false)
