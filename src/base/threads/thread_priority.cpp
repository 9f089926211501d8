#include "base/threads/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/io/log.h"

namespace glyphreel {

void raise_thread_priority() {
  constexpr int Nice = -10;  // one step behind the sound server's own -11
  // On Linux each thread has its own nice value, addressed by its thread ID.
  if (setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), Nice) != 0) {
    log::debug("sound runs at normal priority");
  }
}

void lower_thread_priority() {
  constexpr int Nice = 5;  // a third of the CPU time of other threads when all want it
  // If even that is refused, the thread runs at the usual priority.
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), Nice));
}

}  // namespace glyphreel
