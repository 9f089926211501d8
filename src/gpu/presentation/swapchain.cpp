#include "gpu/presentation/swapchain.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "base/io/log.h"

namespace glyphreel::gpu {
namespace {

using namespace std::chrono_literals;

constexpr VkImageUsageFlags NeededUsage =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

/// How long to wait for the screen: six refreshes at 60 Hz, two at 24 Hz.
constexpr std::uint64_t AcquireTimeoutNs = 100'000'000;

/// The swapchain formats to choose from, best first, and their names. UNORM formats only: the shaders write
/// pixels that are already gamma-encoded, and an sRGB format would encode them a second time.
/// X11 screens with 30 bits per pixel offer only the 10-bit formats.
constexpr std::array<std::pair<VkFormat, const char*>, 5> SurfaceFormats = {
    {{VK_FORMAT_B8G8R8A8_UNORM, "B8G8R8A8_UNORM"},
     {VK_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8_UNORM"},
     {VK_FORMAT_A8B8G8R8_UNORM_PACK32, "A8B8G8R8_UNORM_PACK32"},
     {VK_FORMAT_A2R10G10B10_UNORM_PACK32, "A2R10G10B10_UNORM_PACK32"},
     {VK_FORMAT_A2B10G10R10_UNORM_PACK32, "A2B10G10R10_UNORM_PACK32"}}};

/// Time limits for vkQueuePresentKHR(). If the first call takes longer than `first`, or a later call longer
/// than `later`, the window counts as covered. If a call has not returned within `blocked` when the window is
/// closed, the driver counts as blocked. Software drivers need more time: they draw inside this call, compile
/// the shaders inside the first call, and share the CPU with other programs.
struct PresentLimits {
  std::chrono::milliseconds first, later, blocked;
};
constexpr PresentLimits GpuLimits{.first = 200ms, .later = 200ms, .blocked = 1s};
constexpr PresentLimits SoftwareLimits{.first = 10s, .later = 1s, .blocked = 10s};

const PresentLimits& limits_of(const Device& device) {
  return device.is_software() ? SoftwareLimits : GpuLimits;
}

/// Returns the wanted mode, or Fifo if the surface does not support it.
VkPresentModeKHR choose_mode(VkPhysicalDevice device, VkSurfaceKHR surface, PresentMode wanted) {
  const auto modes = list_all<VkPresentModeKHR>(vkGetPhysicalDeviceSurfacePresentModesKHR, device, surface);
  const VkPresentModeKHR mode = wanted == PresentMode::Mailbox     ? VK_PRESENT_MODE_MAILBOX_KHR
                                : wanted == PresentMode::Immediate ? VK_PRESENT_MODE_IMMEDIATE_KHR
                                                                   : VK_PRESENT_MODE_FIFO_KHR;
  return std::ranges::find(modes, mode) != modes.end() ? mode : VK_PRESENT_MODE_FIFO_KHR;
}

/// Returns the surface's size. If the surface does not fix a size, returns the window's size, clamped to the
/// surface's bounds.
VkExtent2D choose_extent(const VkSurfaceCapabilitiesKHR& capabilities, Extent wanted) {
  if (capabilities.currentExtent.width != UINT32_MAX) return capabilities.currentExtent;
  if (wanted.width <= 0 || wanted.height <= 0) return {0, 0};
  return {std::clamp(static_cast<std::uint32_t>(wanted.width), capabilities.minImageExtent.width,
                     capabilities.maxImageExtent.width),
          std::clamp(static_cast<std::uint32_t>(wanted.height), capabilities.minImageExtent.height,
                     capabilities.maxImageExtent.height)};
}

Result<VkSemaphore> make_semaphore(Device& device) {
  const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  VK_TRY(device, vkCreateSemaphore(device.handle(), &create, nullptr, &semaphore));
  return semaphore;
}

}  // namespace

VkFormat choose_surface_format(std::span<const VkSurfaceFormatKHR> formats) {
  for (const auto& each : SurfaceFormats) {
    const VkFormat wanted = each.first;
    const auto is_wanted = [wanted](const VkSurfaceFormatKHR& format) {
      return format.format == wanted && format.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
    };
    if (std::ranges::any_of(formats, is_wanted)) return wanted;
  }
  return VK_FORMAT_UNDEFINED;
}

VkCompositeAlphaFlagBitsKHR choose_composite_alpha(VkCompositeAlphaFlagsKHR supported) {
  for (const VkCompositeAlphaFlagBitsKHR alpha :
       {VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR, VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR,
        VK_COMPOSITE_ALPHA_POST_MULTIPLIED_BIT_KHR}) {
    if ((supported & alpha) != 0) return alpha;
  }
  return VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
}

Result<std::unique_ptr<Swapchain>> Swapchain::make(std::shared_ptr<Device> device, VkSurfaceKHR surface,
                                                   const SwapchainOptions& options) {
  CHECK(surface != VK_NULL_HANDLE, "a swapchain has no surface");
  std::unique_ptr<Swapchain> made(new Swapchain(std::move(device), surface, options.mode));
  const auto wake_if_not_shown = [wake = options.wake](VkResult result) {
    if (result != VK_SUCCESS && wake) wake();
  };
  TRY_ASSIGN(made->presents_, CallThread<VkResult>::start("present", wake_if_not_shown));
  made->feedback_ = PresentFeedback::make(*made->device_);
  TRY(made->choose_format());
  TRY(made->resize(options.size));
  return made;
}

Swapchain::~Swapchain() {
  presents_.reset();
  feedback_.reset();
  // Also waits for presents, which the timeline does not cover and which may still use semaphores.
  device_->wait_idle();
  free_images(current_);
  for (const Acquisition& acquisition : acquisitions_) {
    vkDestroySemaphore(device_->handle(), acquisition.semaphore, nullptr);
  }
  vkDestroySurfaceKHR(device_->instance(), surface_, nullptr);
}

Result<void> Swapchain::choose_format() {
  std::uint32_t count = 0;
  VK_TRY(*device_, vkGetPhysicalDeviceSurfaceFormatsKHR(device_->physical(), surface_, &count, nullptr));
  std::vector<VkSurfaceFormatKHR> formats(count);
  VK_TRY(*device_,
         vkGetPhysicalDeviceSurfaceFormatsKHR(device_->physical(), surface_, &count, formats.data()));
  format_ = choose_surface_format(formats);
  if (format_ != VK_FORMAT_UNDEFINED) return {};
  return Error{ErrorCode::NoDevice,
               "The window supports no 8-bit or 10-bit RGB format; try a different --device.",
               {}};
}

Result<void> Swapchain::resize(Extent size) {
  TRY_ASSIGN(const bool is_complete, complete_last_present());
  if (!is_complete) {
    out_of_date_ = true;
    return {};
  }
  VkSurfaceCapabilitiesKHR capabilities{};
  VK_TRY(*device_, vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_->physical(), surface_, &capabilities));
  if ((capabilities.supportedUsageFlags & NeededUsage) != NeededUsage) {
    return Error{ErrorCode::NoDevice,
                 "The window's images do not support drawing and copying; try a different --device.",
                 {}};
  }
  const VkExtent2D extent = choose_extent(capabilities, size);
  size_ = {static_cast<int>(extent.width), static_cast<int>(extent.height)};
  out_of_date_ = false;
  if (size_.width == 0 || size_.height == 0) {
    size_ = {};
    return {};  // minimized: keep the images until the window has a size again
  }
  return create_images(capabilities);
}

Result<void> Swapchain::create_images(const VkSurfaceCapabilitiesKHR& capabilities) {
  VkSwapchainCreateInfoKHR create{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
  create.surface = surface_;
  create.minImageCount = capabilities.minImageCount + 1;  // one more, to draw while the screen uses the rest
  if (capabilities.maxImageCount > 0)
    create.minImageCount = std::min(create.minImageCount, capabilities.maxImageCount);
  create.imageFormat = format_;
  create.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  create.imageExtent = {static_cast<std::uint32_t>(size_.width), static_cast<std::uint32_t>(size_.height)};
  create.imageArrayLayers = 1;
  create.imageUsage = NeededUsage;
  create.preTransform = capabilities.currentTransform;
  create.compositeAlpha = choose_composite_alpha(capabilities.supportedCompositeAlpha);
  create.presentMode = choose_mode(device_->physical(), surface_, mode_);
  create.clipped = VK_TRUE;
  create.oldSwapchain = current_.swapchain;

  Images made;
  const VkResult result = vkCreateSwapchainKHR(device_->handle(), &create, nullptr, &made.swapchain);
  // vkCreateSwapchainKHR retires the old swapchain even if it fails.
  if (feedback_) feedback_->stop();
  device_->wait_idle();  // presents of the old images may still wait for their semaphores
  free_images(current_);
  if (result < 0) {
    size_ = {};
    return device_->fail(result, "vkCreateSwapchainKHR");
  }
  current_.swapchain = made.swapchain;
  std::uint32_t count = 0;
  VK_TRY(*device_, vkGetSwapchainImagesKHR(device_->handle(), current_.swapchain, &count, nullptr));
  std::vector<VkImage> handles(count);
  VK_TRY(*device_, vkGetSwapchainImagesKHR(device_->handle(), current_.swapchain, &count, handles.data()));
  for (const VkImage handle : handles) {
    TRY_ASSIGN(Image image, wrap_image(*device_, handle, size_, format_, "window"));
    current_.images.push_back(std::move(image));
    TRY_ASSIGN(const VkSemaphore finished, make_semaphore(*device_));
    current_.finished.push_back(finished);
  }
  while (acquisitions_.size() < handles.size() + 1) {
    TRY_ASSIGN(const VkSemaphore semaphore, make_semaphore(*device_));
    acquisitions_.push_back({.semaphore = semaphore});
  }
  const auto* const format =
      std::ranges::find(SurfaceFormats, format_, &decltype(SurfaceFormats)::value_type::first);
  log::debug("window: {}x{}, {} images of {}", size_.width, size_.height, count, format->second);
  return {};
}

void Swapchain::free_images(Images& images) {
  images.images.clear();
  for (const VkSemaphore semaphore : images.finished)
    vkDestroySemaphore(device_->handle(), semaphore, nullptr);
  if (images.swapchain != VK_NULL_HANDLE) vkDestroySwapchainKHR(device_->handle(), images.swapchain, nullptr);
  images = {};
}

void Swapchain::note_optimality(VkResult result) {
  if (result != VK_SUBOPTIMAL_KHR || suboptimal_size_ == size_) return;
  out_of_date_ = true;
  suboptimal_size_ = size_;
}

Result<bool> Swapchain::complete_last_present() {
  if (is_blocked()) return false;
  const std::optional<VkResult> last = presents_->take_result();
  has_presented_ = has_presented_ || last.has_value();
  const VkResult result = last.value_or(VK_SUCCESS);
  if (result == VK_ERROR_OUT_OF_DATE_KHR) {
    out_of_date_ = true;
    return true;
  }
  if (result < 0) return device_->fail(result, "vkQueuePresentKHR");
  note_optimality(result);
  return true;
}

bool Swapchain::is_out_of_date() const {
  return presents_->result().value_or(VK_SUCCESS) < 0;
}

bool Swapchain::is_blocked() const {
  const PresentLimits& limits = limits_of(*device_);
  return !presents_->wait(has_presented_ ? limits.later : limits.first);
}

bool Swapchain::can_be_destroyed() const {
  return presents_->wait(limits_of(*device_).blocked);
}

Result<Swapchain::Acquired> Swapchain::acquire() {
  if (size_.width == 0) return Acquired{.outcome = PresentOutcome::Minimized};
  TRY_ASSIGN(const bool is_complete, complete_last_present());
  if (!is_complete) return Acquired{.outcome = PresentOutcome::Covered};
  if (out_of_date_) return Acquired{.outcome = PresentOutcome::OutOfDate};
  Acquisition& acquisition = acquisitions_[next_acquisition_];
  // Rarely blocks: there are more acquisitions than images, so the GPU usually reached this value long ago.
  TRY(device_->wait(acquisition.timeline_value));
  Acquired acquired;
  const VkResult result = vkAcquireNextImageKHR(device_->handle(), current_.swapchain, AcquireTimeoutNs,
                                                acquisition.semaphore, VK_NULL_HANDLE, &acquired.index);
  if (result == VK_ERROR_OUT_OF_DATE_KHR) {
    out_of_date_ = true;
    return Acquired{.outcome = PresentOutcome::OutOfDate};
  }
  if (result == VK_TIMEOUT || result == VK_NOT_READY) return Acquired{.outcome = PresentOutcome::Covered};
  if (result < 0) return device_->fail(result, "vkAcquireNextImageKHR");
  note_optimality(result);  // a suboptimal image is still presented before the images are recreated
  acquired.outcome = PresentOutcome::Presented;
  acquired.image = &current_.images[acquired.index];
  acquired.image->state.reset(
      VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT);  // the stage that waits for `available`
  acquired.available = acquisition.semaphore;
  acquired.finished = current_.finished[acquired.index];
  return acquired;
}

Result<PresentOutcome> Swapchain::present(FrameCommands& frame_commands, const Acquired& acquired) {
  frame_commands.commands().use(*acquired.image, {}, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  TRY_ASSIGN(acquisitions_[next_acquisition_].timeline_value,
             frame_commands.submit({.wait = acquired.available, .signal = acquired.finished}));
  next_acquisition_ = (next_acquisition_ + 1) % acquisitions_.size();
  presents_->begin([&device = *device_, swapchain = current_.swapchain, index = acquired.index,
                    finished = acquired.finished, id = feedback_ ? feedback_->next_id() : nullptr] {
    VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    present.pNext = id;
    present.waitSemaphoreCount = 1;
    present.pWaitSemaphores = &finished;
    present.swapchainCount = 1;
    present.pSwapchains = &swapchain;
    present.pImageIndices = &index;
    return device.present(present);
  });
  if (feedback_) feedback_->watch(current_.swapchain);
  return PresentOutcome::Presented;
}

}  // namespace glyphreel::gpu
