#include "present/window/x_connection.h"

#include <X11/Xlib.h>

#include <atomic>

namespace glyphreel::present {
namespace {

std::atomic<bool> is_lost{false};

}  // namespace

void watch_x_connection(void* display) {
  if (display == nullptr) return;
  const auto handle_error = [](::Display*) {
    is_lost = true;
    return 0;
  };
  const auto handle_exit = [](::Display*, void*) { is_lost = true; };
  XSetIOErrorHandler(handle_error);  // replaces Xlib's default handler, which prints a message
  XSetIOErrorExitHandler(static_cast<::Display*>(display), handle_exit, nullptr);
}

bool x_connection_is_lost() {
  return is_lost.load(std::memory_order_relaxed);
}

}  // namespace glyphreel::present
