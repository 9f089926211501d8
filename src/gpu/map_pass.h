#pragma once

#include <optional>

#include "base/frame.h"
#include "base/result.h"
#include "gpu/frame_ring.h"
#include "gpu/frame_source.h"
#include "gpu/pipelines.h"
#include "gpu/slot_resources.h"
#include "mapping/glyph_tables.h"
#include "mapping/sample_plan.h"
#include "render/renderer.h"

namespace glyphreel::gpu {

/// Frames to cells: samples the lattice and matches glyphs, in two dispatches.
/// Thread-safety: one thread at a time.
class MapPass {
 public:
  /// Errors: Usage where ramp and glyphs do not fit; Failed.
  [[nodiscard]] static Result<MapPass> make(Pipelines& pipelines, const render::RenderSetup& setup);

  /// Bytes of a slot's lattice buffer.
  [[nodiscard]] std::size_t lattice_bytes() const;

  /// Makes what frames like this one need: nothing, unless its size, format or rotation is new.
  [[nodiscard]] Result<void> prepare(Pipelines& pipelines, const FrameView& frame);

  /// Writes the slot's parameters and tells the bindings. After prepare() for the same frame.
  void bind(SlotResources& slot, const FrameView& view, const FrameBuffer& frame,
            BindingWriter& bindings) const;

  /// Records both dispatches: slot.cells holds the cells afterwards.
  void record(FrameRing::Recording& recording, const Pipelines& pipelines, VkDescriptorSet set,
              SlotResources& slot);

 private:
  MapPass() = default;

  GridSize grid_;
  Fit fit_ = Fit::Contain;
  CellSize cell_;
  GridSize samples_;
  mapping::Parameters parameters_;
  mapping::shared::MapParameters map_parameters_{};
  Buffer tables_;
  VkPipeline match_pipeline_ = VK_NULL_HANDLE;

  std::optional<mapping::SampleKey> key_;
  mapping::shared::SampleParameters sample_parameters_{};
  Buffer axes_;
  VkPipeline sample_pipeline_ = VK_NULL_HANDLE;
};

}  // namespace glyphreel::gpu
