#include "base/threads/thread.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <new>
#include <system_error>

#include "base/io/log.h"

namespace glyphreel {
namespace {

std::atomic<bool> is_thread_leaked{false};

}  // namespace

Result<std::jthread> start_thread(const std::string& name, std::function<void(const std::stop_token&)> body) {
  try {
    return std::jthread([name, body = std::move(body)](const std::stop_token& stop) {
      pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());  // the kernel refuses longer names
      body(stop);
    });
  } catch (const std::system_error&) {
    return error_of_exception();
  }
}

void note_leaked_thread() {
  is_thread_leaked = true;
}

bool has_leaked_thread() {
  return is_thread_leaked;
}

Error error_of_exception() {
  std::string cause;
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
    cause = problem.what();
  } catch (const std::exception& problem) {
    cause = problem.what();
  } catch (...) {  // an exception of an unknown type has no message
  }
  return {ErrorCode::Failed, "The program failed unexpectedly; please report it.", std::move(cause)};
}

void raise_thread_priority() {
  constexpr int Nice = -10;  // one step below the sound server, whose nice value is -11
  // On Linux each thread has its own nice value, addressed by its thread ID.
  if (setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), Nice) != 0)
    log::debug("the system does not permit a higher thread priority; this thread runs at normal priority");
}

void lower_thread_priority() {
  constexpr int Nice = 5;  // about a third of a normal thread's CPU time if the two compete for a core
  // On failure, the thread keeps its normal priority.
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), Nice));
}

}  // namespace glyphreel
