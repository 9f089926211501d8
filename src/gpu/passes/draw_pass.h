#pragma once

#include <map>

#include "base/frame.h"
#include "base/geometry.h"
#include "base/result.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/pipelines.h"
#include "gpu/passes/slot_resources.h"
#include "render/picture_layout.h"
#include "text/glyph_set.h"

namespace glyphreel::gpu {

/// Draws cells: into an image (exact, or for a window), or packed into the planes of a YUV picture.
/// Thread-safety: one thread at a time.
class DrawPass {
 public:
  /// The image format whose pixels are the packed words themselves.
  static constexpr VkFormat ExactFormat = VK_FORMAT_R32_UINT;

  [[nodiscard]] static Result<DrawPass> make(Pipelines& pipelines, const text::GlyphSet& glyphs,
                                             GridSize grid);

  /// Creates the pipeline for images of this format if it does not exist yet.
  [[nodiscard]] Result<void> prepare_format(VkFormat format);
  /// Creates the pipeline for YUV pictures of this layout.
  [[nodiscard]] Result<void> prepare_pack(const render::PictureLayout& picture);

  /// Writes the slot's parameters for a target of `size` with the grid centered in it, and adds the
  /// bindings.
  void bind(SlotResources& slot, const Buffer& cells, const Buffer& masks, Extent size,
            BindingWriter& bindings) const;
  /// Returns the masks of the picture's glyphs.
  [[nodiscard]] const Buffer& masks() const { return masks_; }

  /// Records drawing `cells` into an image. prepare_format() must have been called for the image's format.
  void record_draw(FrameRing::Recording& recording, const SlotSets& sets, Buffer& cells, Image& target);
  /// Records packing `cells` into the buffer bound at PictureBinding, for the host to read.
  void record_pack(FrameRing::Recording& recording, const SlotSets& sets, Buffer& cells, VkBuffer picture,
                   Extent size);

 private:
  explicit DrawPass(Pipelines& pipelines) : pipelines_(&pipelines) {}

  Pipelines* pipelines_;
  GridSize grid_;
  CellSize cell_;
  Buffer masks_;
  Constants cell_constants_;  ///< of shaders/cell_pixels.glsl
  std::map<VkFormat, VkPipeline> draw_pipelines_;
  VkPipeline pack_pipeline_ = VK_NULL_HANDLE;
};

/// Returns the grid's left or top edge when the grid is centered in the target; negative if the grid is
/// larger.
[[nodiscard]] constexpr int centered(int target, int grid) {
  return (target - grid) / 2;
}

}  // namespace glyphreel::gpu
