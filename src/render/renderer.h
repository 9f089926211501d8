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
  Effect effect = Effect::None;                 ///< until set_effect()
  PictureFormat picture = PictureFormat::None;  ///< drawn in addition to the cells
  bool want_cells = true;                       ///< GPU: whether cells are read back
  HostMemory* picture_memory =
      nullptr;  ///< CPU: where pictures are drawn; null: heap. Must outlive the renderer
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
  /// Glyphs of the text over the picture, for Characters; null: there is none.
  std::shared_ptr<const OverlayGlyphs> overlay_glyphs;
};

/// Turns frames into cells and pictures. The same frame and setup produce the same cells and pixels on
/// every renderer.
///
/// The caller's loop: submit() frames, at most depth() ahead; collect() each in order.
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

  /// Compiles ahead what the first text over the picture would have to compile: on a GPU, up to a hundred
  /// milliseconds if the driver has not cached it. Any thread may call it, concurrently with all other
  /// calls.
  virtual void warm_up_overlay() {}

  /// Sets the picture's adjustments from the next submitted frame on, replacing the setup's; the next
  /// configure() resets them. It costs next to nothing, so a repeating key may call it. Call only after
  /// configure().
  virtual void adjust(const mapping::Adjustments& adjustments) = 0;

  /// Sets the effect from the next submitted frame and the next redraw() on, replacing the setup's; the
  /// next configure() resets it. It does not affect mapping, and its time is the frame's. Call only after
  /// configure().
  virtual void set_effect(Effect effect) = 0;

  /// Sets the text over the picture from the next submitted frame and the next redraw() on; null: none. It
  /// does not affect mapping. An overlay made for another grid or cell size is not shown. The call is free:
  /// the next frame pays for the change, some tens of microseconds. May be called at any time, also before
  /// configure(), and stays in effect until replaced.
  virtual void set_overlay(std::shared_ptr<const Overlay> overlay) = 0;

  /// Redraws the last submitted frame with the current effect and overlay, without mapping it again; for
  /// changes while the picture is paused. Black under the text before the first frame since configure().
  /// All submitted frames must have been collected. Call only after configure().
  [[nodiscard]] virtual Result<RenderedFrame> redraw() = 0;

  /// Starts rendering a frame, and keeps it alive until it is no longer read.
  [[nodiscard]] virtual Result<void> submit(const Frame& frame) = 0;

  /// Waits for the oldest submitted frame that is not yet collected. There must be one.
  [[nodiscard]] virtual Result<RenderedFrame> collect() = 0;

  /// How many frames may be submitted before one must be collected: at least 1.
  [[nodiscard]] virtual int depth() const = 0;

  /// Where a decoder should put frames so that this renderer reads them in place; null: anywhere.
  [[nodiscard]] virtual HostMemory* frame_memory() = 0;

  /// A description for users: "llvmpipe (LLVM 15.0.6, 256 bits)" or "CPU, 2 threads, AVX-512".
  [[nodiscard]] virtual std::string description() const = 0;

  /// Host bytes copied for frames so far: uploads that decoding in place would have saved.
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
};

/// Makes the CPU renderer with `threads` threads (0: one per CPU). Stage times go to `times`.
[[nodiscard]] std::unique_ptr<Renderer> make_cpu_renderer(int threads, StageTimes& times);

}  // namespace glyphreel::render
