#include "present/window/x_connection.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/extensions/Xrandr.h>

#include <atomic>
#include <memory>
#include <span>

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

void x_show_in_fullscreen(void* display, unsigned long window) {
  auto* x = static_cast<::Display*>(display);
  // Extended Window Manager Hints, "_NET_WM_STATE": a client sets the initial state before it maps the
  // window.
  const Atom fullscreen = XInternAtom(x, "_NET_WM_STATE_FULLSCREEN", False);
  XChangeProperty(x, window, XInternAtom(x, "_NET_WM_STATE", False), XA_ATOM, 32, PropModeReplace,
                  reinterpret_cast<const unsigned char*>(&fullscreen), 1);
}

double refresh_interval(const ModeTiming& timing) {
  if (timing.pixels_per_second <= 0) return 0;
  const double lines =
      timing.height * (timing.is_double_scan ? 2.0 : 1.0) / (timing.is_interlaced ? 2.0 : 1.0);
  return timing.width * lines / timing.pixels_per_second;
}

double x_refresh_interval(void* display, unsigned long crtc) {
  auto* x = static_cast<::Display*>(display);
  const std::unique_ptr<XRRScreenResources, decltype(&XRRFreeScreenResources)> resources(
      XRRGetScreenResourcesCurrent(x, DefaultRootWindow(x)), &XRRFreeScreenResources);
  if (!resources) return 0;
  const std::unique_ptr<XRRCrtcInfo, decltype(&XRRFreeCrtcInfo)> info(
      XRRGetCrtcInfo(x, resources.get(), crtc), &XRRFreeCrtcInfo);
  if (!info) return 0;
  for (const XRRModeInfo& mode : std::span(resources->modes, static_cast<std::size_t>(resources->nmode))) {
    if (mode.id != info->mode) continue;
    return refresh_interval({.pixels_per_second = static_cast<double>(mode.dotClock),
                             .width = static_cast<int>(mode.hTotal),
                             .height = static_cast<int>(mode.vTotal),
                             .is_interlaced = (mode.modeFlags & RR_Interlace) != 0,
                             .is_double_scan = (mode.modeFlags & RR_DoubleScan) != 0});
  }
  return 0;
}

}  // namespace glyphreel::present
