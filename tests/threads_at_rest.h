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

/// Sleeping threads of this process except the caller, by thread ID, with each one's count of context
/// switches, from /proc/PID/task/TID/status (proc(5)). `all_sleep`: there are no others.
struct SleepingThreads {
  std::map<std::string, std::string> switches;
  bool all_sleep = true;
};

inline SleepingThreads sleeping_threads() {
  SleepingThreads found;
  const std::string own = std::to_string(::gettid());
  std::error_code gone;  // threads may end while they are examined
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

/// Returns once all other threads of this process sleep at the same time: nothing runs until an external
/// event, an action of this thread, or one of their timers. This is how a test knows that another thread
/// waits. Fails the test after 20 s.
inline void wait_until_others_sleep() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (SleepingThreads before = sleeping_threads(); std::chrono::steady_clock::now() < deadline;) {
    std::this_thread::yield();
    SleepingThreads now = sleeping_threads();
    // Threads are examined one after the other: a thread that slept twice without a switch in between has
    // slept throughout.
    if (before.all_sleep && now.all_sleep && now.switches == before.switches) return;
    before = std::move(now);
  }
  ADD_FAILURE() << "the other threads never all sleep at once";
}

}  // namespace glyphreel::test
