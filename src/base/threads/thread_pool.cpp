#include "base/threads/thread_pool.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/threads/thread.h"

namespace glyphreel {
namespace {

/// Number of shares (ranges of rows) per worker in one parallel_for(). A share has several rows, because the
/// end of a row and the start of the next row are often in one cache line, which moves between cores if two
/// workers write to it. Shares are small enough that no worker waits long for another worker's last share.
constexpr int SharesPerWorker = 16;

}  // namespace

void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

ThreadPool::ThreadPool(int threads) {
  const int wanted =
      threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int worker = 1; worker < wanted; ++worker) {
    Result<std::jthread> started = start_thread(
        "pool" + std::to_string(worker), [this, worker](const std::stop_token& stop) { work(stop, worker); });
    if (!started) break;
    threads_.push_back(*std::move(started));
  }
}

ThreadPool::~ThreadPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  wake_.notify_all();
}

void ThreadPool::parallel_for(int count, const std::function<void(int, int)>& body) {
  if (count <= 0) return;
  {
    const MutexLock lock(mutex_);
    next_ = 0;
    body_ = &body;
    count_ = count;
  }
  wake_.notify_all();
  run_indices(body, count, 0);
  {
    const MutexLock lock(mutex_);
    body_ = nullptr;
  }
  spin_until([this] { return busy_ == 0; });
  MutexLock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ThreadPool::work(const std::stop_token& stop, int worker) {
  MutexLock lock(mutex_);
  while (true) {
    wake_.wait(lock, stop, [this]() REQUIRES(mutex_) { return body_ != nullptr && next_ < count_; });
    if (stop.stop_requested()) return;
    const auto* body = body_;
    const int count = count_;
    ++busy_;
    lock.unlock();
    run_indices(*body, count, worker);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void ThreadPool::run_indices(const std::function<void(int, int)>& body, int count, int worker) {
  const int share = std::max(1, count / (SharesPerWorker * size()));
  try {
    for (int first = next_.fetch_add(share); first < count; first = next_.fetch_add(share)) {
      const int end = std::min(first + share, count);
      for (int index = first; index < end; ++index) body(index, worker);
    }
  } catch (...) {
    next_ = count;
    const MutexLock lock(mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
}

}  // namespace glyphreel
