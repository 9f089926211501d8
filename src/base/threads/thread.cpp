#include "base/threads/thread.h"

#include <exception>
#include <new>
#include <system_error>

#include "base/threads/thread_pool.h"

namespace glyphreel {

Result<std::jthread> start_thread(const std::string& name, std::function<void(const std::stop_token&)> body) {
  try {
    return std::jthread([name, body = std::move(body)](const std::stop_token& stop) {
      name_this_thread(name);
      body(stop);
    });
  } catch (const std::system_error&) {
    return error_of_exception();
  }
}

Error error_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::Failed,
            "Memory ran out: close some programs, or use a smaller video or fewer threads."};
  } catch (const std::system_error& problem) {
    if (problem.code() == std::errc::resource_unavailable_try_again) {
      return {ErrorCode::Failed, "The system cannot start another thread: close some programs.",
              problem.what()};
    }
    return {ErrorCode::Failed, "The program failed unexpectedly; please report it.", problem.what()};
  } catch (const std::exception& problem) {
    return {ErrorCode::Failed, "The program failed unexpectedly; please report it.", problem.what()};
  } catch (...) {
    return {ErrorCode::Failed, "The program failed unexpectedly; please report it."};
  }
}

}  // namespace glyphreel
