#pragma once

#include <map>

#include "base/frame.h"
#include "base/geometry.h"
#include "base/result.h"
#include "gpu/frame_ring.h"
#include "gpu/pipelines.h"
#include "gpu/slot_resources.h"
#include "mapping/shared_types.h"
#include "render/picture_layout.h"
#include "text/glyph_set.h"

namespace glyphreel::gpu {

/// Cells to pictures: into an image, exact or for a window, or packed into the planes of a YUV picture.
/// Thread-safety: one thread at a time.
class DrawPass {
 public:
  /// Format of images whose pixels are the packed words themselves.
  static constexpr VkFormat ExactFormat = VK_FORMAT_R32_UINT;

  [[nodiscard]] static Result<DrawPass> make(Pipelines& pipelines, const text::GlyphSet& glyphs,
                                             GridSize grid);

  /// Makes the pipeline for images of this format, once.
  [[nodiscard]] Result<void> prepare_format(Pipelines& pipelines, VkFormat format);
  /// Makes the pipeline for YUV pictures of this layout.
  [[nodiscard]] Result<void> prepare_pack(Pipelines& pipelines, const render::PictureLayout& picture);

  /// Writes the slot's parameters for a target of `size` with the grid in its middle, and tells the bindings.
  void bind(SlotResources& slot, const Buffer& cells, const Buffer& masks, Extent size,
            BindingWriter& bindings) const;
  /// The masks of the picture's glyphs.
  [[nodiscard]] const Buffer& masks() const { return masks_; }

  /// Records the drawing of `cells` into an image whose format was prepared.
  void record_draw(FrameRing::Recording& recording, const Pipelines& pipelines, VkDescriptorSet set,
                   Buffer& cells, Image& target);
  /// Records the packing of `cells` into a buffer bound at PictureBinding, for the host to read.
  void record_pack(FrameRing::Recording& recording, const Pipelines& pipelines, VkDescriptorSet set,
                   Buffer& cells, VkBuffer picture, Extent size);

 private:
  DrawPass() = default;

  GridSize grid_;
  CellSize cell_;
  Buffer masks_;
  Constants cell_constants_;  ///< of shaders/cell_pixels.glsl
  std::map<VkFormat, VkPipeline> draw_pipelines_;
  VkPipeline pack_pipeline_ = VK_NULL_HANDLE;
};

/// Where the grid's left or top edge lies so that its middle is the target's; negative where the grid is
/// larger.
[[nodiscard]] constexpr int centred(int target, int grid) {
  return (target - grid) / 2;
}

}  // namespace glyphreel::gpu
