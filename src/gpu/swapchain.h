#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "gpu/device.h"
#include "gpu/image.h"

namespace glyphreel::gpu {

/// How presents meet the screen's refresh. What the surface lacks falls back to Fifo, which always exists.
enum class PresentMode { Fifo, Mailbox, Immediate };

/// What became of a present: all of these are normal.
enum class PresentOutcome {
  Presented,
  OutOfDate,  ///< nothing shown: call Swapchain::resize() with the window's size and present again
  Minimised,  ///< nothing shown: the window has no pixels; wait for its next size
};

struct SwapchainOptions {
  PresentMode mode = PresentMode::Fifo;
  Extent size;  ///< the window's framebuffer, pixels; used where the surface leaves the size open
};

/// The images of a window. Owns its surface: destroy it before the window.
///
/// The caller's loop: on a size event resize(); GpuRenderer::present() or PicturePresenter::present(); on
/// OutOfDate resize() and present again; on Minimised wait for events. At most one recreation per resize()
/// call, no waiting. Thread-safety: one thread at a time.
class Swapchain {
 public:
  /// Takes the surface over, also where it fails. `surface` comes from Device::take_surface().
  /// Errors: NoDevice where the surface offers no 8-bit BGRA or RGBA format.
  [[nodiscard]] static Result<std::unique_ptr<Swapchain>> make(std::shared_ptr<Device> device,
                                                               VkSurfaceKHR surface,
                                                               const SwapchainOptions& options);
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  /// New images for a window of this size; 0 x 0 minimises. The old ones are retired, not waited for.
  [[nodiscard]] Result<void> resize(Extent size);
  /// Takes effect by recreating the images.
  [[nodiscard]] Result<void> set_mode(PresentMode mode);

  [[nodiscard]] Extent size() const { return size_; }
  [[nodiscard]] PresentMode mode() const { return mode_; }  ///< in effect
  [[nodiscard]] VkFormat format() const { return format_; }

  // What the drawing side of this room needs.

  /// An image to draw into.
  struct Acquired {
    PresentOutcome outcome = PresentOutcome::OutOfDate;  ///< Presented: the rest is set
    std::uint32_t index = 0;
    Image* image = nullptr;
    VkSemaphore available = VK_NULL_HANDLE;  ///< the drawing submission waits for it
    VkSemaphore finished = VK_NULL_HANDLE;   ///< and signals this
  };
  /// May wait for the screen (Fifo). Errors: Failed where the surface or the GPU is lost.
  [[nodiscard]] Result<Acquired> acquire();
  /// Shows an acquired image once `finished` is signalled by the submission that reaches `timeline_value`.
  [[nodiscard]] Result<PresentOutcome> present(const Acquired& acquired, std::uint64_t timeline_value);

 private:
  /// A swapchain and what belongs to its images.
  struct Images {
    VkSwapchainKHR swapchain = VK_NULL_HANDLE;
    std::vector<Image> images;
    std::vector<VkSemaphore>
        finished;  ///< one per image: a present waits for it at a time of its own choosing
    int presents_until_freed = 0;
  };
  struct Acquisition {
    VkSemaphore semaphore = VK_NULL_HANDLE;
    std::uint64_t timeline_value = 0;  ///< of the submission that waited for it
  };

  Swapchain(std::shared_ptr<Device> device, VkSurfaceKHR surface)
      : device_(std::move(device)), surface_(surface) {}
  [[nodiscard]] Result<void> choose_format();
  [[nodiscard]] Result<void> recreate();
  [[nodiscard]] Result<void> create_images(const VkSurfaceCapabilitiesKHR& capabilities);
  void free_images(Images& images);
  void age_old_images();

  const std::shared_ptr<Device> device_;
  const VkSurfaceKHR surface_;
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  VkColorSpaceKHR color_space_ = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  PresentMode wanted_mode_ = PresentMode::Fifo;
  PresentMode mode_ = PresentMode::Fifo;
  Extent wanted_size_;
  Extent size_;
  bool out_of_date_ = false;
  Images current_;
  std::vector<Images> old_;
  std::vector<Acquisition> acquisitions_;
  std::size_t next_acquisition_ = 0;
};

}  // namespace glyphreel::gpu
