#pragma once

#include <memory>
#include <utility>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "gpu/device/device.h"
#include "gpu/presentation/picture_presenter.h"
#include "gpu/presentation/swapchain.h"
#include "present/window/window.h"
#include "present/window/window_images.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Shows pictures in a window through a Vulkan swapchain.
/// Thread-safety: main thread only.
class SwapchainImages final : public WindowImages {
 public:
  /// Creates the swapchain. `device` must own the window's surface. Adds presentation times to Stage::Present
  /// of `times`. `window` and `times` must outlive the images. Errors: NoDevice if the surface has no usable
  /// format, or if its images do not support drawing and copying; Failed if a Vulkan call fails.
  [[nodiscard]] static Result<std::shared_ptr<SwapchainImages>> make(Window& window, StageTimes& times,
                                                                     std::shared_ptr<gpu::Device> device,
                                                                     PresentMode mode);

  [[nodiscard]] Result<void> resize(Extent pixels) override { return swapchain_->resize(pixels); }
  [[nodiscard]] HostMemory* picture_memory() override { return presenter_->picture_memory(); }
  [[nodiscard]] Result<bool> show(const Picture& picture) override {
    return present([&](gpu::Swapchain& swapchain) { return presenter_->present(picture, swapchain); });
  }
  [[nodiscard]] std::optional<double> latency() const override { return swapchain_->latency(); }
  [[nodiscard]] bool is_covered() const override { return is_covered_; }
  [[nodiscard]] bool can_show() override {
    is_covered_ = swapchain_->is_blocked();
    return !is_covered_;
  }
  [[nodiscard]] bool is_out_of_date() const override { return swapchain_->is_out_of_date(); }
  [[nodiscard]] bool can_be_destroyed() const override { return swapchain_->can_be_destroyed(); }

  /// Presents once by calling `draw(swapchain)`, which returns a Result<PresentOutcome>. If the swapchain is
  /// out of date, resizes it and tries again; makes at most four attempts. Returns whether a picture was
  /// presented: false if all attempts failed, or the window is minimized or covered.
  template <typename Draw>
  [[nodiscard]] Result<bool> present(const Draw& draw) {
    // While the user resizes the window, even a new swapchain may be out of date already.
    constexpr int MaxAttempts = 4;
    for (int attempt = 0; attempt < MaxAttempts; ++attempt) {
      const ScopedStage stage(times_, Stage::Present);
      TRY_ASSIGN(const gpu::PresentOutcome outcome, draw(*swapchain_));
      is_covered_ = outcome == gpu::PresentOutcome::Covered;
      if (outcome != gpu::PresentOutcome::OutOfDate) return outcome == gpu::PresentOutcome::Presented;
      TRY(swapchain_->resize(window_.framebuffer_size()));
    }
    return false;
  }

  [[nodiscard]] const std::shared_ptr<gpu::Device>& device() const { return device_; }

 private:
  SwapchainImages(Window& window, StageTimes& times, std::shared_ptr<gpu::Device> device)
      : window_(window), times_(times), device_(std::move(device)) {}

  Window& window_;
  StageTimes& times_;
  const std::shared_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::Swapchain> swapchain_;
  std::unique_ptr<gpu::PicturePresenter> presenter_;
  bool is_covered_ = false;
};

/// Renders frames as text and presents them in a window.
/// Thread-safety: main thread only, except for the renderer's warm_up().
class Display {
 public:
  virtual ~Display() = default;
  /// Sets a new grid, glyphs or mapping. Ignores the setup's picture format and memory: the display chooses
  /// them.
  [[nodiscard]] virtual Result<void> configure(render::RenderSetup setup) = 0;
  /// Maps and presents `frame`. If `frame` is null, redraws the last frame with `options`, without mapping it
  /// again. Before the first frame, draws the text of `options` on black. Returns false if nothing was
  /// presented, for example because the window is minimized.
  [[nodiscard]] virtual Result<bool> show(const Frame* frame, const render::FrameOptions& options) = 0;
  [[nodiscard]] virtual render::Renderer& renderer() const = 0;
};

/// Makes a display that maps and draws on the GPU, directly into the window's images. Adds the renderer's
/// stage times to `times`.
[[nodiscard]] Result<std::unique_ptr<Display>> make_gpu_display(std::shared_ptr<SwapchainImages> images,
                                                                StageTimes& times);
/// Makes a display for which `renderer` draws pictures into memory.
[[nodiscard]] std::unique_ptr<Display> make_picture_display(std::shared_ptr<WindowImages> images,
                                                            std::shared_ptr<render::Renderer> renderer);

}  // namespace glyphreel::present
