#include "present/window/wayland_outputs.h"

#include <wayland-client.h>

#include <cstring>
#include <list>
#include <memory>

namespace glyphreel::present {
namespace {

using ObjectPtr = std::unique_ptr<wl_output, decltype(&wl_output_destroy)>;

struct BoundOutput {
  ObjectPtr object;
  WaylandOutput output;
};
using BoundOutputs = std::list<BoundOutput>;  // a list, because the listeners hold pointers to the elements

const wl_output_listener& output_listener() {
  static const wl_output_listener listener = [] {
    wl_output_listener handlers{};  // version 1 of wl_output has no other events
    handlers.geometry = [](void* data, wl_output*, std::int32_t x, std::int32_t y, std::int32_t, std::int32_t,
                           std::int32_t, const char*, const char*, std::int32_t) {
      auto& output = *static_cast<WaylandOutput*>(data);
      output.x = x;
      output.y = y;
    };
    handlers.mode = [](void* data, wl_output*, std::uint32_t flags, std::int32_t width, std::int32_t height,
                       std::int32_t millihertz) {
      auto& output = *static_cast<WaylandOutput*>(data);
      if ((flags & WL_OUTPUT_MODE_CURRENT) == 0) return;
      output.pixels = {width, height};
      output.millihertz = millihertz;
    };
    return handlers;
  }();
  return listener;
}

void bind_output(void* data, wl_registry* registry, std::uint32_t name, const char* interface,
                 std::uint32_t) {
  if (std::strcmp(interface, wl_output_interface.name) != 0) return;
  auto* object = static_cast<wl_output*>(wl_registry_bind(registry, name, &wl_output_interface, 1));
  if (object == nullptr) return;
  auto& bound = *static_cast<BoundOutputs*>(data);
  bound.push_back({ObjectPtr(object, &wl_output_destroy), {}});
  wl_output_add_listener(object, &output_listener(), &bound.back().output);
}

}  // namespace

std::vector<WaylandOutput> wayland_outputs() {
  const std::unique_ptr<wl_display, decltype(&wl_display_disconnect)> display(wl_display_connect(nullptr),
                                                                              &wl_display_disconnect);
  if (!display) return {};
  const std::unique_ptr<wl_registry, decltype(&wl_registry_destroy)> registry(
      wl_display_get_registry(display.get()), &wl_registry_destroy);
  if (!registry) return {};
  BoundOutputs bound;
  static constexpr wl_registry_listener Listener{.global = bind_output,
                                                 .global_remove = [](void*, wl_registry*, std::uint32_t) {}};
  wl_registry_add_listener(registry.get(), &Listener, &bound);
  // The first round trip lists the outputs, the second describes them.
  for (int answers = 0; answers < 2; ++answers) {
    if (wl_display_roundtrip(display.get()) < 0) return {};
  }
  std::vector<WaylandOutput> outputs;
  for (const BoundOutput& each : bound) outputs.push_back(each.output);
  return outputs;
}

double refresh_interval(std::span<const WaylandOutput> outputs, const WaylandOutput& shown) {
  const auto whole_hertz = [](const WaylandOutput& output) { return (output.millihertz + 500) / 1000; };
  int found = 0;
  bool is_ambiguous = false;
  for (const WaylandOutput& output : outputs) {
    if (output.millihertz <= 0 || output.pixels != shown.pixels ||
        whole_hertz(output) != whole_hertz(shown)) {
      continue;
    }
    if (output.x == shown.x && output.y == shown.y) return 1000.0 / output.millihertz;
    is_ambiguous = is_ambiguous || (found != 0 && found != output.millihertz);
    found = output.millihertz;
  }
  return found == 0 || is_ambiguous ? 0 : 1000.0 / found;
}

}  // namespace glyphreel::present
