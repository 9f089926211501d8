#include "present/window/x_connection.h"

#include <dlfcn.h>

#include <atomic>

namespace glyphreel::present {
namespace {

std::atomic<bool> is_lost{false};

int on_loss(void* /*display*/) {
  is_lost = true;
  return 0;
}

void on_exit_wish(void* /*display*/, void* /*data*/) {
  is_lost = true;
}

}  // namespace

void watch_x_connection(void* display) {
  if (display == nullptr) return;
  // A caller that has a Display has loaded the library.
  void* library = ::dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return;
  using ErrorHandler = int (*)(void*);
  using ExitHandler = void (*)(void*, void*);
  auto* set_error_handler =
      reinterpret_cast<ErrorHandler (*)(ErrorHandler)>(::dlsym(library, "XSetIOErrorHandler"));
  auto* set_exit_handler =
      reinterpret_cast<void (*)(void*, ExitHandler, void*)>(::dlsym(library, "XSetIOErrorExitHandler"));
  if (set_error_handler == nullptr || set_exit_handler == nullptr) return;
  set_error_handler(on_loss);  // Xlib's default handler prints a message
  set_exit_handler(display, on_exit_wish, nullptr);
}

bool x_connection_is_lost() {
  return is_lost.load(std::memory_order_relaxed);
}

}  // namespace glyphreel::present
