#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "mapping/shared/parameters.h"
#include "mapping/shared/shared_types.h"
#include "mapping/tables/glyph_tables.h"
#include "render/effect.h"
#include "render/overlay.h"
#include "render/text_image.h"
#include "text/glyph_set.h"

namespace glyphreel::render {

using Cell = mapping::shared::Cell;

/// Grid, glyphs, mapping and outputs of all frames until the next configure().
struct RenderSetup {
  GridSize grid;
  Fit fit = Fit::Contain;
  std::shared_ptr<const text::GlyphSet> glyphs;  ///< also define the size of drawn cells
  mapping::Parameters mapping;
  /// The result of make_glyph_tables() for `glyphs` and `mapping`. Making these tables on another thread
  /// keeps configure() fast; null: configure() makes the tables.
  std::shared_ptr<const mapping::GlyphTables> tables = nullptr;
  PictureFormat picture = PictureFormat::None;  ///< drawn in addition to the cells
  bool want_cells = true;                       ///< whether the GPU renderer reads cells back
  /// Whether setups with other grids will probably follow, as in a window. The GPU renderer then compiles a
  /// pipeline for all grids in the background, so that a new grid does not delay a frame.
  bool may_resize = false;
  /// Memory in which the CPU renderer draws pictures; null: heap. Must outlive the renderer.
  HostMemory* picture_memory = nullptr;
  bool operator==(const RenderSetup&) const = default;
};

/// Options that may change from frame to frame without a new setup. Copies share the overlay.
struct FrameOptions {
  mapping::Adjustments adjustments = {};
  Effect effect = Effect::None;  ///< applied to the mapped cells; its motion follows the frame's pts
  PixelLight light = {};         ///< glow and scan lines of drawn pictures
  /// Text in place of the picture's cells; null: none. An overlay for another grid or cell size is ignored.
  /// The first frame with a new overlay takes some tens of microseconds longer.
  std::shared_ptr<const Overlay> overlay = nullptr;
  /// Text that is drawn over pictures and is not in the cells; null: none. An image for another size of the
  /// picture is ignored.
  std::shared_ptr<const TextImage> text = nullptr;
  /// The share of the picture's width, 0 to 1 from the left, that shows the source video instead of glyphs;
  /// empty: none. redraw() can show the source only if the last frame was submitted with a wipe.
  std::optional<double> wipe = std::nullopt;
  bool operator==(const FrameOptions&) const = default;
};

/// One frame as text. Its memory is valid until the RenderedFrame is destroyed. Any thread may destroy it.
struct RenderedFrame {
  std::int64_t pts = 0;       ///< in the input's time base (media::VideoFacts::time_base)
  std::int64_t duration = 0;  ///< in the same time base; 0: unknown
  GridSize grid;
  std::span<const Cell> cells;        ///< row by row; empty unless requested
  Picture picture;                    ///< its format is None unless requested
  std::shared_ptr<const void> owner;  ///< keeps `cells` alive
  /// The overlay's glyphs; null if no overlay was drawn. The class `Characters` (overlay.h) needs them to
  /// look up the characters of `cells`.
  std::shared_ptr<const OverlayGlyphs> overlay_glyphs;
};

/// Converts frames to cells and pictures. The same frame, setup and options produce the same cells and pixels
/// on every renderer.
///
/// The caller's loop: configure(), then submit() and collect() frames. collect() returns frames in the order
/// in which they were submitted; at most depth() frames may be submitted and not yet collected. submit(),
/// collect(), render() and redraw() need a successful configure() first.
/// Thread-safety: one thread at a time.
class Renderer {
 public:
  virtual ~Renderer() = default;

  /// Applies a new setup and discards submitted frames that were not collected. Errors: Usage if the setup is
  /// impossible, for example if the glyph set lacks a character of the ramp; NoDevice; Failed.
  [[nodiscard]] virtual Result<void> configure(const RenderSetup& setup) = 0;

  /// Compiles the pipelines that configure() with this setup needs, so that configure() is fast: on a GPU,
  /// compiling takes tens to hundreds of milliseconds. Does nothing if the setup has no `tables`.
  /// Thread-safety: any thread, concurrently with all other calls.
  virtual void warm_up(const RenderSetup&) {}

  /// Starts rendering a frame. Keeps the frame's memory alive until the renderer has read it.
  [[nodiscard]] virtual Result<void> submit(const Frame& frame, const FrameOptions& options) = 0;

  /// Starts rendering up to most_together() frames. Successive frames of the same size and layout share one
  /// submission to the GPU. All frames submitted earlier must have been collected. After an error, the frames
  /// that were submitted are discarded by the next configure().
  [[nodiscard]] virtual Result<void> submit_together(std::span<const Frame> frames,
                                                     const FrameOptions& options) {
    CHECK(frames.size() == 1, "this renderer cannot submit several frames together");
    return submit(frames.front(), options);
  }

  /// Waits for the oldest submitted frame that is not yet collected, and returns it. Call only if
  /// there is such a frame.
  [[nodiscard]] virtual Result<RenderedFrame> collect() = 0;

  /// Submits and collects a frame. All other submitted frames must have been collected.
  [[nodiscard]] Result<RenderedFrame> render(const Frame& frame, const FrameOptions& options) {
    TRY(submit(frame, options));
    return collect();
  }

  /// Redraws the last submitted frame with `options`, without mapping its pixels to cells again. Therefore,
  /// the adjustments in `options` have no effect; all other options do. Use this for changes while playback
  /// is paused. If no frame has been submitted since configure(), draws the overlay and the text of `options`
  /// on black. All submitted frames must have been collected.
  [[nodiscard]] virtual Result<RenderedFrame> redraw(const FrameOptions& options) = 0;

  /// Returns how many frames may be submitted before one must be collected. The number is at least 1.
  [[nodiscard]] virtual int depth() const { return 1; }

  /// Returns the maximum number of frames that submit_together() accepts. The number is at least 1.
  [[nodiscard]] virtual int most_together() const { return 1; }

  /// Returns the memory into which a decoder should write frames, so that this renderer reads them without a
  /// copy. Returns null if frames may be in any memory.
  [[nodiscard]] virtual HostMemory* frame_memory() { return nullptr; }

  /// Returns a description of this renderer for users, for example "llvmpipe (LLVM 15.0.6, 256 bits)" or
  /// "CPU, 2 threads, AVX-512".
  [[nodiscard]] virtual std::string description() const = 0;

  /// Returns how many bytes have been copied so far because frames were not in memory that this renderer can
  /// read directly.
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
};

/// Makes the CPU renderer with `threads` threads (0: one per CPU). The renderer adds its stage times to
/// `times`, which must outlive the renderer.
[[nodiscard]] std::unique_ptr<Renderer> make_cpu_renderer(int threads, StageTimes& times);

}  // namespace glyphreel::render
