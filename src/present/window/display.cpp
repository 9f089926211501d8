#include "present/window/display.h"

#include <utility>

#include <fmt/format.h>

#include "gpu/gpu_renderer.h"
#include "interop/frame_importer.h"

namespace glyphreel::present {
namespace {

/// Presents pictures that a renderer draws into memory.
class PictureDisplay final : public Display {
 public:
  PictureDisplay(std::shared_ptr<WindowImages> images, std::shared_ptr<render::Renderer> renderer)
      : images_(std::move(images)), renderer_(std::move(renderer)) {}

  Result<void> configure(render::RenderSetup setup) override {
    setup.picture = PictureFormat::Bgra8;
    setup.picture_memory = images_->picture_memory();
    return renderer_->configure(setup);
  }
  Result<bool> show(const Frame* frame, const render::FrameOptions& options) override {
    if (frame != nullptr) {
      TRY_ASSIGN(last_, renderer_->render(*frame, options));
    } else if (options != last_options_) {
      TRY_ASSIGN(last_, renderer_->redraw(options));
    }
    last_options_ = options;
    if (last_.picture.format == PictureFormat::None) return false;
    return images_->show(last_.picture);
  }
  render::Renderer& renderer() const override { return *renderer_; }

 private:
  const std::shared_ptr<WindowImages> images_;
  const std::shared_ptr<render::Renderer> renderer_;
  render::RenderedFrame last_;
  render::FrameOptions last_options_;  ///< options that `last_` was drawn with
};

class GpuDisplay final : public Display {
 public:
  GpuDisplay(std::shared_ptr<SwapchainImages> images, std::unique_ptr<gpu::GpuRenderer> renderer)
      : images_(std::move(images)), renderer_(std::move(renderer)) {}

  Result<void> configure(render::RenderSetup setup) override {
    setup.picture = PictureFormat::None;
    setup.want_cells = false;
    return renderer_->configure(setup);
  }
  Result<bool> show(const Frame* frame, const render::FrameOptions& options) override {
    return images_->present(
        [&](gpu::Swapchain& swapchain) { return renderer_->present(frame, options, swapchain); });
  }
  render::Renderer& renderer() const override { return *renderer_; }

 private:
  const std::shared_ptr<SwapchainImages> images_;
  const std::unique_ptr<gpu::GpuRenderer> renderer_;
};

}  // namespace

Result<std::shared_ptr<SwapchainImages>> SwapchainImages::make(Window& window, StageTimes& times,
                                                               std::shared_ptr<gpu::Device> device,
                                                               PresentMode mode) {
  std::shared_ptr<SwapchainImages> images(new SwapchainImages(window, times, std::move(device)));
  TRY_ASSIGN(images->swapchain_,
             gpu::Swapchain::make(images->device_, images->device_->take_surface(),
                                  {.mode = mode, .size = window.framebuffer_size(), .wake = Window::wake}));
  TRY_ASSIGN(images->presenter_, gpu::PicturePresenter::make(images->device_));
  times.set_engine(Stage::Present, fmt::format("Vulkan swapchain, {}", images->device_->name()));
  return images;
}

Result<std::unique_ptr<Display>> make_gpu_display(std::shared_ptr<SwapchainImages> images,
                                                  StageTimes& times) {
  TRY_ASSIGN(std::unique_ptr<gpu::GpuRenderer> renderer,
             interop::make_gpu_renderer(images->device(), times, gpu::FramesInFlight));
  return std::unique_ptr<Display>(std::make_unique<GpuDisplay>(std::move(images), std::move(renderer)));
}

std::unique_ptr<Display> make_picture_display(std::shared_ptr<WindowImages> images,
                                              std::shared_ptr<render::Renderer> renderer) {
  return std::make_unique<PictureDisplay>(std::move(images), std::move(renderer));
}

}  // namespace glyphreel::present
