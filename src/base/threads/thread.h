#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "base/result.h"

namespace glyphreel {

/// Starts a thread that runs `body`. Debuggers and top show its name, of which the first 15 characters
/// count. Errors: Failed if the system cannot create another thread.
[[nodiscard]] Result<std::jthread> start_thread(const std::string& name,
                                                std::function<void(const std::stop_token&)> body);

/// Raises the priority of this thread above other work, if the system permits it (a limit on nice values,
/// or root); otherwise changes nothing. For the few threads that need little time and must not be late,
/// such as audio.
void raise_thread_priority();

/// Lowers the priority of this thread, and of those that it starts from now on, below other work.
void lower_thread_priority();

/// Returns the exception being handled as an Error. Call it in a catch block.
[[nodiscard]] Error error_of_exception();

/// Returns the Result of `work()`. An exception that it throws becomes an Error; if it left the thread, it
/// would end the program.
template <typename Work>
[[nodiscard]] std::invoke_result_t<Work> catching(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    return error_of_exception();
  }
}

}  // namespace glyphreel
