#include <utility>

#include <fmt/format.h>

#include "gpu/presentation/picture_presenter.h"
#include "gpu/presentation/swapchain.h"
#include "interop/frame_importer.h"
#include "present/window/display.h"

namespace glyphreel::present {
namespace {

/// The images of a window, shared by all displays that take turns showing something in it.
class WindowImages {
 public:
  WindowImages(const DisplayOptions& options, std::shared_ptr<gpu::Device> device,
               std::unique_ptr<gpu::Swapchain> swapchain)
      : device_(std::move(device)),
        swapchain_(std::move(swapchain)),
        window_(*options.window),
        times_(*options.times) {}

  Result<void> resize(Extent pixels) { return swapchain_->resize(pixels); }

  /// Calls `present` (with the swapchain, for a Result<PresentOutcome>) until it has presented or the
  /// window has no pixels.
  template <typename Present>
  Result<ShowOutcome> show(const Present& present) {
    constexpr int MaxAttempts = 4;  // a window being dragged may outrun any number of resizes
    for (int attempt = 0; attempt < MaxAttempts; ++attempt) {
      const ScopedStage stage(times_, Stage::Present);
      TRY_ASSIGN(const gpu::PresentOutcome outcome, present(*swapchain_));
      if (outcome == gpu::PresentOutcome::Presented) return ShowOutcome::Shown;
      if (outcome == gpu::PresentOutcome::Minimised) return ShowOutcome::NotVisible;
      TRY(swapchain_->resize(window_.framebuffer_size()));
    }
    return ShowOutcome::NotVisible;
  }

  const std::shared_ptr<gpu::Device>& device() const { return device_; }
  std::string description() const { return fmt::format("Vulkan swapchain, {}", device_->name()); }

 private:
  const std::shared_ptr<gpu::Device> device_;
  const std::unique_ptr<gpu::Swapchain> swapchain_;
  Window& window_;
  StageTimes& times_;
};

Result<std::shared_ptr<WindowImages>> make_images(const DisplayOptions& options,
                                                  const std::shared_ptr<gpu::Device>& device) {
  TRY_ASSIGN(std::unique_ptr<gpu::Swapchain> swapchain,
             gpu::Swapchain::make(device, device->take_surface(),
                                  {.mode = options.mode, .size = options.window->framebuffer_size()}));
  return std::make_shared<WindowImages>(options, device, std::move(swapchain));
}

/// Shows pictures that a renderer draws into memory.
class PictureDisplay final : public Display {
 public:
  PictureDisplay(std::shared_ptr<WindowImages> images, std::unique_ptr<gpu::PicturePresenter> presenter,
                 std::shared_ptr<render::Renderer> renderer)
      : images_(std::move(images)), presenter_(std::move(presenter)), renderer_(std::move(renderer)) {}

  static Result<std::unique_ptr<Display>> make(std::shared_ptr<WindowImages> images,
                                               std::shared_ptr<render::Renderer> renderer) {
    TRY_ASSIGN(std::unique_ptr<gpu::PicturePresenter> presenter,
               gpu::PicturePresenter::make(images->device()));
    return std::unique_ptr<Display>(
        std::make_unique<PictureDisplay>(std::move(images), std::move(presenter), std::move(renderer)));
  }

  Result<void> configure(render::RenderSetup setup) override {
    setup.picture = PictureFormat::Bgra8;
    setup.picture_memory = presenter_->picture_memory();
    TRY(renderer_->configure(setup));
    is_configured_ = true;
    return {};
  }
  void warm_up(const render::RenderSetup& setup) override { renderer_->warm_up(setup); }
  void warm_up_overlay() override { renderer_->warm_up_overlay(); }
  void adjust(const mapping::Adjustments& adjustments) override { renderer_->adjust(adjustments); }
  void set_effect(render::Effect effect) override {
    renderer_->set_effect(effect);
    is_outdated_ = true;
  }
  void set_overlay(std::shared_ptr<const render::Overlay> overlay) override {
    renderer_->set_overlay(std::move(overlay));
    is_outdated_ = true;
  }
  Result<void> resize(Extent pixels) override { return images_->resize(pixels); }
  Result<ShowOutcome> show(const Frame& frame) override {
    TRY(renderer_->submit(frame));
    TRY_ASSIGN(last_, renderer_->collect());
    is_outdated_ = false;
    return show_again();
  }
  Result<ShowOutcome> show_again() override {
    if (is_outdated_ && is_configured_) {
      TRY_ASSIGN(last_, renderer_->redraw());
      is_outdated_ = false;
    }
    if (last_.picture.format == PictureFormat::None) return ShowOutcome::NotVisible;
    return images_->show(
        [&](gpu::Swapchain& swapchain) { return presenter_->present(last_.picture, swapchain); });
  }
  HostMemory* frame_memory() override { return nullptr; }
  std::string renderer_description() const override { return renderer_->description(); }
  std::string presenter_description() const override { return images_->description(); }
  std::uint64_t bytes_copied() const override { return renderer_->bytes_copied(); }
  Result<std::unique_ptr<Display>> make_for(std::shared_ptr<render::Renderer> renderer) override {
    return make(images_, std::move(renderer));
  }

