#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "base/threads/thread.h"

namespace glyphreel {

/// Runs one slow call, such as opening an input, on its own thread. Thread-safety: one thread.
template <typename T>
class BackgroundCall {
 public:
  using Call = std::function<Result<T>(const std::stop_token&)>;

  /// Starts `call` on a new thread. When `call` returns, `on_done` is called on that thread. `on_done` should
  /// only wake the owner. If the system cannot create the thread, poll() returns an error.
  BackgroundCall(const std::string& name, Call call, std::function<void()> on_done) {
    Result<std::jthread> started = start_thread(
        name, [this, call = std::move(call), on_done = std::move(on_done)](const std::stop_token& stop) {
          Result<T> result = catching([&] { return call(stop); });
          {
            const MutexLock lock(mutex_);
            result_ = std::move(result);
          }
          on_done();
        });
    if (started) {
      thread_ = *std::move(started);
      return;
    }
    const MutexLock lock(mutex_);
    result_ = std::move(started.error());
  }
  /// Asks the call to stop, by its stop token, and waits until it returns.
  ~BackgroundCall() = default;
  BackgroundCall(const BackgroundCall&) = delete;
  BackgroundCall& operator=(const BackgroundCall&) = delete;

  /// Returns the result once the call has returned. Returns empty before then, and after poll() or wait() has
  /// returned the result.
  [[nodiscard]] std::optional<Result<T>> poll() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return std::exchange(result_, std::nullopt);
  }

  /// Waits until the call has returned, and returns the result. Call it at most once, and not after poll()
  /// has returned the result.
  [[nodiscard]] Result<T> wait() EXCLUDES(mutex_) {
    if (thread_.joinable()) thread_.join();
    return *poll();
  }

 private:
  Mutex mutex_;
  std::optional<Result<T>> result_ GUARDED_BY(mutex_);
  std::jthread thread_;  // declared last, so that it is joined before the members above are destroyed
};

}  // namespace glyphreel
