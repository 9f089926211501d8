#include "present/window/x_connection.h"

#include <X11/Xlib.h>

#include <atomic>

namespace glyphreel::present {
namespace {

std::atomic<bool> is_lost{false};

int on_loss(::Display* /*display*/) {
  is_lost = true;
  return 0;
}

void on_exit_wish(::Display* /*display*/, void* /*data*/) {
  is_lost = true;
}

}  // namespace

void watch_x_connection(void* display) {
  if (display == nullptr) return;
  XSetIOErrorHandler(on_loss);  // Xlib's default handler prints a message
  XSetIOErrorExitHandler(static_cast<::Display*>(display), on_exit_wish, nullptr);
}

bool x_connection_is_lost() {
  return is_lost.load(std::memory_order_relaxed);
}

}  // namespace glyphreel::present
