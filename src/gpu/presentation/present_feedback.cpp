#include "gpu/presentation/present_feedback.h"

#include <algorithm>

#include "gpu/device/loader.h"

namespace glyphreel::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// How long to wait until the screen shows a picture. If this takes longer, another picture has replaced the
/// picture, or the window is covered.
constexpr auto Timeout = 100ms;
constexpr std::size_t MaxLatest = 32;  ///< number of measurements that latency() considers

}  // namespace

std::unique_ptr<PresentFeedback> PresentFeedback::make(const Device& device) {
  if (!device.has(VK_KHR_PRESENT_WAIT_EXTENSION_NAME)) return nullptr;
  const auto wait = device_function<PFN_vkWaitForPresentKHR>(device.handle(), "vkWaitForPresentKHR");
  if (wait == nullptr) return nullptr;
  std::unique_ptr<PresentFeedback> made(new PresentFeedback(device.handle(), wait));
  auto thread = CallThread<std::optional<double>>::start("feedback", {});
  if (!thread) return nullptr;
  made->waits_ = *std::move(thread);
  return made;
}

const VkPresentIdKHR* PresentFeedback::next_id() {
  ++id_;
  chained_.swapchainCount = 1;
  chained_.pPresentIds = &id_;
  return &chained_;
}

void PresentFeedback::watch(VkSwapchainKHR swapchain) {
  if (!waits_->wait(0ms)) return;
  collect();
  waits_->begin([wait = wait_, device = device_, swapchain, id = id_, begun = Clock::now()] {
    const auto timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(Timeout).count();
    const VkResult result = wait(device, swapchain, id, static_cast<std::uint64_t>(timeout));
    const std::chrono::duration<double> passed = Clock::now() - begun;
    return result == VK_SUCCESS ? std::optional(passed.count()) : std::nullopt;
  });
}

void PresentFeedback::stop() {
  static_cast<void>(waits_->wait(2 * Timeout));
  collect();
}

void PresentFeedback::collect() {
  const auto measured = waits_->take_result();
  if (!measured || !*measured) return;
  latest_.push_back(**measured);
  if (latest_.size() > MaxLatest) latest_.pop_front();
}

std::optional<double> PresentFeedback::latency() {
  collect();
  if (latest_.empty()) return std::nullopt;
  return *std::ranges::min_element(latest_);
}

}  // namespace glyphreel::gpu
