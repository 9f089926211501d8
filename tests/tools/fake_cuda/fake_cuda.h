#pragma once

// Shared state of the two fake drivers, and the functions tests query them with. Their device is the host:
// its memory is the heap, and its only stream is a thread that runs tasks late, so that missing
// synchronization shows.
//
// Environment variables, read on each call:
// - FAKE_CUDA_UUIDS: one GPU for each, as 32 hexadecimal digits, separated by commas; default: those of the
// Vulkan devices.
// - FAKE_CUDA_FAIL=FUNCTION:N or FUNCTION:N+: its Nth call fails (or that and all later ones), for cu... and
// cuvid... functions.
// - FAKE_CUDA_DELAY_US: delay of each task in the stream; default 500.
// - FAKE_NVDEC_CODECS: the supported codecs, by FFmpeg's names, separated by commas; default: all.
// - FAKE_NVDEC_REUSE_AT_ONCE: an unmapped surface is overwritten immediately, not in stream order. FFmpeg 6.1
// and later rely on that order for their own copies.
// - FAKE_NVDEC_MAX=WIDTHxHEIGHT: the largest picture; default 8192x8192.

#include <functional>

#define FAKE_CUDA_EXPORT extern "C" __attribute__((visibility("default")))

/// Counts a call of `function`; true if it must fail.
FAKE_CUDA_EXPORT bool fake_cuda_call(const char* function);
/// Number of calls so far.
FAKE_CUDA_EXPORT long fake_cuda_calls(const char* function);
/// Resets the call counters.
FAKE_CUDA_EXPORT void fake_cuda_reset_calls();
/// Puts the GPU into a faulted state, or repairs it: while faulted, stream tasks are dropped and all calls
/// fail except those that free something.
FAKE_CUDA_EXPORT void fake_cuda_break(bool is_broken);
/// Live contexts, allocations, events, external memories and semaphores, decoders and mapped frames.
FAKE_CUDA_EXPORT long fake_cuda_live();
FAKE_CUDA_EXPORT void fake_cuda_count_live(long more);
/// Appends `task` to the stream.
__attribute__((visibility("default"))) void fake_cuda_enqueue(std::function<void()> task);

/// The content of a fake semaphore's descriptor: a timeline semaphore of this process, and how to use it. The
/// types are PFN_vkSignalSemaphore and PFN_vkWaitSemaphores.
struct FakeSemaphore {
  void* device;
  unsigned long long semaphore;
  void* signal;
  void* wait;
};
