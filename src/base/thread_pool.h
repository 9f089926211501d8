#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"

namespace glyphreel {

/// Threads that share out the rows of one picture at a time.
/// Thread-safety: parallel_for() is called by one thread at a time, the owner.
class ThreadPool {
 public:
  /// `threads` workers in all, the caller of parallel_for() counted; 0: one per processor.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls `body(index, worker)` once for every index in [0, count), in any order, on any worker (0 to size()-1),
  /// and returns when all are done. Indices are given out in rising order, so that a body may wait for lower ones.
  void parallel_for(int count, const std::function<void(int index, int worker)>& body) EXCLUDES(mutex_);

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

 private:
  void work(const std::stop_token& stop, int worker) EXCLUDES(mutex_);
  void run_indices(const std::function<void(int, int)>& body, int count, int worker);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  const std::function<void(int, int)>* body_ GUARDED_BY(mutex_) = nullptr;  ///< while indices are given out
  int count_ GUARDED_BY(mutex_) = 0;
  int busy_ GUARDED_BY(mutex_) = 0;  ///< workers that may be in body_, the caller not counted
  std::atomic<int> next_ = 0;        ///< index to be given out: apart from the lock, since rows take microseconds
  std::vector<std::jthread> threads_;
};

/// Names the calling thread, as debuggers and top show it; at most 15 characters count.
void name_this_thread(const std::string& name);

}  // namespace glyphreel
