// Compares this program's own declarations of the CUDA interface with those that FFmpeg is built with.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstddef>

#include "interop/cuda/cuda_api.h"

namespace nvidia {
#include <ffnvcodec/dynlink_cuda.h>
}  // namespace nvidia

namespace glyphreel::interop::cuda {
namespace {

#define EXPECT_SAME_PLACE(ours, member, theirs, their_member)                \
  EXPECT_EQ(offsetof(ours, member), offsetof(nvidia::theirs, their_member)); \
  EXPECT_EQ(sizeof(ours::member), sizeof(nvidia::theirs::their_member))

TEST(CudaDeclarations, MatchNvidiaHeaders) {
  EXPECT_EQ(sizeof(CUdeviceptr), sizeof(nvidia::CUdeviceptr));
  EXPECT_EQ(sizeof(CUresult), sizeof(nvidia::CUresult));
  EXPECT_EQ(sizeof(Uuid), sizeof(nvidia::CUuuid));
  EXPECT_EQ(NotReady, nvidia::CUDA_ERROR_NOT_READY);
  EXPECT_EQ(MemoryTypeDevice, nvidia::CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(EventDisableTiming, static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(HandleOpaqueFd, nvidia::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD);
  EXPECT_EQ(HandleTimelineSemaphoreFd, nvidia::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD);

  EXPECT_EQ(sizeof(Memcpy2d), sizeof(nvidia::CUDA_MEMCPY2D));
  EXPECT_SAME_PLACE(Memcpy2d, src_x_bytes, CUDA_MEMCPY2D, srcXInBytes);
  EXPECT_SAME_PLACE(Memcpy2d, src_y, CUDA_MEMCPY2D, srcY);
  EXPECT_SAME_PLACE(Memcpy2d, src_memory_type, CUDA_MEMCPY2D, srcMemoryType);
  EXPECT_SAME_PLACE(Memcpy2d, src_device, CUDA_MEMCPY2D, srcDevice);
  EXPECT_SAME_PLACE(Memcpy2d, src_pitch, CUDA_MEMCPY2D, srcPitch);
  EXPECT_SAME_PLACE(Memcpy2d, dst_x_bytes, CUDA_MEMCPY2D, dstXInBytes);
  EXPECT_SAME_PLACE(Memcpy2d, dst_y, CUDA_MEMCPY2D, dstY);
  EXPECT_SAME_PLACE(Memcpy2d, dst_memory_type, CUDA_MEMCPY2D, dstMemoryType);
  EXPECT_SAME_PLACE(Memcpy2d, dst_device, CUDA_MEMCPY2D, dstDevice);
  EXPECT_SAME_PLACE(Memcpy2d, dst_pitch, CUDA_MEMCPY2D, dstPitch);
  EXPECT_SAME_PLACE(Memcpy2d, width_bytes, CUDA_MEMCPY2D, WidthInBytes);
  EXPECT_SAME_PLACE(Memcpy2d, height, CUDA_MEMCPY2D, Height);

  EXPECT_EQ(sizeof(ExternalMemoryDesc), sizeof(nvidia::CUDA_EXTERNAL_MEMORY_HANDLE_DESC));
  EXPECT_SAME_PLACE(ExternalMemoryDesc, type, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, type);
  EXPECT_SAME_PLACE(ExternalMemoryDesc, handle, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle);
  EXPECT_SAME_PLACE(ExternalMemoryDesc, size, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size);
  EXPECT_SAME_PLACE(ExternalMemoryDesc, flags, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags);

  EXPECT_EQ(sizeof(ExternalMemoryBufferDesc), sizeof(nvidia::CUDA_EXTERNAL_MEMORY_BUFFER_DESC));
  EXPECT_SAME_PLACE(ExternalMemoryBufferDesc, offset, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, offset);
  EXPECT_SAME_PLACE(ExternalMemoryBufferDesc, size, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size);

  EXPECT_EQ(sizeof(ExternalSemaphoreDesc), sizeof(nvidia::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC));
  EXPECT_SAME_PLACE(ExternalSemaphoreDesc, type, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, type);
  EXPECT_SAME_PLACE(ExternalSemaphoreDesc, handle, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle);
  EXPECT_SAME_PLACE(ExternalSemaphoreDesc, flags, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, flags);

  EXPECT_EQ(sizeof(ExternalSemaphoreParams), sizeof(nvidia::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS));
  EXPECT_EQ(sizeof(ExternalSemaphoreParams), sizeof(nvidia::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS));
  EXPECT_SAME_PLACE(ExternalSemaphoreParams, params, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, params);
  EXPECT_SAME_PLACE(ExternalSemaphoreParams, flags, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, flags);
}

}  // namespace
}  // namespace glyphreel::interop::cuda
