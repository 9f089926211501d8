#pragma once

#include <optional>

#include "base/frame.h"
#include "base/result.h"
#include "gpu/passes/slot_resources.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/frame_source.h"
#include "gpu/resources/pipelines.h"
#include "mapping/tables/glyph_tables.h"
#include "mapping/tables/sample_plan.h"
#include "render/renderer.h"

namespace glyphreel::gpu {

/// The pipelines that map frames with one setup's parameters. A `Pipelines` object owns the handles.
struct MapPipelines {
  VkPipeline analyze = VK_NULL_HANDLE;  ///< null, like `state`, if the setup needs no analysis
  VkPipeline state = VK_NULL_HANDLE;
  VkPipeline draft = VK_NULL_HANDLE;  ///< null unless mapping has two passes
  VkPipeline match = VK_NULL_HANDLE;
};
/// Creates the pipelines; returns quickly if they exist already.
/// Thread-safety: any thread.
[[nodiscard]] Result<MapPipelines> make_map_pipelines(Pipelines& pipelines,
                                                      const mapping::shared::MapParameters& parameters);

/// Maps frames to cells: samples each frame at the points of a lattice, analyzes the frame as a whole if the
/// setup asks for it, and matches glyphs.
///
/// Some buffers of the pass carry state from one frame to the next. All frames in flight can share these
/// buffers, because the GPU uses the buffers in the order in which the frames were submitted.
/// Thread-safety: one thread at a time.
class MapPass {
 public:
  /// Errors: Usage if the setup's ramp does not fit its glyphs, or if the grid is too large for the GPU's
  /// buffers; Failed if a Vulkan call fails.
  [[nodiscard]] static Result<MapPass> make(Pipelines& pipelines, const render::RenderSetup& setup);

  /// Returns the size of a slot's lattice buffer in bytes.
  [[nodiscard]] std::size_t lattice_bytes() const;

  /// Returns a key that describes how `frame` is sampled. Frames with equal keys are sampled alike.
  [[nodiscard]] mapping::SampleKey key_of(const FrameView& frame,
                                          const mapping::Adjustments& adjustments) const;
  /// Prepares the pass for mapping frames like `frame`, which is imported as `source`. Makes a new sample
  /// plan only if the frame's SampleKey differs from that of the last call, or if the planes change from a
  /// buffer to images or from images to a buffer.
  [[nodiscard]] Result<void> prepare(const FrameView& frame, const GpuFrame& source,
                                     const mapping::Adjustments& adjustments);
  /// Prepares for scaling frames like `frame` to the picture's size. The wipe (render::FrameOptions::wipe)
  /// shows the scaled frames.
  [[nodiscard]] Result<void> prepare_source(const FrameView& frame, const GpuFrame& source);

  /// Returns the parameters that cells are mapped with. tables() returns the buffer for TableBinding.
  [[nodiscard]] const mapping::shared::MapParameters& parameters() const { return map_parameters_; }
  [[nodiscard]] const Buffer& tables() const { return tables_; }

  /// Writes the slot's parameters and adds all bindings of the pass except CellBinding. Call after
  /// prepare() for the same frame. Errors: Failed if memory for a copy of the frame is exhausted.
  [[nodiscard]] Result<void> bind(SlotResources& slot, const Frame& frame, const GpuFrame& source,
                                  BindingWriter& bindings);
  /// Creates slot.source if it is missing, and adds the bindings for SetKind::Source. Call after
  /// prepare_source() and bind() for the same frame.
  [[nodiscard]] Result<void> bind_source(SlotResources& slot, const Frame& frame, const GpuFrame& source,
                                         BindingWriter& bindings) const;

  /// Whether record() also writes the frame's pixels to slot.source.
  enum class WithSource { No, Yes };
  /// Records the dispatches that map the recording's frame (FrameCommands::read()) to slot.cells.
  /// If `epoch` differs from the last frame's, discards the state carried over from earlier frames. The
  /// caller must submit the recording.
  void record(FrameCommands& frame_commands, const SlotSets& sets, SlotResources& slot, std::uint32_t epoch,
              WithSource with_source);

 private:
  /// If the frame is in host memory and MemoryPolicy::stages is true, records the commands that copy the
  /// frame to slot.frame.
  void stage(Commands& commands, const GpuFrame& frame, SlotResources& slot) const;

  MapPass(Pipelines& pipelines, const render::RenderSetup& setup)
      : pipelines_(&pipelines),
        setup_(setup),
        samples_(mapping::samples_per_cell(setup.glyphs->cell(), setup.mapping.sampling)) {}

  Pipelines* pipelines_;
  render::RenderSetup setup_;
  GridSize samples_;
  mapping::shared::MapParameters map_parameters_{};
  Buffer tables_;
  MapPipelines stages_;

  std::optional<std::uint32_t> epoch_;  ///< the epoch of the last frame recorded
  Buffer analysis_;                     ///< the analysis of the last frame recorded
  Buffer history_;                      ///< the cells of the last frame recorded
  Buffer drafts_;                       ///< the last frame's drafts; one unused draft if mapping has one pass
  Buffer state_;  ///< the state of the last frame recorded, and the sums for the next state

  /// A pipeline that samples frames, and its parameters.
  struct Sampling {
    Constants constants;
    mapping::shared::SampleParameters parameters{};
    VkPipeline pipeline = VK_NULL_HANDLE;
  };
  /// How frames are sampled to one lattice: that of the cells, or that of the picture's pixels.
  struct Lattice {
    std::optional<mapping::SampleKey> key;
    bool from_images = false;  ///< whether the members below are for planes that are images
    Buffer axes;
    Sampling special;  ///< its pipeline is only for this grid and frame size
    Sampling general;  ///< its pipeline is for all grids and frame sizes
    bool uses_special = false;
    [[nodiscard]] const Sampling& sampling() const { return uses_special ? special : general; }
  };
  [[nodiscard]] Result<void> prepare(Lattice& lattice, const mapping::SampleKey& key,
                                     const GpuFrame& source) const;
  /// Writes the lattice's SampleParameters to slot.parameters at `offset`. Adds the bindings with which
  /// sample_lattice.comp samples the frame and writes the samples to `pixels`.
  void bind(const Lattice& lattice, const Frame& frame, const GpuFrame& source, SlotResources& slot,
            VkDeviceSize offset, const Buffer& pixels, BindingWriter& bindings) const;
  /// Chooses the pipeline that samples the next frames: that of `special` if it exists, otherwise that of
  /// `general`. If neither exists, creates that of `special`. If the setup may be resized, compiles the other
  /// pipeline in the background, so that a new grid does not delay a frame.
  [[nodiscard]] Result<void> choose_sampling(Lattice& lattice) const;

  Lattice cells_, pixels_;
};

}  // namespace glyphreel::gpu
