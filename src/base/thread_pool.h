#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"

namespace glyphreel {

/// A pause of a loop that waits: some nanoseconds in which another thread of the same core has its units.
void relax_processor();

/// Threads that share out the rows of one picture at a time.
/// Thread-safety: parallel_for() is called by one thread at a time, the owner.
class ThreadPool {
 public:
  /// `threads` workers in all, the caller of parallel_for() counted; 0: one per processor. Fewer where the
  /// system has no room for so many threads.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls `body(index, worker)` once for every index in [0, count), in any order, on any worker (0 to
  /// size()-1), and returns when all are done. Indices are given out in rising order, so that a body may wait
  /// for lower ones. Where bodies throw, no further indices are given out, and the first exception is thrown
  /// here: a body that others wait for must not.
  void parallel_for(int count, const std::function<void(int index, int worker)>& body) EXCLUDES(mutex_);

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

 private:
  void work(const std::stop_token& stop, int worker) EXCLUDES(mutex_);
  void run_indices(const std::function<void(int, int)>& body, int count, int worker) EXCLUDES(mutex_);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  const std::function<void(int, int)>* body_ GUARDED_BY(mutex_) = nullptr;  ///< while indices are given out
  int count_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr thrown_ GUARDED_BY(mutex_);  ///< by a body of this round
  std::atomic<int> busy_ = 0;  ///< workers that may be in body_, the caller not counted; written under mutex_
  std::atomic<int> next_ = 0;  ///< index to be given out: apart from the lock, since rows take microseconds
  std::vector<std::jthread> threads_;
};

/// Waits for `done()` up to some 20 microseconds without going to sleep, for what another worker is about to
/// do: to fall asleep and be woken may take longer. Returns whether it is done.
template <typename Done>
bool spin_until(const Done& done) {
  constexpr std::chrono::microseconds Longest{20};
  const auto start = std::chrono::steady_clock::now();
  while (!done()) {
    if (std::chrono::steady_clock::now() - start > Longest) return false;
    relax_processor();
  }
  return true;
}

/// Names the calling thread, as debuggers and top show it; at most 15 characters count.
void name_this_thread(const std::string& name);

}  // namespace glyphreel
