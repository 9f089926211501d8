#include "gpu/device/device_choice.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "gpu/device/shader_interface.h"

namespace glyphreel::gpu {
namespace {

constexpr std::uint32_t MinApiVersion =
    (1u << 22) | (3u << 12);  // Vulkan 1.3.0, as VK_MAKE_API_VERSION packs it

/// Whether `folder` has an entry whose name begins with one of `prefixes`.
bool has_entry(const char* folder, std::initializer_list<std::string_view> prefixes) {
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }))
      return true;
  }
  return false;
}

struct KindSpec {
  const char* name;
  int score;
};

const KindSpec& spec_of(DeviceKind kind) {
  static constexpr std::array<KindSpec, 5> Kinds = {
      {{"other", 100}, {"integrated GPU", 500}, {"discrete GPU", 1000}, {"virtual GPU", 200}, {"CPU", 10}}};
  return Kinds[static_cast<std::size_t>(kind)];
}

/// A device limit, and the value that the shaders need.
struct LimitSpec {
  const char* subject;
  std::uint32_t DeviceFacts::*available;
  std::uint32_t needed;
};

constexpr std::array<LimitSpec, 3> Limits = {{{"maximum number of storage buffers per shader stage is",
                                               &DeviceFacts::storage_buffers, NeededStorageBuffers},
                                              {"maximum number of invocations per work group is",
                                               &DeviceFacts::group_invocations, NeededGroupInvocations},
                                              {"maximum number of buffers and outputs per fragment shader is",
                                               &DeviceFacts::fragment_resources, NeededFragmentResources}}};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Error unusable(const DeviceListing& device) {
  return {ErrorCode::NoDevice,
          fmt::format("{} cannot be used: {}; choose a different --device or use --renderer cpu.",
                      device.name, device.reason),
          {}};
}

Result<std::size_t> choose_best(const std::vector<DeviceListing>& devices, DevicePreference preference) {
  if (preference == DevicePreference::Display) {
    const auto is_gpu = [](const DeviceListing& device) {
      return device.score > 0 && device.kind != DeviceKind::Cpu && device.kind != DeviceKind::Other;
    };
    const auto first = std::ranges::find_if(devices, is_gpu);
    if (first != devices.end()) return static_cast<std::size_t>(first - devices.begin());
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < devices.size(); ++i) {
    if (devices[i].score > devices[best].score) best = i;
  }
  if (devices[best].score > 0) return best;
  if (devices.size() == 1) return unusable(devices[0]);
  std::string reasons;
  for (const DeviceListing& device : devices) {
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", device.name, device.reason);
  }
  return Error{ErrorCode::NoDevice, "No usable GPU was found (" + reasons + "); use --renderer cpu.", {}};
}

}  // namespace

bool may_have_gpu() {
  for (const char* name : {"VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS",
                           "VK_LOADER_LAYERS_ENABLE", "GLYPHREEL_VALIDATION"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return has_entry("/dev/dri", {"card", "renderD"}) ||
         has_entry("/dev", {"nvidia", "dxg", "kgsl", "mali", "pvr"});
}

const char* kind_name(DeviceKind kind) {
  return spec_of(kind).name;
}

std::string reason_against(const DeviceFacts& facts) {
  if (facts.api_version < MinApiVersion) {
    return fmt::format("its driver supports Vulkan {}.{}, but 1.3 is required",
                       (facts.api_version >> 22) & 0x7F, (facts.api_version >> 12) & 0x3FF);
  }
  if (!facts.timeline_semaphore) return "it lacks timeline semaphores";
  if (!facts.synchronization2) return "it lacks synchronization2";
  if (!facts.dynamic_rendering) return "it lacks dynamic rendering";
  if (!facts.maintenance4) return "it lacks maintenance4";
  if (!facts.graphics_and_compute) return "it has no queue for both graphics and compute";
  if (!facts.swapchain) return "it cannot present to windows";
  if (!facts.presents) return "it cannot present to this window";
  for (const LimitSpec& limit : Limits) {
    if (facts.*limit.available < limit.needed)
      return fmt::format("its {} {}, but {} are required", limit.subject, facts.*limit.available,
                         limit.needed);
  }
  return {};
}

int score_of(const DeviceFacts& facts) {
  return reason_against(facts).empty() ? spec_of(facts.kind).score : 0;
}

Result<std::size_t> find_device(const std::vector<DeviceListing>& devices, const std::string& selector) {
  std::size_t index = 0;
  const char* end = selector.data() + selector.size();
  const auto parsed = std::from_chars(selector.data(), end, index);
  const bool is_number = parsed.ec == std::errc{} && parsed.ptr == end;
  std::string names;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const bool matches =
        is_number ? i == index : lower(devices[i].name).find(lower(selector)) != std::string::npos;
    if (matches) return i;
    names += fmt::format("{}{}: {}", names.empty() ? "" : ", ", devices[i].index, devices[i].name);
  }
  return Error{
      ErrorCode::NoDevice,
      devices.empty()
          ? fmt::format(
                "There is no GPU for --device {} because no Vulkan driver was found; omit --device, or "
                "install your GPU's driver.",
                selector)
          : fmt::format("No GPU matches --device {}; choose one of: {}.", selector, names),
      {}};
}

Result<std::size_t> choose_device(const std::vector<DeviceListing>& devices, const std::string& selector,
                                  DevicePreference preference) {
  if (devices.empty()) return Error{ErrorCode::NoDevice, NoDriver, {}};
  if (selector.empty()) return choose_best(devices, preference);
  TRY_ASSIGN(const std::size_t found, find_device(devices, selector));
  if (devices[found].score <= 0) return unusable(devices[found]);
  return found;
}

}  // namespace glyphreel::gpu
