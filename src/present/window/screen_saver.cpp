#include "present/window/screen_saver.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "base/io/log.h"
#include "base/threads/thread.h"
#include "present/window/x_connection.h"

namespace glyphreel::present {
namespace {

/// A library that may be missing. Never closed, since it may have left state behind.
class Library {
 public:
  explicit Library(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  /// Sets `function` to the library's function of that name.
  template <typename Function>
  void find(const char* name, Function*& function) {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle_, name));
    complete_ = complete_ && function != nullptr;
  }
  [[nodiscard]] bool is_complete() const { return complete_; }

 private:
  void* handle_;
  bool complete_ = true;
};

/// The X server's own screen saver and its monitor power saving.
class XServer {
 public:
  XServer() {
    if (std::getenv("DISPLAY") == nullptr) return;
    Library x11("libX11.so.6");
    Library extension("libXss.so.1");
    void* (*open_display)(const char*) = nullptr;
    int (*query_extension)(void*, int*, int*) = nullptr;
    x11.find("XOpenDisplay", open_display);
    x11.find("XCloseDisplay", close_display_);
    x11.find("XFlush", flush_);
    extension.find("XScreenSaverQueryExtension", query_extension);
    extension.find("XScreenSaverSuspend", suspend_);
    if (!x11.is_complete() || !extension.is_complete()) return;
    display_ = open_display(nullptr);
    watch_x_connection(display_);
    int first_event = 0;
    int first_error = 0;
    if (display_ == nullptr || query_extension(display_, &first_event, &first_error) != 0) return;
    close_display_(display_);
    display_ = nullptr;
  }
  /// Closing the connection ends the suspension.
  ~XServer() {
    if (display_ != nullptr) close_display_(display_);
  }
  XServer(const XServer&) = delete;
  XServer& operator=(const XServer&) = delete;

  bool suspend(bool on) {
    if (display_ == nullptr) return false;
    suspend_(display_, on ? 1 : 0);
    flush_(display_);
    return true;
  }

 private:
  void* display_ = nullptr;
  int (*close_display_)(void*) = nullptr;
  int (*flush_)(void*) = nullptr;
  void (*suspend_)(void*, int) = nullptr;
};

/// The desktop's screen saver: https://specifications.freedesktop.org/idle-inhibit-spec/latest/
class DesktopSession {
 public:
  DesktopSession() {
    // Without a running bus, libdbus would start one.
    const char* runtime_folder = std::getenv("XDG_RUNTIME_DIR");
    std::error_code problem;
    if (std::getenv("DBUS_SESSION_BUS_ADDRESS") == nullptr &&
        (runtime_folder == nullptr ||
         !std::filesystem::exists(std::filesystem::path(runtime_folder) / "bus", problem))) {
      return;
    }
    Library library("libdbus-1.so.3");
    void* (*connect)(int, void*) = nullptr;
    void (*set_exit_on_disconnect)(void*, std::uint32_t) = nullptr;
    library.find("dbus_bus_get_private", connect);
    library.find("dbus_connection_set_exit_on_disconnect", set_exit_on_disconnect);
    library.find("dbus_connection_close", close_);
    library.find("dbus_connection_unref", unref_);
    library.find("dbus_message_new_method_call", new_call_);
    library.find("dbus_message_append_args", append_);
    library.find("dbus_message_get_args", read_);
    library.find("dbus_message_unref", unref_message_);
    library.find("dbus_connection_send_with_reply_and_block", ask_);
    if (!library.is_complete()) return;
    connection_ = connect(SessionBus, nullptr);
    if (connection_ != nullptr) set_exit_on_disconnect(connection_, 0);
  }
  /// Closing the connection ends the inhibition.
  ~DesktopSession() {
    if (connection_ == nullptr) return;
    close_(connection_);
    unref_(connection_);
  }
  DesktopSession(const DesktopSession&) = delete;
  DesktopSession& operator=(const DesktopSession&) = delete;

  bool inhibit(bool on) {
    if (connection_ == nullptr || (!on && !has_cookie_)) return false;
    void* call = new_call_("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver",
                           "org.freedesktop.ScreenSaver", on ? "Inhibit" : "UnInhibit");
    if (call == nullptr) return false;
    const char* program = "glyphreel";
    const char* reason = "A video is playing";
    if (on) {
      append_(call, 's', &program, 's', &reason, 0);
    } else {
      append_(call, 'u', &cookie_, 0);
    }
    void* answer = ask_(connection_, call, PatienceMs, nullptr);
    unref_message_(call);
    if (answer == nullptr) return false;
    has_cookie_ = on && read_(answer, nullptr, 'u', &cookie_, 0) != 0;
    unref_message_(answer);
    return has_cookie_ == on;
  }

 private:
  static constexpr int SessionBus = 0;
  static constexpr int PatienceMs = 500;

  void* connection_ = nullptr;
  std::uint32_t cookie_ = 0;  ///< the desktop's handle for the inhibition
  bool has_cookie_ = false;
  void (*close_)(void*) = nullptr;
  void (*unref_)(void*) = nullptr;
  void* (*new_call_)(const char*, const char*, const char*, const char*) = nullptr;
  std::uint32_t (*append_)(void*, int, ...) = nullptr;
  std::uint32_t (*read_)(void*, void*, int, ...) = nullptr;
  void (*unref_message_)(void*) = nullptr;
  void* (*ask_)(void*, void*, int, void*) = nullptr;
};

}  // namespace

void ScreenSaver::keep_away(bool on) {
  if (on == asked_) return;
  asked_ = on;
  {
    const std::lock_guard lock(mutex_);
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
      log::debug("Screen saver: not inhibited. {}", started.error().message);
      return;
    }
    worker_ = *std::move(started);
  }
  changed_.notify_one();
}

void ScreenSaver::work(const std::stop_token& stop) {
  XServer server;
  DesktopSession session;
  bool is_away = false;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return wanted_ != is_away; })) return;
      is_away = wanted_;
    }
    const bool by_server = server.suspend(is_away);
    const bool by_desktop = session.inhibit(is_away);
    log::debug("Screen saver: {}; X server: {}, desktop: {}.", is_away ? "inhibited" : "allowed",
               by_server ? "yes" : "no", by_desktop ? "yes" : "no");
  }
}

}  // namespace glyphreel::present
