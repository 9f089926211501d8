#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "base/mutex.h"

namespace glyphreel {

/// A bounded FIFO queue between threads. push() waits while the queue is full, and pop() waits while it is
/// empty. close() wakes all waiting threads.
/// Thread-safety: every member may be called from any thread.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits until the queue has free space and fewer than `most` items, and then appends `item`. If the queue
  /// is closed, drops `item` and returns false.
  bool push(T item, std::size_t most = std::numeric_limits<std::size_t>::max()) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      const std::size_t room = std::min(capacity_, most);
      not_full_.wait(lock, [this, room]() REQUIRES(mutex_) { return items_.size() < room || closed_; });
      if (closed_) return false;
      items_.push_back(std::move(item));
    }
    not_empty_.notify_one();
    return true;
  }

  /// Appends `item`. If the queue is full or closed, returns false and leaves `item` unchanged.
  [[nodiscard]] bool try_push(T& item) EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      if (closed_ || items_.size() >= capacity_) return false;
      items_.push_back(std::move(item));
    }
    not_empty_.notify_one();
    return true;
  }

  /// Waits for an item and removes it. Returns empty if the queue was aborted, or is closed and has no items.
  [[nodiscard]] std::optional<T> pop() EXCLUDES(mutex_) {
    std::optional<T> item;
    {
      MutexLock lock(mutex_);
      not_empty_.wait(lock, [this]() REQUIRES(mutex_) { return !items_.empty() || closed_; });
      if (!is_aborted_) pop_front(item);
    }
    if (item) not_full_.notify_one();
    return item;
  }

  /// Removes and returns the first item; empty if there is none.
  [[nodiscard]] std::optional<T> try_pop() EXCLUDES(mutex_) {
    std::optional<T> item;
    {
      const MutexLock lock(mutex_);
      if (!is_aborted_) pop_front(item);
    }
    if (item) not_full_.notify_one();
    return item;
  }

  /// Makes further pushes fail; items already queued can still be popped.
  void close() EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      closed_ = true;
    }
    not_full_.notify_all();
    not_empty_.notify_all();
  }

  /// Closes the queue and discards its items, so that a consumer stops at once. Allocates nothing, because
  /// abort() is also called when memory has run out.
  void abort() noexcept EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      is_aborted_ = true;
    }
    close();
    for (bool has_more = true; has_more;) {
      std::optional<T> dropped;  // destroyed after the unlock: a frame's destructor may lock another mutex
      const MutexLock lock(mutex_);
      pop_front(dropped);
      has_more = dropped.has_value();
    }
  }

  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return items_.size();
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  /// Moves the first item, if there is one, to `item`.
  void pop_front(std::optional<T>& item) REQUIRES(mutex_) {
    if (items_.empty()) return;
    item.emplace(std::move(items_.front()));
    items_.pop_front();
  }

  const std::size_t capacity_;
  mutable Mutex mutex_;
  ConditionVariable not_full_;
  ConditionVariable not_empty_;
  std::deque<T> items_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
  bool is_aborted_ GUARDED_BY(mutex_) = false;
};

}  // namespace glyphreel
