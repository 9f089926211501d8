#pragma once

#include <memory>
#include <optional>

#include "base/frame.h"
#include "base/geometry.h"
#include "base/result.h"
#include "gpu/passes/slot_resources.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/pipelines.h"
#include "mapping/shared/shared_types.h"
#include "render/picture_layout.h"
#include "text/glyph_set.h"

namespace glyphreel::gpu {

/// Draws cells: into a window's image with a fragment shader, or into a picture in memory with a compute
/// shader, because some data-center GPUs run fragment shaders on only a few of their processors.
/// Thread-safety: one thread at a time.
class DrawPass {
 public:
  [[nodiscard]] static Result<DrawPass> make(Pipelines& pipelines, const text::GlyphSet& glyphs,
                                             GridSize grid);

  /// What may be drawn besides the cells. Each combination has its own pipeline, because code for unused
  /// features would slow down drawing.
  struct Features {
    bool has_layers = false;  ///< text or the source video, drawn over the cells
    bool has_light = false;   ///< glow or scan lines
  };
  /// Prepares record_window() for images of this format. A pipeline for all cell sizes, which is slower,
  /// draws until the pipeline for this cell size has been compiled in the background. The pipelines for other
  /// features are compiled in the background as well, so that a switch to them does not delay a frame.
  [[nodiscard]] Result<void> prepare_window(VkFormat format, Features features);
  /// Whether prepare_window() has chosen the pipeline for this cell size.
  [[nodiscard]] bool is_specialized() const { return is_specialized_; }
  /// Creates the pipeline for pictures of this format and layout. `format` must not be None.
  [[nodiscard]] Result<void> prepare_picture(PictureFormat format, const render::PictureLayout& picture,
                                             Features features);

  /// What is drawn over the cells, and the parameters of glow and scan lines.
  struct Over {
    std::shared_ptr<const render::TextImage> text = nullptr;  ///< null: no text
    const Buffer* source = nullptr;                           ///< pixels of the source video; null: not shown
    std::optional<double> wipe = std::nullopt;                ///< see render::FrameOptions::wipe
    /// From render::light_parameters(). For glow and scan lines, MapPass::tables() must be bound at
    /// TableBinding.
    mapping::shared::DrawParameters light = {};
  };
  /// Writes the slot's DrawParameters, which center the grid in a target of `size`. Writes the pixels of the
  /// text unless the slot already has them. Adds the pass's buffers to `bindings`.
  [[nodiscard]] Result<void> bind(SlotResources& slot, const Buffer& cells, const Buffer& masks,
                                  const Over& over, Extent size, BindingWriter& bindings) const;
  /// Returns the masks of the picture's glyphs.
  [[nodiscard]] const Buffer& masks() const { return masks_; }

  /// Records the commands that draw `cells` into a window's image. Call prepare_window() first.
  void record_window(FrameCommands& frame_commands, const SlotSets& sets, Buffer& cells, Image& target);
  /// Records the commands that draw `cells` into the picture that is bound at PictureBinding. Call
  /// prepare_picture() first. The caller must call Commands::use() for the picture's buffer.
  void record_picture(FrameCommands& frame_commands, const SlotSets& sets, Buffer& cells);

 private:
  [[nodiscard]] Result<void> write_text(SlotResources& slot,
                                        const std::shared_ptr<const render::TextImage>& text) const;

  explicit DrawPass(Pipelines& pipelines) : pipelines_(&pipelines) {}

  Pipelines* pipelines_;
  GridSize grid_;
  CellSize cell_;
  Buffer masks_;
  Constants cell_constants_;  ///< values of the first specialization constants in shaders/cell_pixels.glsl
  VkPipeline window_pipeline_ = VK_NULL_HANDLE;
  bool is_specialized_ = false;  ///< window_pipeline_ is for this cell size
  VkPipeline picture_pipeline_ = VK_NULL_HANDLE;
  PictureFormat picture_format_ = PictureFormat::None;  ///< the format that picture_pipeline_ draws
  Extent picture_size_;
};

/// Returns the left or top edge of a grid that is centered in a target; negative if the grid is larger than
/// the target. `target`, `grid`: lengths along one axis.
[[nodiscard]] constexpr int centered(int target, int grid) {
  return (target - grid) / 2;
}

}  // namespace glyphreel::gpu
