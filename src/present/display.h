#pragma once

#include <memory>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "base/stage_times.h"
#include "gpu/gpu_renderer.h"
#include "present/window.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// What became of a frame that was to be shown.
enum class ShowOutcome { Shown, NotVisible };

/// Shows frames as text in a window: a renderer and its way onto the screen.
/// Thread-safety: the main thread alone.
class Display {
 public:
  virtual ~Display() = default;
  /// New grid, glyphs or mapping; the setup's picture format and memory are the display's own affair.
  [[nodiscard]] virtual Result<void> configure(render::RenderSetup setup) = 0;
  /// See Renderer::warm_up(): any thread.
  virtual void warm_up(const render::RenderSetup& setup) = 0;
  /// See Renderer::warm_up_overlay(): any thread.
  virtual void warm_up_overlay() = 0;
  /// See Renderer::adjust().
  virtual void adjust(const mapping::Adjustments& adjustments) = 0;
  /// See Renderer::set_effect(): from the next show() and, without mapping, the next show_again() on.
  virtual void set_effect(render::Effect effect) = 0;
  /// See Renderer::set_overlay(): from the next show() and, without mapping, the next show_again() on.
  virtual void set_overlay(std::shared_ptr<const render::Overlay> overlay) = 0;
  /// The window's framebuffer has a new size; configure() follows where the grid changes with it.
  [[nodiscard]] virtual Result<void> resize(Extent pixels) = 0;
  [[nodiscard]] virtual Result<ShowOutcome> show(const Frame& frame) = 0;
  /// Shows the last frame again; black before the first one, or nothing where there is no text either.
  [[nodiscard]] virtual Result<ShowOutcome> show_again() = 0;
  [[nodiscard]] virtual HostMemory* frame_memory() = 0;
  [[nodiscard]] virtual std::string renderer_description() const = 0;
  [[nodiscard]] virtual std::string presenter_description() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
  /// Another display of the same window, for the pictures that `renderer` draws. They show something by
  /// turns.
  [[nodiscard]] virtual Result<std::unique_ptr<Display>> make_for(
      std::shared_ptr<render::Renderer> renderer) = 0;
};

struct DisplayOptions {
  Window* window = nullptr;
  StageTimes* times = nullptr;
  int threads = 0;  ///< of a CPU renderer
  gpu::PresentMode mode = gpu::PresentMode::Fifo;
};

/// Maps and draws on the GPU, straight into the window's images.
[[nodiscard]] Result<std::unique_ptr<Display>> make_gpu_display(const DisplayOptions& options,
                                                                const std::shared_ptr<gpu::Device>& device);
/// Maps and draws on the CPU into memory that the device copies to the window's images.
[[nodiscard]] Result<std::unique_ptr<Display>> make_cpu_display(const DisplayOptions& options,
                                                                const std::shared_ptr<gpu::Device>& device);
/// Maps and draws on the CPU, shown through OpenGL: where there is no Vulkan. The window's Api is OpenGl.
[[nodiscard]] Result<std::unique_ptr<Display>> make_opengl_display(const DisplayOptions& options);

}  // namespace glyphreel::present
