#pragma once

#include <memory>
#include <utility>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "gpu/device/device.h"
#include "gpu/presentation/swapchain.h"
#include "present/window/window.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// The images of a window, shared by all displays that take turns showing something in it.
/// Thread-safety: main thread only.
class WindowImages {
 public:
  /// `device` was made with the window's surface. Presenting counts as Stage::Present in `times`. The window
  /// and `times` must outlive the images. Errors: NoDevice if the surface has no usable format; Failed.
  [[nodiscard]] static Result<std::shared_ptr<WindowImages>> make(Window& window, StageTimes& times,
                                                                  std::shared_ptr<gpu::Device> device,
                                                                  PresentMode mode);

  /// Adapts to a new size of the window's framebuffer.
  [[nodiscard]] Result<void> resize(Extent pixels) { return swapchain_->resize(pixels); }

  /// Calls `present` (with the swapchain, for a Result<PresentOutcome>) until it has presented or the
  /// window has no pixels. Returns whether it has presented.
  template <typename Present>
  [[nodiscard]] Result<bool> show(const Present& present) {
    constexpr int MaxAttempts = 4;  // a window being dragged may outrun any number of resizes
    for (int attempt = 0; attempt < MaxAttempts; ++attempt) {
      const ScopedStage stage(times_, Stage::Present);
      TRY_ASSIGN(const gpu::PresentOutcome outcome, present(*swapchain_));
      if (outcome == gpu::PresentOutcome::Presented) return true;
      if (outcome == gpu::PresentOutcome::Minimised) return false;
      TRY(swapchain_->resize(window_.framebuffer_size()));
    }
    return false;
  }

  [[nodiscard]] const std::shared_ptr<gpu::Device>& device() const { return device_; }

 private:
  WindowImages(Window& window, StageTimes& times, std::shared_ptr<gpu::Device> device)
      : window_(window), times_(times), device_(std::move(device)) {}

  Window& window_;
  StageTimes& times_;
  const std::shared_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::Swapchain> swapchain_;
};

/// Shows frames as text in a window: a renderer and its path to the window's images.
/// Thread-safety: main thread only, except for the renderer's warm_up().
class Display {
 public:
  virtual ~Display() = default;
  /// Sets a new grid, glyphs or mapping. The display itself sets the setup's picture format and memory.
  [[nodiscard]] virtual Result<void> configure(render::RenderSetup setup) = 0;
  /// Maps and shows a frame. Null: shows the last one again, with these options but without mapping it;
  /// before the first one shows black, or nothing if there is no text either. Returns false if nothing can be
  /// seen: the window has no pixels.
  [[nodiscard]] virtual Result<bool> show(const Frame* frame, const render::FrameOptions& options) = 0;
  [[nodiscard]] virtual render::Renderer& renderer() const = 0;
};

/// Maps and draws on the images' device, directly into them. The renderer's stages go to `times`.
[[nodiscard]] Result<std::unique_ptr<Display>> make_gpu_display(std::shared_ptr<WindowImages> images,
                                                                StageTimes& times);
/// Has `renderer` draw pictures into memory, which the images' device copies into them.
[[nodiscard]] Result<std::unique_ptr<Display>> make_picture_display(
    std::shared_ptr<WindowImages> images, std::shared_ptr<render::Renderer> renderer);

}  // namespace glyphreel::present