 private:
  const std::shared_ptr<WindowImages> images_;
  const std::unique_ptr<gpu::PicturePresenter> presenter_;
  const std::shared_ptr<render::Renderer> renderer_;
  render::RenderedFrame last_;
  bool is_configured_ = false;
  bool is_outdated_ = false;  ///< effect or overlay has changed since `last_` was drawn
};

class GpuDisplay final : public Display {
 public:
  GpuDisplay(std::shared_ptr<WindowImages> images, std::unique_ptr<gpu::GpuRenderer> renderer)
      : images_(std::move(images)), renderer_(std::move(renderer)) {}

  Result<void> configure(render::RenderSetup setup) override {
    setup.picture = PictureFormat::None;
    setup.want_cells = false;
    return renderer_->configure(setup);
  }
  void warm_up(const render::RenderSetup& setup) override { renderer_->warm_up(setup); }
  void warm_up_overlay() override { renderer_->warm_up_overlay(); }
  void adjust(const mapping::Adjustments& adjustments) override { renderer_->adjust(adjustments); }
  void set_effect(render::Effect effect) override { renderer_->set_effect(effect); }
  void set_overlay(std::shared_ptr<const render::Overlay> overlay) override {
    renderer_->set_overlay(std::move(overlay));
  }
  Result<void> resize(Extent pixels) override { return images_->resize(pixels); }
  Result<ShowOutcome> show(const Frame& frame) override {
    return images_->show([&](gpu::Swapchain& swapchain) { return renderer_->present(frame, swapchain); });
  }
  Result<ShowOutcome> show_again() override {
    return images_->show([&](gpu::Swapchain& swapchain) { return renderer_->present_again(swapchain); });
  }
  HostMemory* frame_memory() override { return renderer_->frame_memory(); }
  std::string renderer_description() const override { return renderer_->description(); }
  std::string presenter_description() const override { return images_->description(); }
  std::uint64_t bytes_copied() const override { return renderer_->bytes_copied(); }

  Result<std::unique_ptr<Display>> make_for(std::shared_ptr<render::Renderer> renderer) override {
    return PictureDisplay::make(images_, std::move(renderer));
  }

 private:
  const std::shared_ptr<WindowImages> images_;
  const std::unique_ptr<gpu::GpuRenderer> renderer_;
};

}  // namespace

Result<std::unique_ptr<Display>> make_gpu_display(const DisplayOptions& options,
                                                  const std::shared_ptr<gpu::Device>& device) {
  TRY_ASSIGN(std::shared_ptr<WindowImages> images, make_images(options, device));
  TRY_ASSIGN(std::unique_ptr<gpu::GpuRenderer> renderer,
             interop::make_gpu_renderer(device, *options.times, gpu::FramesInFlight));
  return std::unique_ptr<Display>(std::make_unique<GpuDisplay>(std::move(images), std::move(renderer)));
}

Result<std::unique_ptr<Display>> make_cpu_display(const DisplayOptions& options,
                                                  const std::shared_ptr<gpu::Device>& device) {
  TRY_ASSIGN(std::shared_ptr<WindowImages> images, make_images(options, device));
  return PictureDisplay::make(std::move(images), render::make_cpu_renderer(options.threads, *options.times));
}

}  // namespace glyphreel::present
