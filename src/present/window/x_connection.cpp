#include "present/window/x_connection.h"

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

double x_refresh_interval(void* display, unsigned long crtc) {
  auto* x = static_cast<::Display*>(display);
  const std::unique_ptr<XRRScreenResources, decltype(&XRRFreeScreenResources)> resources(
      XRRGetScreenResourcesCurrent(x, DefaultRootWindow(x)), &XRRFreeScreenResources);
  if (!resources) return 0;
  const std::unique_ptr<XRRCrtcInfo, decltype(&XRRFreeCrtcInfo)> info(
      XRRGetCrtcInfo(x, resources.get(), crtc), &XRRFreeCrtcInfo);
  if (!info) return 0;
  for (const XRRModeInfo& mode : std::span(resources->modes, static_cast<std::size_t>(resources->nmode))) {
    if (mode.id != info->mode || mode.dotClock == 0) continue;
    // An interlaced mode refreshes half of the lines at a time, and a double-scan mode draws each line twice.
    double lines = mode.vTotal;
    if ((mode.modeFlags & RR_DoubleScan) != 0) lines *= 2;
    if ((mode.modeFlags & RR_Interlace) != 0) lines /= 2;
    return mode.hTotal * lines / static_cast<double>(mode.dotClock);
  }
  return 0;
}

}  // namespace glyphreel::present
