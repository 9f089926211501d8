#pragma once

#include <memory>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "gpu/frame_ring.h"
#include "gpu/pipelines.h"
#include "gpu/slot_resources.h"
#include "render/effect.h"
#include "render/overlay.h"
#include "text/glyph_set.h"

namespace glyphreel::gpu {

/// Any thread; quick where it was made before.
[[nodiscard]] Result<VkPipeline> make_compose_pipeline(Pipelines& pipelines);

/// An effect on mapped cells and text over them, into a second buffer of cells that is drawn instead. Makes
/// and keeps nothing until there is one of them. Thread-safety: one thread at a time.
class OverlayPass {
 public:
  OverlayPass(std::shared_ptr<const text::GlyphSet> glyphs, GridSize grid)
      : glyphs_(std::move(glyphs)), grid_(grid) {}

  /// Makes what the slot lacks and writes the effect, and the text, null for none, where the slot has
  /// another.
  [[nodiscard]] Result<void> prepare(Pipelines& pipelines, SlotResources& slot,
                                     std::shared_ptr<const render::Overlay> overlay, bool has_picture,
                                     const render::EffectParameters& effect);

  /// Records the composing of `cells` into slot.composed. CellBinding is `cells`, OverlayBinding
  /// slot.overlay, DrawnBinding slot.composed, MaskBinding masks(), TableBinding the tables that `cells` were
  /// mapped with.
  void record(FrameRing::Recording& recording, const Pipelines& pipelines, VkDescriptorSet set, Buffer& cells,
              SlotResources& slot);

  /// The masks of the picture's glyphs, of the text's, and the picture's inks: MaskBinding with text.
  [[nodiscard]] const Buffer& masks() const { return masks_; }

 private:
  [[nodiscard]] Result<void> make_masks(Device& device, const render::OverlayGlyphs* text);

  std::shared_ptr<const text::GlyphSet> glyphs_;
  GridSize grid_;
  std::vector<std::uint8_t> inks_;
  Buffer masks_;
  std::shared_ptr<const render::OverlayGlyphs> masks_of_;  ///< the text's glyphs in there
  std::uint32_t inks_at_ = 0;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace glyphreel::gpu
