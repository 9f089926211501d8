#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace glyphreel {

/// Pauses a spinning loop for some nanoseconds, so that another hardware thread of the same core can use the
/// execution units.
void cpu_relax();

/// Worker threads that divide the rows of one frame among themselves.
/// Thread-safety: only one thread at a time, the owner, calls parallel_for().
class ThreadPool {
 public:
  /// `threads` is the number of workers, including the caller of parallel_for(); 0: one per hardware
  /// thread. The pool has fewer workers if the system cannot create all threads.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls `body(index, worker)` once for every index in [0, count), in any order, on any worker (0 to
  /// size()-1), and returns when all calls are done. Indices are handed out in ascending order, so a body
  /// may wait for the body of a lower index. If a body throws, no further indices are handed out and the
  /// first exception is rethrown here; a body that another body waits for must not throw.
  void parallel_for(int count, const std::function<void(int index, int worker)>& body) EXCLUDES(mutex_);

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

 private:
  void work(const std::stop_token& stop, int worker) EXCLUDES(mutex_);
  void run_indices(const std::function<void(int, int)>& body, int count, int worker) EXCLUDES(mutex_);

  Mutex mutex_;
  ConditionVariable wake_;
  ConditionVariable done_;
  const std::function<void(int, int)>* body_ GUARDED_BY(mutex_) = nullptr;  ///< null: no indices are left
  int count_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr thrown_ GUARDED_BY(mutex_);  ///< first exception of this parallel_for()
  /// Number of pool threads that may be running body_. Written only with mutex_ locked.
  std::atomic<int> busy_ = 0;
  /// The next index to hand out. Atomic instead of guarded by mutex_, because locking a mutex would take too
  /// long compared to processing a row, which takes only microseconds.
  std::atomic<int> next_ = 0;
  std::vector<std::jthread> threads_;
};

/// Spins until `done()` returns true, for at most about `longest`. Returns the last value of `done()`. Use it
/// for work that another worker is about to finish, because sleeping and waking up may take longer.
template <typename Done>
bool spin_until(const Done& done, std::chrono::microseconds longest = std::chrono::microseconds(20)) {
  const auto start = std::chrono::steady_clock::now();
  while (!done()) {
    if (std::chrono::steady_clock::now() - start > longest) return false;
    cpu_relax();
  }
  return true;
}

}  // namespace glyphreel
