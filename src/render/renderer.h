#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "mapping/tables/glyph_tables.h"
#include "mapping/shared/parameters.h"
#include "mapping/shared/shared_types.h"
#include "render/effect.h"
#include "render/overlay.h"
#include "text/glyph_set.h"

namespace glyphreel::render {

using Cell = mapping::shared::Cell;

/// What frames are rendered to, until the next configure().
struct RenderSetup {
  GridSize grid;
  Fit fit = Fit::Contain;
  std::shared_ptr<const text::GlyphSet> glyphs;  ///< its cell size is the drawn cell size
  mapping::Parameters mapping;
  /// The result of make_glyph_tables() for `glyphs` and `mapping`, made ahead on another thread so that
  /// configure() is fast; null: configure() makes them.
  std::shared_ptr<const mapping::GlyphTables> tables = nullptr;
  PictureFormat picture = PictureFormat::None;  ///< drawn in addition to the cells
  bool want_cells = true;                       ///< GPU: whether cells are read back
  HostMemory* picture_memory =
      nullptr;  ///< CPU: where pictures are drawn; null: heap. Must outlive the renderer
};

/// How one frame is rendered: what may change from frame to frame without a new setup. A value that travels
/// with the frame; copies share the overlay.
struct FrameOptions {
  mapping::Adjustments adjustments = {};
  Effect effect = Effect::None;  ///< on the mapped cells, at the frame's own time
  /// Text over the picture; null: none. It is not shown if it was made for another grid or cell size. The
  /// first frame with a new one takes some tens of microseconds longer.
  std::shared_ptr<const Overlay> overlay = nullptr;
  bool operator==(const FrameOptions&) const = default;
};

/// One frame as text. Its memory is valid until the RenderedFrame is destroyed; that may happen on another
/// thread.
struct RenderedFrame {
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  GridSize grid;
  std::span<const Cell> cells;        ///< row by row; empty unless wanted
  Picture picture;                    ///< format None unless wanted
  std::shared_ptr<const void> owner;  ///< keeps `cells` alive
  /// Glyphs of the text over the picture, for Characters (render/overlay.h); null: there is none.
  std::shared_ptr<const OverlayGlyphs> overlay_glyphs;
};

/// Turns frames into cells and pictures. The same frame and setup produce the same cells and pixels on
/// every renderer.
///
/// The caller's loop: configure(); submit() frames, at most depth() ahead; collect() each in order. All calls
/// but warm_up() and the last four need a successful configure() first.
/// Thread-safety: one thread at a time.
class Renderer {
 public:
  virtual ~Renderer() = default;

  /// Starts over with a new setup. The caller first collects or drops the frames submitted before.
  /// Errors: Usage if the setup is impossible (ramp and glyphs do not fit); NoDevice; Failed.
  [[nodiscard]] virtual Result<void> configure(const RenderSetup& setup) = 0;

  /// Compiles ahead what configure() with this setup would have to compile, if the setup has its `tables`,
  /// so that configure() is fast: on a GPU, compiling takes tens to hundreds of milliseconds. Any thread
  /// may call it, concurrently with all other calls.
  virtual void warm_up(const RenderSetup&) {}

  /// Starts rendering a frame, and keeps it alive until it is no longer read.
  [[nodiscard]] virtual Result<void> submit(const Frame& frame, const FrameOptions& options) = 0;

  /// Waits for the oldest submitted frame that is not yet collected. There must be one.
  [[nodiscard]] virtual Result<RenderedFrame> collect() = 0;

  /// submit() and collect() in one, while no other frame is submitted.
  [[nodiscard]] Result<RenderedFrame> render(const Frame& frame, const FrameOptions& options) {
    TRY(submit(frame, options));
    return collect();
  }

  /// Redraws the last submitted frame with this effect and overlay, without mapping it again: it keeps its
  /// adjustments. For changes while the picture is paused. Black under the text before the first frame since
  /// configure(). All submitted frames must have been collected.
  [[nodiscard]] virtual Result<RenderedFrame> redraw(const FrameOptions& options) = 0;

  /// How many frames may be submitted before one must be collected: at least 1.
  [[nodiscard]] virtual int depth() const { return 1; }

  /// Where a decoder should put frames so that this renderer reads them in place; null: anywhere.
  [[nodiscard]] virtual HostMemory* frame_memory() { return nullptr; }

  /// A description for users: "llvmpipe (LLVM 15.0.6, 256 bits)" or "CPU, 2 threads, AVX-512".
  [[nodiscard]] virtual std::string description() const = 0;

  /// Host bytes copied for frames so far: uploads that decoding in place would have saved.
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
};

/// Makes the CPU renderer with `threads` threads (0: one per CPU). Stage times go to `times`.
[[nodiscard]] std::unique_ptr<Renderer> make_cpu_renderer(int threads, StageTimes& times);

}  // namespace glyphreel::render
