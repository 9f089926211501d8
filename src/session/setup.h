#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "gpu/device/device.h"
#include "media/source.h"
#include "render/renderer.h"
#include "text/charset.h"

namespace glyphreel::session {

/// Memory for decoded frames. Once bind() is called, blocks come from the renderer's memory. Until then,
/// acquire() returns null, and decoders allocate memory themselves. An input can thus be opened, and its
/// errors reported, before a window or device exists.
class DeferredHostMemory final : public HostMemory {
 public:
  /// `memory` may be null. Call this before the first frame is decoded.
  void bind(HostMemory* memory) { memory_ = memory; }
  [[nodiscard]] std::shared_ptr<const HostBlock> acquire(std::size_t size) override {
    return memory_ != nullptr ? memory_->acquire(size) : nullptr;
  }

 private:
  HostMemory* memory_ = nullptr;
};

/// Returns the settings with the colors of the palette or palette file that --palette names. Only this
/// function reads the file, because it may be a pipe, which can be read only once. For auto:N, see
/// with_input_palette(). Errors: Usage if there is no such palette or file, or if the file is malformed; the
/// message then states the line.
[[nodiscard]] Result<cli::Settings> with_palette(cli::Settings settings);

/// If the first input is a .cells file, returns the settings for drawing it: its grid and, unless options
/// select others, its characters, font and cell size. Errors: BadInput if the file is damaged.
[[nodiscard]] Result<cli::Settings> with_recorded_input(cli::Settings settings);

/// Returns the parameters for mapping frames to cells.
[[nodiscard]] mapping::Parameters mapping_parameters(const cli::Settings& settings);
/// Returns the options for rendering a frame: adjustments, effect, light and wipe, without an overlay.
[[nodiscard]] render::FrameOptions frame_options(const cli::Settings& settings);

/// Creates the glyphs of --charset or --ramp at this cell size. `missing`: characters that the output cannot
/// show. If --charset contains any of them, they are left out or replaced; see text::resolve_charset().
/// Errors: Usage if the charset, the ramp or the font is unusable.
[[nodiscard]] Result<std::shared_ptr<const text::GlyphSet>> make_glyphs(
    const cli::Settings& settings, CellSize cell, std::span<const text::CharacterRange> missing = {});

/// Opens an input. The time range, aspect ratio, threads, decoder, deinterlacing, sound languages and
/// background color of `settings` replace those of `options`. "demo:" is the clip that ships with the
/// program. Errors: Usage if --end is not later than --start, or if the input ends before --start; the other
/// errors of media::Source::open().
[[nodiscard]] Result<std::unique_ptr<media::Source>> open_input(const cli::Settings& settings,
                                                                media::SourceOptions options);

/// Returns how many frames `range` and --frames select from an input; 0: unknown.
[[nodiscard]] std::int64_t expected_frames(const cli::Settings& settings, const media::VideoFacts& facts,
                                           const media::TimeRange& range);

/// Returns the display aspect ratio of the video: width / height.
[[nodiscard]] double display_aspect(const media::VideoFacts& facts);

/// Returns the grid for cells of this size in a window: --grid, or as many cells as fit.
[[nodiscard]] GridSize window_grid(const cli::Settings& settings, Extent window, CellSize cell);

/// The grid and cell size for a window.
struct WindowLayout {
  GridSize grid;
  CellSize cell;
  bool operator==(const WindowLayout&) const = default;
};
/// Returns the layout for a window. With --grid, the cell is scaled so that the grid fits the window.
/// Otherwise, the cell is scaled by `content_scale`, and the grid has as many cells as fit in the window.
[[nodiscard]] WindowLayout window_layout(const cli::Settings& settings, Extent window, double content_scale);
/// Returns the layout for offline rendering. With --size, it is the layout for a window of that size.
/// Otherwise, the cell is --cell and the grid is --grid. If --grid is not given either, the grid fits the
/// input's size and, if possible, has at least 160 columns, because fewer columns show too little detail.
/// Errors: Usage if --grid or --cell does not fit into --size.
[[nodiscard]] Result<WindowLayout> offline_layout(const cli::Settings& settings,
                                                  const media::VideoFacts& facts);

/// Checks that the machine has the device that --device names, even if the CPU will render. Errors: NoDevice.
[[nodiscard]] Result<void> check_device(const cli::Settings& settings);

/// Checks that the input has the track that --aid names. Errors: Usage.
[[nodiscard]] Result<void> check_audio_track(const cli::Settings& settings, const media::VideoFacts& facts);

/// Whether the GPU or the CPU renders, and why.
struct RendererDecision {
  bool use_gpu = false;
  std::string reason;
};
/// Chooses the renderer. --renderer auto selects the CPU renderer if `device` is an error, or if the device's
/// driver runs on the CPU, because the CPU renderer is faster than such a driver. Otherwise, it selects the
/// GPU. Errors: the error of `device` if --renderer gpu is set.
[[nodiscard]] Result<RendererDecision> decide_renderer(const cli::Settings& settings,
                                                       const Result<std::shared_ptr<gpu::Device>>& device);

}  // namespace glyphreel::session
