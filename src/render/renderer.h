#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "base/stage_times.h"
#include "mapping/glyph_tables.h"
#include "mapping/parameters.h"
#include "mapping/shared_types.h"
#include "render/effect.h"
#include "render/overlay.h"
#include "text/glyph_set.h"

namespace glyphreel::render {

using Cell = mapping::shared::Cell;

/// What frames are turned into, until the next configure().
struct RenderSetup {
  GridSize grid;
  Fit fit = Fit::Contain;
  std::shared_ptr<const text::GlyphSet> glyphs;  ///< its cell size is the drawn cell size
  mapping::Parameters mapping;
  /// What make_glyph_tables() gives for `glyphs` and `mapping`, made ahead on another thread so that
  /// configure() is quick; null: configure() makes them.
  std::shared_ptr<const mapping::GlyphTables> tables = nullptr;
  Effect effect = Effect::None;                 ///< until set_effect()
  PictureFormat picture = PictureFormat::None;  ///< drawn besides the cells
  bool want_cells = true;                       ///< GPU: whether cells are read back
  HostMemory* picture_memory =
      nullptr;  ///< CPU: where pictures are drawn to; null: heap. Outlives the renderer
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
  /// Of the text over the picture, for Characters; null: there is none.
  std::shared_ptr<const OverlayGlyphs> overlay_glyphs;
};

/// Turns frames into cells and pictures. The same frame and setup give the same cells and pixels on every
/// renderer.
///
/// The caller's loop: submit() frames, at most depth() ahead; collect() each in order.
/// Thread-safety: one thread at a time.
class Renderer {
 public:
  virtual ~Renderer() = default;

  /// Starts over with a new setup. Frames submitted before are collected or dropped first by the caller.
  /// Errors: Usage where the setup cannot be (ramp and glyphs do not fit); NoDevice; Failed.
  [[nodiscard]] virtual Result<void> configure(const RenderSetup& setup) = 0;

  /// Makes ahead what configure() with this setup would have to compile, where the setup has its `tables`, so
  /// that configure() is quick: on a GPU, tens to hundreds of milliseconds. Any thread may call it, beside
  /// all others.
  virtual void warm_up(const RenderSetup&) {}

  /// Makes ahead what the first text over the picture would have to compile: on a GPU, up to a hundred
  /// milliseconds where the driver has not done it before. Any thread may call it, beside all others.
  virtual void warm_up_overlay() {}

  /// From the next submitted frame on the picture is adjusted so, instead of as the setup said; the next
  /// configure() sets it anew. Costs nothing to speak of, so a key that repeats may call it. After
  /// configure() alone.
  virtual void adjust(const mapping::Adjustments& adjustments) = 0;

  /// From the next submitted frame and the next redraw() on this effect plays, instead of the setup's; the
  /// next configure() sets it anew. Mapping does not see it, and its time is that of the frame. After
  /// configure() alone.
  virtual void set_effect(Effect effect) = 0;

  /// From the next submitted frame and the next redraw() on this text lies over the picture; null: none.
  /// Mapping does not see it. One that was made for another grid or cell size is not shown. Costs nothing:
  /// what a change takes, some tens of microseconds, the next frame pays. At any time, before configure()
  /// too, and stays until it is replaced.
  virtual void set_overlay(std::shared_ptr<const Overlay> overlay) = 0;

  /// The frame submitted last once more, without mapping it anew, with the effect and under the text of now:
  /// for what changes while the picture stands. Black under the text before the first frame since
  /// configure(). All submitted frames must have been collected. After configure() alone.
  [[nodiscard]] virtual Result<RenderedFrame> redraw() = 0;

  /// Starts on a frame, and keeps it alive until it is no longer read.
  [[nodiscard]] virtual Result<void> submit(const Frame& frame) = 0;

  /// Waits for the oldest frame submitted and not yet collected. There must be one.
  [[nodiscard]] virtual Result<RenderedFrame> collect() = 0;

  /// How many frames may be submitted before one must be collected: at least 1.
  [[nodiscard]] virtual int depth() const = 0;

  /// Where a decoder should put frames so that this renderer reads them in place; null: anywhere.
  [[nodiscard]] virtual HostMemory* frame_memory() = 0;

  /// For people: "llvmpipe (LLVM 15.0.6, 256 bits)" or "CPU, 2 threads, AVX-512".
  [[nodiscard]] virtual std::string description() const = 0;

  /// Host bytes copied on behalf of frames so far: uploads that decoding in place would have saved.
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
};

/// The CPU renderer on `threads` threads (0: one per processor). Stage times go to `times`.
[[nodiscard]] std::unique_ptr<Renderer> make_cpu_renderer(int threads, StageTimes& times);

}  // namespace glyphreel::render
