#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "base/result.h"

namespace glyphreel {

/// Starts a thread that runs `body`. Debuggers and top show the first 15 characters of `name`.
/// Errors: Failed if the system cannot create another thread.
[[nodiscard]] Result<std::jthread> start_thread(const std::string& name,
                                                std::function<void(const std::stop_token&)> body);

/// Raises the priority of the calling thread above other work if the system permits it (RLIMIT_NICE or root);
/// otherwise changes nothing. For threads that need little time and must not be late, such as audio.
void raise_thread_priority();

/// Lowers the priority of the calling thread, and of threads that it starts later, below other work.
void lower_thread_priority();

/// Reports that a thread was leaked because it is blocked, for example in a driver. The program must then end
/// without destroying static objects, which the thread may still use. Thread-safety: any thread.
void note_leaked_thread();
/// Returns whether note_leaked_thread() was called.
[[nodiscard]] bool has_leaked_thread();

/// Returns an Error that describes the exception being handled. Call it in a catch block.
[[nodiscard]] Error error_of_exception();

/// Returns the Result of `work()`, or an Error for an exception that `work()` throws. Use it in thread
/// functions, where an uncaught exception would end the program.
template <typename Work>
[[nodiscard]] std::invoke_result_t<Work> catching(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    return error_of_exception();
  }
}

}  // namespace glyphreel
