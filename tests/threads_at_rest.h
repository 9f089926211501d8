#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <thread>

namespace glyphreel::test {

/// The process's threads except the caller.
struct OtherThreads {
  /// Context-switch counts by thread ID, from /proc/PID/task/TID/status (proc(5)).
  std::map<std::string, std::string> switches;
  bool all_sleep = true;  ///< whether all of them are asleep
};

/// Returns the current state of the other threads.
inline OtherThreads other_threads() {
  OtherThreads found;
  const std::string own = std::to_string(::gettid());
  std::error_code gone;  // a thread may end while it is examined
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    const std::string number = task.path().filename();
    if (number == own) continue;
    std::ifstream status(task.path() / "status");
    std::string& switches = found.switches[number];
    bool sleeps = false;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:")) sleeps = line.find("S (sleeping)") != std::string::npos;
      if (line.find("ctxt_switches:") != std::string::npos) switches += line;
    }
    found.all_sleep = found.all_sleep && sleeps;
  }
  return found;
}

/// Waits until all other threads of this process sleep at the same time. A test uses this to know that
/// another thread has begun to wait. After that, no thread runs until an external event, an action of the
/// caller, or a timer.
/// Fails the test after 20 s.
inline void wait_until_others_sleep() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (OtherThreads before = other_threads(); std::chrono::steady_clock::now() < deadline;) {
    std::this_thread::yield();
    OtherThreads now = other_threads();
    // The threads are not examined at one instant. But if every thread is asleep in two examinations, without
    // a context switch in between, all threads were asleep when the first examination ended.
    if (before.all_sleep && now.all_sleep && now.switches == before.switches) return;
    before = std::move(now);
  }
  ADD_FAILURE() << "the other threads never all slept at the same time";
}

}  // namespace glyphreel::test
