#pragma once

#include <memory>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "gpu/device/device.h"
#include "gpu/presentation/swapchain.h"
#include "gpu/resources/frame_source.h"
#include "render/renderer.h"

namespace glyphreel::gpu {

/// The GPU renderer. Besides the Renderer interface it can draw directly into a window.
///
/// For a window, call configure() with PictureFormat::None and with want_cells set to false, then call
/// present() for each frame. The grid is centered in the window, with black around it. A recording may call
/// submit() and collect() between two calls of present().
/// Thread-safety: one thread at a time; RenderedFrames may be destroyed on any thread.
class GpuRenderer : public render::Renderer {
 public:
  /// Maps `frame` and draws it directly into the window. If `frame` is null, redraws the cells of the last
  /// frame, for example while playback is paused or after the window was exposed or resized. Before the first
  /// frame, the window is black, apart from the overlay's text. Waits only for the frame that was submitted
  /// depth() frames earlier and, in Fifo mode, for the screen. Errors: Failed (also if the GPU is lost).
  [[nodiscard]] virtual Result<PresentOutcome> present(const Frame* frame,
                                                       const render::FrameOptions& options,
                                                       Swapchain& swapchain) = 0;
};

/// Maximum number of frames in flight. Playing and recording use fewer; tests/gpu/gpu_timing.cpp measures
/// whether more frames in flight increase the frame rate.
inline constexpr int MaxFramesInFlight = 64;

/// Maximum number of frames that share a submission.
inline constexpr int MaxTogether = 32;

/// Creates a GPU renderer. It records the times of the stages Map, Draw, Pack and Readback in `times`,
/// which must outlive it. `depth`: the number of frames in flight, 1 to MaxFramesInFlight. Windows use
/// FramesInFlight, and recordings use 4. `together`: the renderer's most_together(), 1 to MaxTogether. Most
/// callers want interop::make_gpu_renderer(), which creates the FrameSource.
[[nodiscard]] Result<std::unique_ptr<GpuRenderer>> make_gpu_renderer(std::shared_ptr<Device> device,
                                                                     StageTimes& times,
                                                                     std::unique_ptr<FrameSource> frames,
                                                                     int depth, int together = 1);

}  // namespace glyphreel::gpu
