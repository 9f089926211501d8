#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "base/result.h"

namespace glyphreel {

/// Starts a thread that runs `body`, and names it, as debuggers and top show it; at most 15 characters count.
/// Errors: Failed where the system has no room for another thread.
[[nodiscard]] Result<std::jthread> start_thread(const std::string& name,
                                                std::function<void(const std::stop_token&)> body);

/// The exception that is being handled as an Error. To be called in a catch block.
[[nodiscard]] Error error_of_exception();

/// The Result that `work()` returns. An exception that it throws becomes an Error: on a thread it would end
/// the program.
template <typename Work>
[[nodiscard]] std::invoke_result_t<Work> catching(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    return error_of_exception();
  }
}

}  // namespace glyphreel
