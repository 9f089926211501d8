#pragma once

#include <optional>
#include <vector>

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

/// What maps by one setup's parameters; owned by Pipelines.
struct MapPipelines {
  VkPipeline analyse = VK_NULL_HANDLE;  ///< this and the next: none where nothing needs them
  VkPipeline state = VK_NULL_HANDLE;
  VkPipeline draft = VK_NULL_HANDLE;  ///< none where cells are looked at once
  VkPipeline match = VK_NULL_HANDLE;
};
/// Any thread; quick where they were made before.
[[nodiscard]] Result<MapPipelines> make_map_pipelines(Pipelines& pipelines,
                                                      const mapping::shared::MapParameters& parameters);

/// Frames to cells: samples the lattice, looks at the frame as a whole where the setup asks for it, and
/// matches glyphs. Frames are one sequence, in the order of their record(): what one frame leaves for the
/// next stays in buffers of the pass, which the queue's own order keeps from frames in flight beside it.
/// Thread-safety: one thread at a time.
class MapPass {
 public:
  /// Errors: Usage where ramp and glyphs do not fit; Failed.
  [[nodiscard]] static Result<MapPass> make(Pipelines& pipelines, const render::RenderSetup& setup);

  /// Bytes of a slot's lattice buffer.
  [[nodiscard]] std::size_t lattice_bytes() const;

  /// Makes what frames like this one, brought as `source`, need: nothing, unless its size, format or rotation
  /// is new.
  [[nodiscard]] Result<void> prepare(Pipelines& pipelines, const FrameView& frame, const GpuFrame& source);

  /// From the next prepare() on.
  void adjust(const mapping::Adjustments& adjustments) { parameters_.adjustments = adjustments; }

  /// What cells are mapped with, and TableBinding.
  [[nodiscard]] const mapping::shared::MapParameters& parameters() const { return map_parameters_; }
  [[nodiscard]] const Buffer& tables() const { return tables_; }

  /// Writes the slot's parameters and tells the bindings but for CellBinding. After prepare() for the same
  /// frame.
  void bind(SlotResources& slot, const Frame& frame, const GpuFrame& source, BindingWriter& bindings);

  /// Records the dispatches: slot.cells holds the cells afterwards. A frame of another epoch than the last
  /// one starts the sequence anew. What is recorded must be submitted.
  void record(FrameRing::Recording& recording, const Pipelines& pipelines, VkDescriptorSet set,
              SlotResources& slot, std::uint32_t epoch);

 private:
  MapPass() = default;
  [[nodiscard]] Result<void> make_sequence(Device& device);
  void record_analysis(Commands& commands);

  GridSize grid_;
  Fit fit_ = Fit::Contain;
  CellSize cell_;
  GridSize samples_;
  mapping::Parameters parameters_;
  mapping::shared::MapParameters map_parameters_{};
  Buffer tables_;
  MapPipelines pipelines_;

  std::optional<std::uint32_t> epoch_;  ///< of the last frame recorded
  Buffer analysis_;                     ///< of the frame recorded last
  Buffer history_;                      ///< its cells
  Buffer drafts_;                       ///< of this frame; one cell where there are none
  Buffer state_;                        ///< its state, and the sums that the next one's is made from

  std::optional<mapping::SampleKey> key_;
  bool from_images_ = false;  ///< what the next three are for
  mapping::shared::SampleParameters sample_parameters_{};
  Buffer axes_;
  VkPipeline sample_pipeline_ = VK_NULL_HANDLE;
  std::vector<Image*> images_;  ///< of the frame bound last, and the next two
  VkBuffer buffer_ = VK_NULL_HANDLE;
  std::uint32_t lender_ = VK_QUEUE_FAMILY_IGNORED;
};

}  // namespace glyphreel::gpu
