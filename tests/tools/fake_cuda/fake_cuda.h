#pragma once

// Shared state of the two fake drivers, and functions with which tests query it. The fake device uses the
// heap as its memory. Its only stream is a thread that delays tasks, so that missing synchronization makes
// tests fail.
//
// Environment variables, read on each call:
// - FAKE_CUDA_UUIDS: the UUIDs of the GPUs, as 32 hexadecimal digits each, separated by commas; default: the
// UUIDs of the Vulkan devices.
// - FAKE_CUDA_FAIL=FUNCTION:N: the Nth call of a cu... or cuvid... function fails. FUNCTION:N+: the Nth
// call and all later ones fail.
// - FAKE_CUDA_DELAY_US: delay of each stream task, in microseconds; default 500.
// - FAKE_NVDEC_CODECS: the supported codecs, by FFmpeg's names, separated by commas; default: all.
// - FAKE_NVDEC_REUSE_AT_ONCE: if set, an unmapped surface is overwritten immediately and not in stream order.
// FFmpeg 6.1 and later copy surfaces in the stream before they unmap them, so they rely on stream order.
// - FAKE_NVDEC_MAX=WIDTHxHEIGHT: the largest picture; default 8192x8192.

#include <functional>

#define FAKE_CUDA_EXPORT extern "C" __attribute__((visibility("default")))

/// Counts a call of `function`. Returns whether the call must fail.
FAKE_CUDA_EXPORT bool fake_cuda_call(const char* function);
/// Returns the number of calls of `function` since the last reset.
FAKE_CUDA_EXPORT long fake_cuda_calls(const char* function);
/// Resets the call counters.
FAKE_CUDA_EXPORT void fake_cuda_reset_calls();
/// Puts the GPU into a faulted state, or ends that state. In this state, stream tasks are dropped, and most
/// calls fail, but not those that free objects or handle contexts.
FAKE_CUDA_EXPORT void fake_cuda_break(bool is_broken);
/// Returns the number of live objects: contexts, allocations, events, external memories and semaphores,
/// decoders and mapped frames.
FAKE_CUDA_EXPORT long fake_cuda_live();
/// Adds `more` to the number of live objects.
FAKE_CUDA_EXPORT void fake_cuda_count_live(long more);
/// Appends `task` to the stream.
__attribute__((visibility("default"))) void fake_cuda_enqueue(std::function<void()> task);

/// The content of a fake semaphore's descriptor: a timeline semaphore of this process, and the functions to
/// use it, of type PFN_vkSignalSemaphore and PFN_vkWaitSemaphores.
struct FakeSemaphore {
  void* device;
  unsigned long long semaphore;
  void* signal;
  void* wait;
};
