#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

// A mutex, a lock and a condition variable with Clang's thread-safety annotations, which std::mutex lacks.
// Clang checks them with -Wthread-safety (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html).
#if defined(__clang__)
#define THREAD_ANNOTATION(attribute) __attribute__((attribute))
#else
#define THREAD_ANNOTATION(attribute)
#endif

/// On a member: access it only while holding this mutex.
#define GUARDED_BY(mutex) THREAD_ANNOTATION(guarded_by(mutex))
/// On a function: call it only while holding this mutex (REQUIRES), or only while not holding it (EXCLUDES).
#define REQUIRES(...) THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
/// On a function: the function locks (ACQUIRE) or unlocks (RELEASE) this mutex. If the macro has no argument,
/// the mutex is the object whose member function is called.
#define ACQUIRE(...) THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) THREAD_ANNOTATION(release_capability(__VA_ARGS__))
/// On a function whose locking Clang cannot analyze. The function's comment says why its locking is correct.
#define NO_THREAD_SAFETY_ANALYSIS THREAD_ANNOTATION(no_thread_safety_analysis)

namespace glyphreel {

class THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Locks a mutex until the end of the scope, except between unlock() and lock().
class THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() ACQUIRE() { lock_.lock(); }
  void unlock() RELEASE() { lock_.unlock(); }

 private:
  friend class ConditionVariable;
  std::unique_lock<std::mutex> lock_;
};

/// Unlocks a mutex until the end of the scope. Use it in functions that REQUIRE the mutex.
class THREAD_ANNOTATION(scoped_lockable) MutexUnlock {
 public:
  explicit MutexUnlock(Mutex& mutex) RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~MutexUnlock() RELEASE() { mutex_.lock(); }
  MutexUnlock(const MutexUnlock&) = delete;
  MutexUnlock& operator=(const MutexUnlock&) = delete;

 private:
  Mutex& mutex_;
};

/// Like std::condition_variable_any. Conditions are called with the mutex locked. Annotate a condition with
/// REQUIRES if it reads guarded members.
class ConditionVariable {
 public:
  void notify_one() noexcept { variable_.notify_one(); }
  void notify_all() noexcept { variable_.notify_all(); }

  template <typename Condition>
  void wait(MutexLock& lock, Condition condition) {
    variable_.wait(lock.lock_, std::move(condition));
  }
  /// Waits until the condition is true or a stop is requested. Returns the condition's value.
  template <typename Condition>
  bool wait(MutexLock& lock, const std::stop_token& stop, Condition condition) {
    return variable_.wait(lock.lock_, stop, std::move(condition));
  }
  /// Waits until the condition is true, at most for `timeout`. Returns the condition's value.
  template <typename Condition>
  bool wait_for(MutexLock& lock, std::chrono::nanoseconds timeout, Condition condition) {
    return variable_.wait_for(lock.lock_, timeout, std::move(condition));
  }
  /// Waits for a notification, at most for `timeout`. May return early without a notification.
  void wait_for(MutexLock& lock, std::chrono::nanoseconds timeout) {
    variable_.wait_for(lock.lock_, timeout);
  }

 private:
  std::condition_variable_any variable_;
};

}  // namespace glyphreel
