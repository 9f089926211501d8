#include "base/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"

namespace glyphreel {

void prefer_this_thread() {
  constexpr int Nice = -10;  // a step below the sound server's own -11
  // On Linux a thread has a nice value of its own, by its id.
  if (setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), Nice) != 0) {
    log::debug("sound runs at the usual priority");
  }
}

void put_back_this_thread() {
  constexpr int Nice = 5;  // a third of the time of the others where all want it
  // Where even that is refused it runs as the others do.
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), Nice));
}

}  // namespace glyphreel
