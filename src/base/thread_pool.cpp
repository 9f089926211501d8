#include "base/thread_pool.h"

#include <pthread.h>

#include <algorithm>

namespace glyphreel {

void name_this_thread(const std::string& name) { pthread_setname_np(pthread_self(), name.substr(0, 15).c_str()); }

ThreadPool::ThreadPool(int threads) {
  const int wanted = threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int worker = 1; worker < wanted; ++worker) {
    threads_.emplace_back([this, worker](const std::stop_token& stop) {
      name_this_thread("pool" + std::to_string(worker));
      work(stop, worker);
    });
  }
}

ThreadPool::~ThreadPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  wake_.notify_all();
}

void ThreadPool::parallel_for(int count, const std::function<void(int, int)>& body) {
  if (count <= 0) return;
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    next_ = 0;
    count_ = count;
    unfinished_ = count;
  }
  wake_.notify_all();
  run_indices(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return unfinished_ == 0; });
  body_ = nullptr;
}

void ThreadPool::work(const std::stop_token& stop, int worker) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, stop, [this] { return body_ != nullptr && next_ < count_; });
      if (stop.stop_requested()) return;
    }
    run_indices(worker);
  }
}

void ThreadPool::run_indices(int worker) {
  std::unique_lock lock(mutex_);
  while (body_ != nullptr && next_ < count_) {
    const int index = next_++;
    const auto* body = body_;
    lock.unlock();
    (*body)(index, worker);
    lock.lock();
    if (--unfinished_ == 0) done_.notify_one();
  }
}

}  // namespace glyphreel
