#include <utility>

#include <fmt/format.h>

#include "gpu/picture_presenter.h"
#include "gpu/swapchain.h"
#include "import/frame_importer.h"
#include "present/display.h"

namespace glyphreel::present {
namespace {

/// Runs `present` (a call that gives Result<PresentOutcome>) until it presented or the window has no pixels.
template <typename Present>
Result<ShowOutcome> present_until_shown(gpu::Swapchain& swapchain, const Window& window, StageTimes& times,
                                        const Present& present) {
  constexpr int MaxAttempts = 4;  // a window that is dragged may outrun any number of resizes
  for (int attempt = 0; attempt < MaxAttempts; ++attempt) {
    const ScopedStage stage(times, Stage::Present);
    TRY_ASSIGN(const gpu::PresentOutcome outcome, present());
    if (outcome == gpu::PresentOutcome::Presented) return ShowOutcome::Shown;
    if (outcome == gpu::PresentOutcome::Minimised) return ShowOutcome::NotVisible;
    TRY(swapchain.resize(window.framebuffer_size()));
  }
  return ShowOutcome::NotVisible;
}

class GpuDisplay final : public Display {
 public:
  GpuDisplay(const DisplayOptions& options, std::shared_ptr<gpu::Device> device,
             std::unique_ptr<gpu::Swapchain> swapchain, std::unique_ptr<gpu::GpuRenderer> renderer)
      : window_(*options.window),
        times_(*options.times),
        device_(std::move(device)),
        swapchain_(std::move(swapchain)),
        renderer_(std::move(renderer)) {}

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
  Result<void> resize(Extent pixels) override { return swapchain_->resize(pixels); }
  Result<ShowOutcome> show(const Frame& frame) override {
    return present_until_shown(*swapchain_, window_, times_, [&] { return renderer_->present(frame, *swapchain_); });
  }
  Result<ShowOutcome> show_again() override {
    return present_until_shown(*swapchain_, window_, times_, [&] { return renderer_->present_again(*swapchain_); });
  }
  HostMemory* frame_memory() override { return renderer_->frame_memory(); }
  std::string renderer_description() const override { return renderer_->description(); }
  std::string presenter_description() const override { return fmt::format("Vulkan swapchain, {}", device_->name()); }
  std::uint64_t bytes_copied() const override { return renderer_->bytes_copied(); }

 private:
  Window& window_;
  StageTimes& times_;
  std::shared_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::Swapchain> swapchain_;
  std::unique_ptr<gpu::GpuRenderer> renderer_;
};

class CpuDisplay final : public Display {
 public:
  CpuDisplay(const DisplayOptions& options, std::shared_ptr<gpu::Device> device,
             std::unique_ptr<gpu::Swapchain> swapchain, std::unique_ptr<gpu::PicturePresenter> presenter)
      : window_(*options.window),
        times_(*options.times),
        device_(std::move(device)),
        swapchain_(std::move(swapchain)),
        presenter_(std::move(presenter)),
        renderer_(render::make_cpu_renderer(options.threads, *options.times)) {}

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
  Result<void> resize(Extent pixels) override { return swapchain_->resize(pixels); }
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
    return present_until_shown(*swapchain_, window_, times_,
                               [&] { return presenter_->present(last_.picture, *swapchain_); });
  }
  HostMemory* frame_memory() override { return nullptr; }
  std::string renderer_description() const override { return renderer_->description(); }
  std::string presenter_description() const override { return fmt::format("Vulkan swapchain, {}", device_->name()); }
  std::uint64_t bytes_copied() const override { return renderer_->bytes_copied(); }

 private:
  Window& window_;
  StageTimes& times_;
  std::shared_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::Swapchain> swapchain_;
  std::unique_ptr<gpu::PicturePresenter> presenter_;
  std::unique_ptr<render::Renderer> renderer_;
  render::RenderedFrame last_;
  bool is_configured_ = false;
  bool is_outdated_ = false;  ///< since `last_` was drawn
};

Result<std::unique_ptr<gpu::Swapchain>> make_swapchain(const DisplayOptions& options,
                                                       const std::shared_ptr<gpu::Device>& device) {
  return gpu::Swapchain::make(device, device->take_surface(),
                              {.mode = options.mode, .size = options.window->framebuffer_size()});
}

}  // namespace

Result<std::unique_ptr<Display>> make_gpu_display(const DisplayOptions& options, std::shared_ptr<gpu::Device> device) {
  TRY_ASSIGN(std::unique_ptr<gpu::Swapchain> swapchain, make_swapchain(options, device));
  TRY_ASSIGN(std::unique_ptr<gpu::GpuRenderer> renderer,
             importer::make_gpu_renderer(device, *options.times, gpu::FramesInFlight));
  return std::unique_ptr<Display>(
      std::make_unique<GpuDisplay>(options, std::move(device), std::move(swapchain), std::move(renderer)));
}

Result<std::unique_ptr<Display>> make_cpu_display(const DisplayOptions& options, std::shared_ptr<gpu::Device> device) {
  TRY_ASSIGN(std::unique_ptr<gpu::Swapchain> swapchain, make_swapchain(options, device));
  TRY_ASSIGN(std::unique_ptr<gpu::PicturePresenter> presenter, gpu::PicturePresenter::make(device));
  return std::unique_ptr<Display>(
      std::make_unique<CpuDisplay>(options, std::move(device), std::move(swapchain), std::move(presenter)));
}

}  // namespace glyphreel::present
