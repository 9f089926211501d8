#include "present/window/screen_saver.h"

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/io/log.h"
#include "base/io/runtime_library.h"
#include "base/threads/thread.h"
#include "present/window/x_connection.h"
#include "text/fonts/c_deleter.h"

// Included last because it defines macros such as None.
#include <X11/extensions/scrnsaver.h>

namespace glyphreel::present {
namespace {

/// Suspends the X server's own screen saver and its monitor power saving.
class XServer {
 public:
  XServer() : display_(XOpenDisplay(nullptr)) {
    watch_x_connection(display_.get());
    int first_event = 0;
    int first_error = 0;
    if (display_ && XScreenSaverQueryExtension(display_.get(), &first_event, &first_error) == 0)
      display_.reset();
  }

  bool suspend(bool on) {
    if (!display_) return false;
    XScreenSaverSuspend(display_.get(), on ? 1 : 0);
    XFlush(display_.get());
    return true;
  }

 private:
  /// Closing the connection ends the suspension. Null if there is no X server or it lacks the extension.
  std::unique_ptr<::Display, text::CDeleter<XCloseDisplay>> display_;
};

/// The functions of libsystemd that this file calls.
struct SystemBus {
  decltype(&::sd_bus_open_user) open_user = nullptr;
  decltype(&::sd_bus_set_method_call_timeout) set_timeout = nullptr;
  decltype(&::sd_bus_call_method) call_method = nullptr;
  decltype(&::sd_bus_message_read) read = nullptr;
  decltype(&::sd_bus_message_unref) unref_message = nullptr;
  decltype(&::sd_bus_close_unref) close_unref = nullptr;

  /// Loads the library on the first call. Returns null if the library or one of the functions is missing.
  [[nodiscard]] static const SystemBus* get() {
    static const SystemBus* const loaded = []() -> const SystemBus* {
      static SystemBus functions;
      const RuntimeLibrary library("libsystemd.so.0");
      const bool is_complete = library.find(functions.open_user, "sd_bus_open_user") &&
                               library.find(functions.set_timeout, "sd_bus_set_method_call_timeout") &&
                               library.find(functions.call_method, "sd_bus_call_method") &&
                               library.find(functions.read, "sd_bus_message_read") &&
                               library.find(functions.unref_message, "sd_bus_message_unref") &&
                               library.find(functions.close_unref, "sd_bus_close_unref");
      if (!is_complete) log::debug("Inhibiting the desktop's screen saver needs libsystemd; install it.");
      return is_complete ? &functions : nullptr;
    }();
    return loaded;
  }
};

struct CloseBus {
  void operator()(sd_bus* bus) const { SystemBus::get()->close_unref(bus); }
};

/// Inhibits the desktop's screen saver: https://specifications.freedesktop.org/idle-inhibit-spec/latest/
class DesktopSession {
 public:
  /// Connects to the session bus. Without a session bus or libsystemd, inhibit() does nothing.
  DesktopSession() {
    if (SystemBus::get() == nullptr) return;
    sd_bus* bus = nullptr;
    if (SystemBus::get()->open_user(&bus) >= 0) SystemBus::get()->set_timeout(bus, TimeoutUs);
    bus_.reset(bus);
  }

  bool inhibit(bool on) {
    if (!bus_) return false;
    if (!on) return cookie_ && call("UnInhibit", nullptr, "u", *std::exchange(cookie_, std::nullopt));
    sd_bus_message* answer = nullptr;
    std::uint32_t cookie = 0;
    if (call("Inhibit", &answer, "ss", "glyphreel", "A video is playing") &&
        SystemBus::get()->read(answer, "u", &cookie) > 0)
      cookie_ = cookie;
    SystemBus::get()->unref_message(answer);
    return cookie_.has_value();
  }

 private:
  static constexpr std::uint64_t TimeoutUs = 500'000;

  template <typename... Arguments>
  bool call(const char* method, sd_bus_message** answer, const char* types, Arguments... arguments) {
    constexpr const char* Interface = "org.freedesktop.ScreenSaver";
    return SystemBus::get()->call_method(bus_.get(), Interface, "/org/freedesktop/ScreenSaver", Interface,
                                         method, nullptr, answer, types, arguments...) >= 0;
  }

  /// Closing the connection ends the inhibition.
  std::unique_ptr<sd_bus, CloseBus> bus_;
  std::optional<std::uint32_t> cookie_;  ///< the desktop's handle of the inhibition; empty: none
};

}  // namespace

void ScreenSaver::set_inhibited(bool on) {
  {
    const MutexLock lock(mutex_);
    if (on == wanted_) return;
    wanted_ = on;
  }
  if (!worker_.joinable()) {
    Result<std::jthread> started = start_thread("screen saver", [this](const std::stop_token& stop) {
      static_cast<void>(catching([&]() -> Result<void> {
        work(stop);
        return {};
      }));
    });
    if (!started) {
      log::debug("The screen saver is not inhibited: {}", started.error().message);
      return;
    }
    worker_ = *std::move(started);
  }
  changed_.notify_one();
}

void ScreenSaver::work(const std::stop_token& stop) {
  XServer server;
  DesktopSession session;
  bool is_inhibited = false;
  while (true) {
    {
      MutexLock lock(mutex_);
      if (!changed_.wait(lock, stop, [&]() REQUIRES(mutex_) { return wanted_ != is_inhibited; })) return;
      is_inhibited = wanted_;
    }
    const bool by_server = server.suspend(is_inhibited);
    const bool by_desktop = session.inhibit(is_inhibited);
    log::debug("The screen saver should be {}. Accepted by the X server: {}; accepted by the desktop: {}.",
               is_inhibited ? "inhibited" : "allowed", by_server ? "yes" : "no", by_desktop ? "yes" : "no");
  }
}

}  // namespace glyphreel::present
