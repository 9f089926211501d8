#pragma once

#include <memory>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "gpu/passes/slot_resources.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/pipelines.h"
#include "render/effect.h"
#include "render/overlay.h"
#include "text/glyph_set.h"

namespace glyphreel::gpu {

/// Applies an effect to mapped cells, composes text over them, and writes the result to a second cell buffer,
/// which is drawn instead of the first. Allocates nothing until there is an effect or text.
/// Thread-safety: one thread at a time.
class OverlayPass {
 public:
  OverlayPass(Pipelines& pipelines, std::shared_ptr<const text::GlyphSet> glyphs, GridSize grid)
      : pipelines_(&pipelines), glyphs_(std::move(glyphs)), grid_(grid) {}

  /// Creates the overlay buffers that the slot lacks. Writes the effect's parameters to the slot. Also writes
  /// the text of `overlay` (null: no text), unless the slot already has this text.
  [[nodiscard]] Result<void> prepare(SlotResources& slot, std::shared_ptr<const render::Overlay> overlay,
                                     bool has_picture, const render::EffectParameters& effect);

  /// Records the commands that apply the effect and the text to `cells` and write the result to
  /// slot.composed. The caller binds CellBinding to `cells`, OverlayBinding to slot.overlay, DrawnBinding to
  /// slot.composed, MaskBinding to masks(), and TableBinding to the tables that `cells` were mapped with.
  void record(FrameCommands& frame_commands, const SlotSets& sets, Buffer& cells, SlotResources& slot);

  /// Returns the buffer for MaskBinding when cells are composed: the masks of the picture's glyphs, then
  /// those of the text's glyphs, then the mean_coverage() of the picture's glyphs.
  [[nodiscard]] const Buffer& masks() const { return masks_; }

 private:
  [[nodiscard]] Result<void> make_masks(const render::OverlayGlyphs* text);

  Pipelines* pipelines_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  GridSize grid_;
  std::vector<std::uint8_t> coverage_;
  Buffer masks_;
  std::shared_ptr<const render::OverlayGlyphs> masks_of_;  ///< the text's glyphs in `masks_`
  std::uint32_t coverage_at_ = 0;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace glyphreel::gpu
