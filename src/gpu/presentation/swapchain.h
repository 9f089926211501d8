#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "base/picture_choices.h"
#include "base/result.h"
#include "base/threads/call_thread.h"
#include "gpu/device/device.h"
#include "gpu/presentation/present_feedback.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/image.h"

namespace glyphreel::gpu {

/// The outcome of a present. None of these is an error.
enum class PresentOutcome {
  Presented,
  OutOfDate,  ///< nothing was shown: call Swapchain::resize() with the window's size and present again
  Minimized,  ///< nothing was shown: the window has no pixels; wait for its next size
  Covered,    ///< nothing was shown: the screen has taken no image for a while, as when the window is covered
};

struct SwapchainOptions {
  PresentMode mode = PresentMode::Fifo;  ///< must not be PresentMode::Auto
  Extent size;  ///< framebuffer size of the window in pixels; used if the surface does not fix a size
  /// Called on an internal thread when is_out_of_date() may have become true. The function should do nothing
  /// but wake the thread that uses the swapchain. May be empty.
  std::function<void()> wake;
};

/// Chooses the swapchain's format among a surface's formats with the color space
/// VK_COLOR_SPACE_SRGB_NONLINEAR_KHR. Returns VK_FORMAT_UNDEFINED if none is usable.
[[nodiscard]] VkFormat choose_surface_format(std::span<const VkSurfaceFormatKHR> formats);

/// Chooses how the compositor uses the images' alpha, which is 1 in every pixel. Prefers the modes that show
/// such pixels as opaque; INHERIT leaves this to the window system.
[[nodiscard]] VkCompositeAlphaFlagBitsKHR choose_composite_alpha(VkCompositeAlphaFlagsKHR supported);

/// The swapchain of a window. Owns the window's surface, so destroy the Swapchain before the window.
///
/// The caller's loop: on a size event call resize(); draw with GpuRenderer::present() or
/// PicturePresenter::present(); on OutOfDate call resize() and present again; on Minimized wait for events;
/// on Covered try again later. While there is nothing new to draw, check is_out_of_date(); if it returns
/// true, call resize() and present again. Each resize() recreates the images at most once.
/// Thread-safety: one thread at a time.
class Swapchain {
 public:
  /// `surface` comes from Device::take_surface(). make() takes ownership of it, even if make() fails. Errors:
  /// NoDevice if the surface has no usable format, or if its images do not support drawing and copying.
  [[nodiscard]] static Result<std::unique_ptr<Swapchain>> make(std::shared_ptr<Device> device,
                                                               VkSurfaceKHR surface,
                                                               const SwapchainOptions& options);
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  /// Recreates the images for a window of this size; 0 x 0 means minimized. Waits until the GPU is done with
  /// the old images. If the window seems to be covered, does nothing; once the window is no longer covered,
  /// acquire() returns OutOfDate.
  [[nodiscard]] Result<void> resize(Extent size);

  /// Whether presenting the last picture failed, for example because the window was resized. If true, call
  /// resize() and present the picture again. If an error is the cause, such as a lost GPU, resize() fails.
  [[nodiscard]] bool is_out_of_date() const;
  /// Waits for the last picture to be presented, for at most 200 ms. On software drivers, waits for at most
  /// 10 s for the first picture, and for at most 1 s for each later picture. Returns whether the driver still
  /// blocks, as when the window is covered. While it blocks, submitting work to the device would block, too.
  [[nodiscard]] bool is_blocked() const;
  /// Waits for the last picture to be presented, for at most 1 s (software drivers: 10 s). Returns false if
  /// the driver still blocks in a call that uses the window. In that case, leak the swapchain, and do not
  /// destroy the window.
  [[nodiscard]] bool can_be_destroyed() const;

  /// Returns the seconds from presenting a picture until the screen shows it, not counting the wait for the
  /// screen's next refresh; empty if unknown.
  [[nodiscard]] std::optional<double> latency() const {
    return feedback_ ? feedback_->latency() : std::nullopt;
  }

  [[nodiscard]] Extent size() const { return size_; }
  [[nodiscard]] VkFormat format() const { return format_; }

  // Used by the drawing code of this library.

  /// An acquired image to draw into.
  struct Acquired {
    PresentOutcome outcome = PresentOutcome::OutOfDate;  ///< the other members are set only if Presented
    std::uint32_t index = 0;
    Image* image = nullptr;
    VkSemaphore available = VK_NULL_HANDLE;  ///< the drawing submission waits for this semaphore
    VkSemaphore finished = VK_NULL_HANDLE;   ///< the drawing submission signals this semaphore
  };
  /// Acquires the next image. May wait for the screen, for at most 300 ms; software drivers take longer.
  /// Errors: Failed if the surface or the GPU is lost.
  [[nodiscard]] Result<Acquired> acquire();
  /// Submits the recording that draws into an acquired image, and starts to present the image once it is
  /// drawn. Does not block; acquire() returns the error if presenting fails.
  [[nodiscard]] Result<PresentOutcome> present(FrameCommands& frame_commands, const Acquired& acquired);

 private:
  /// A swapchain with its images and their semaphores.
  struct Images {
    VkSwapchainKHR swapchain = VK_NULL_HANDLE;
    std::vector<Image> images;
    /// One semaphore per image; presenting the image waits for this semaphore. Vulkan does not report the end
    /// of this wait. But the wait is over once the image is acquired again, and the semaphore can be reused.
    std::vector<VkSemaphore> finished;
  };
  struct Acquisition {
    VkSemaphore semaphore = VK_NULL_HANDLE;
    std::uint64_t timeline_value = 0;  ///< reached once the submission that waits for the semaphore is done
  };

  Swapchain(std::shared_ptr<Device> device, VkSurfaceKHR surface, PresentMode mode)
      : device_(std::move(device)), surface_(surface), mode_(mode) {}
  [[nodiscard]] Result<void> choose_format();
  [[nodiscard]] Result<void> create_images(const VkSurfaceCapabilitiesKHR& capabilities);
  void free_images(Images& images);
  /// Waits for the last present, with the time limit of is_blocked(), and handles its result. Returns false
  /// if the present is not complete by then.
  [[nodiscard]] Result<bool> complete_last_present();
  /// Requests new images if `result` reports a suboptimal swapchain, but only once per size, since the new
  /// images may be suboptimal too (on Xwayland or with PRIME).
  void note_optimality(VkResult result);

  const std::shared_ptr<Device> device_;
  const VkSurfaceKHR surface_;
  const PresentMode mode_;  ///< the requested mode; Fifo is used if the surface lacks it
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  Extent size_;
  bool out_of_date_ = false;
  bool has_presented_ = false;  ///< whether any present has completed; the first may be slow (PresentLimits)
  Extent suboptimal_size_;      ///< the last size for which images were replaced because they were suboptimal
  Images current_;
  std::vector<Acquisition> acquisitions_;
  std::size_t next_acquisition_ = 0;
  /// Calls vkQueuePresentKHR, which may block: on software drivers until the picture is drawn, on some GPU
  /// drivers until the screen takes it, and on Wayland, with Fifo, for as long as the window is covered.
  std::unique_ptr<CallThread<VkResult>> presents_;
  std::unique_ptr<PresentFeedback> feedback_;  ///< null if presents cannot be measured
};

}  // namespace glyphreel::gpu
