#pragma once

#include <memory>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "gpu/gpu_renderer.h"
#include "present/window/window.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Result of showing a frame.
enum class ShowOutcome { Shown, NotVisible };

/// Shows frames as text in a window: a renderer and its path to the screen.
/// Thread-safety: main thread only, except where noted.
class Display {
 public:
  virtual ~Display() = default;
  /// Sets a new grid, glyphs or mapping. The display itself sets the setup's picture format and memory.
  [[nodiscard]] virtual Result<void> configure(render::RenderSetup setup) = 0;
  /// See Renderer::warm_up(). Thread-safety: any thread.
  virtual void warm_up(const render::RenderSetup& setup) = 0;
  /// See Renderer::warm_up_overlay(). Thread-safety: any thread.
  virtual void warm_up_overlay() = 0;
  /// See Renderer::adjust().
  virtual void adjust(const mapping::Adjustments& adjustments) = 0;
  /// See Renderer::set_effect(). Applies from the next show() on, and from the next show_again() on without
  /// mapping the frame again.
  virtual void set_effect(render::Effect effect) = 0;
  /// See Renderer::set_overlay(). Applies like set_effect().
  virtual void set_overlay(std::shared_ptr<const render::Overlay> overlay) = 0;
  /// Adapts to a new size of the window's framebuffer. If the grid changes with it, configure() follows.
  [[nodiscard]] virtual Result<void> resize(Extent pixels) = 0;
  [[nodiscard]] virtual Result<ShowOutcome> show(const Frame& frame) = 0;
  /// Shows the last frame again; before the first one shows black, or nothing if there is no text either.
  [[nodiscard]] virtual Result<ShowOutcome> show_again() = 0;
  [[nodiscard]] virtual HostMemory* frame_memory() = 0;
  [[nodiscard]] virtual std::string renderer_description() const = 0;
  [[nodiscard]] virtual std::string presenter_description() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
  /// Returns another display for the same window, which shows the pictures that `renderer` draws. The two
  /// take turns.
  [[nodiscard]] virtual Result<std::unique_ptr<Display>> make_for(
      std::shared_ptr<render::Renderer> renderer) = 0;
};

struct DisplayOptions {
  Window* window = nullptr;
  StageTimes* times = nullptr;
  int threads = 0;  ///< of the CPU renderer
  gpu::PresentMode mode = gpu::PresentMode::Fifo;
};

/// Maps and draws on the GPU, directly into the window's images.
[[nodiscard]] Result<std::unique_ptr<Display>> make_gpu_display(const DisplayOptions& options,
                                                                const std::shared_ptr<gpu::Device>& device);
/// Maps and draws on the CPU into memory that the device copies to the window's images.
[[nodiscard]] Result<std::unique_ptr<Display>> make_cpu_display(const DisplayOptions& options,
                                                                const std::shared_ptr<gpu::Device>& device);

}  // namespace glyphreel::present
