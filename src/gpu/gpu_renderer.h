#pragma once

#include <memory>

#include "base/result.h"
#include "base/stage_times.h"
#include "gpu/device.h"
#include "gpu/frame_source.h"
#include "gpu/swapchain.h"
#include "render/renderer.h"

namespace glyphreel::gpu {

/// The renderer on a GPU, with ways onto a window besides the Renderer's own.
///
/// In a window: configure() with PictureFormat::None and want_cells false, then present() each frame; the
/// grid is centred in the window's pixels, black around it. submit()/collect() may be mixed in, for a
/// recording. Thread-safety: one thread at a time; RenderedFrames may be destroyed on any.
class GpuRenderer : public render::Renderer {
 public:
  /// Maps `frame` and draws it straight into the window. Waits only for the frame FramesInFlight before it
  /// and, in Fifo mode, for the screen. Errors: Failed (a lost GPU included).
  [[nodiscard]] virtual Result<PresentOutcome> present(const Frame& frame, Swapchain& swapchain) = 0;
  /// Draws the cells of the last frame again: paused, exposed or resized. Black before the first frame.
  [[nodiscard]] virtual Result<PresentOutcome> present_again(Swapchain& swapchain) = 0;
};

/// Measured, not needed: what more than four are worth is in docs/measurements.md.
inline constexpr int MostFramesInFlight = 64;

struct GpuRendererOptions {
  std::unique_ptr<FrameSource> frames;  ///< never null
  int depth = 3;  ///< frames in flight, 1 to MostFramesInFlight: FramesInFlight for a window, 3 or 4 offline
};

/// Times of the stages Map, Draw, Pack and Readback go to `times`, which outlives the renderer.
/// Most callers want importer::make_gpu_renderer(), which brings its own FrameSource.
[[nodiscard]] Result<std::unique_ptr<GpuRenderer>> make_gpu_renderer(std::shared_ptr<Device> device,
                                                                     StageTimes& times,
                                                                     GpuRendererOptions options);

}  // namespace glyphreel::gpu
