#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace glyphreel::test {

/// Polls `condition`; returns whether it becomes true within 20 s. Use this only if no event can be awaited.
[[nodiscard]] inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace glyphreel::test
