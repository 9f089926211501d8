#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "base/threads/thread.h"

namespace glyphreel {

/// Makes calls that may block, one at a time, on a dedicated thread.
/// Thread-safety: one thread calls the members.
template <typename T>
class CallThread {
 public:
  /// Starts the thread, which passes the result of each call to `on_done`, unless `on_done` is empty.
  /// `on_done` may only wake the thread that began the call. Errors: Failed if the thread cannot be created.
  [[nodiscard]] static Result<std::unique_ptr<CallThread>> start(const std::string& name,
                                                                 std::function<void(const T&)> on_done) {
    std::unique_ptr<CallThread> made(new CallThread(std::move(on_done)));
    TRY_ASSIGN(made->thread_,
               start_thread(name, [self = made.get()](const std::stop_token& stop) { self->work(stop); }));
    return made;
  }
  /// Waits for the last call.
  ~CallThread() = default;
  CallThread(const CallThread&) = delete;
  CallThread& operator=(const CallThread&) = delete;

  /// Starts a call, which must not throw. The previous call must be complete (see wait()).
  void begin(std::function<T()> call) EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      CHECK(!call_, "a call was started before the previous call was complete");
      call_ = std::move(call);
    }
    changed_.notify_all();
  }
  /// Waits for the last call, at most for `timeout`. Returns whether the call is complete.
  [[nodiscard]] bool wait(std::chrono::milliseconds timeout) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock, timeout, [this]() REQUIRES(mutex_) { return !call_; });
  }
  /// Returns the result of the last complete call. Empty if no call is complete, or if take_result() has
  /// returned that result before.
  [[nodiscard]] std::optional<T> result() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return result_;
  }
  [[nodiscard]] std::optional<T> take_result() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return std::exchange(result_, std::nullopt);
  }

 private:
  explicit CallThread(std::function<void(const T&)> on_done) : on_done_(std::move(on_done)) {}

  void work(const std::stop_token& stop) EXCLUDES(mutex_) {
    for (;;) {
      const std::function<T()>* call = nullptr;
      {
        MutexLock lock(mutex_);
        if (!changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return call_ != nullptr; })) return;
        call = &call_;
      }
      const T result = (*call)();
      {
        const MutexLock lock(mutex_);
        result_ = result;
        call_ = nullptr;
      }
      changed_.notify_all();
      if (on_done_) on_done_(result);
    }
  }

  const std::function<void(const T&)> on_done_;
  mutable Mutex mutex_;
  ConditionVariable changed_;
  /// Null if no call is in progress. While call_ is not null, only thread_, which makes the call, changes it.
  std::function<T()> call_ GUARDED_BY(mutex_);
  std::optional<T> result_ GUARDED_BY(mutex_);
  std::jthread thread_;  // declared last, so that it is joined before the members above are destroyed
};

}  // namespace glyphreel
