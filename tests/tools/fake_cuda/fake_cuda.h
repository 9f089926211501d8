#pragma once

// What the two fake drivers share, and what tests ask them. Their device is the host: its memory is the heap,
// its one stream a thread that does things late, so that whoever does not wait sees it.
//
// The environment, looked at on each call:
// - FAKE_CUDA_UUIDS: a GPU for each, 32 hexadecimal digits, with commas between; without it those of the
// Vulkan devices.
// - FAKE_CUDA_FAIL=FUNCTION:N or FUNCTION:N+: its Nth call fails (and all after it), of cu... and cuvid...
// functions.
// - FAKE_CUDA_DELAY_US: how late each thing in the stream is; 500 without it.
// - FAKE_NVDEC_CODECS: those that are decoded, by FFmpeg's names, with commas between; all without it.
// - FAKE_NVDEC_REUSE_AT_ONCE: a surface that is unmapped is overwritten at once, not in the stream's order.
// FFmpeg from
//   6.1 on relies on that order for copies of its own.
// - FAKE_NVDEC_MAX=WIDTHxHEIGHT: of pictures; 8192x8192 without it.

#include <functional>

#define FAKE_CUDA_EXPORT extern "C" __attribute__((visibility("default")))

/// A call of `function` is counted; true if it is to fail.
FAKE_CUDA_EXPORT bool fake_cuda_call(const char* function);
/// Calls so far.
FAKE_CUDA_EXPORT long fake_cuda_calls(const char* function);
/// Forgets the calls counted.
FAKE_CUDA_EXPORT void fake_cuda_reset_calls();
/// The GPU has a fault, or is sound again: what is in the stream is not done any more, and calls fail but for
/// those that free something.
FAKE_CUDA_EXPORT void fake_cuda_break(bool is_broken);
/// Contexts, allocations, events, external memories and semaphores, decoders and mapped frames that exist.
FAKE_CUDA_EXPORT long fake_cuda_live();
FAKE_CUDA_EXPORT void fake_cuda_count_live(long more);
/// Puts `task` into the stream.
__attribute__((visibility("default"))) void fake_cuda_enqueue(std::function<void()> task);

/// What the descriptor of a fake semaphore holds: a timeline semaphore of this process, and how to use it. Of
/// the types PFN_vkSignalSemaphore and PFN_vkWaitSemaphores.
struct FakeSemaphore {
  void* device;
  unsigned long long semaphore;
  void* signal;
  void* wait;
};
