#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "cli/settings.h"
#include "gpu/device.h"
#include "media/source.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Memory for decoded frames that is only known once the renderer is: until bind() there is none, and
/// decoders use their own. So an input can be opened, and its errors told, before any window or device.
class LateHostMemory final : public HostMemory {
 public:
  /// `memory` may be null. Called before the first frame is decoded.
  void bind(HostMemory* memory) { memory_ = memory; }
  [[nodiscard]] std::shared_ptr<const HostBlock> acquire(std::size_t size) override {
    return memory_ != nullptr ? memory_->acquire(size) : nullptr;
  }

 private:
  HostMemory* memory_ = nullptr;
};

/// The settings with the colours of --palette's file in them. Read once: the file may be a pipe.
/// Errors: Usage with the line that is malformed.
[[nodiscard]] Result<cli::Settings> with_palette(cli::Settings settings);

[[nodiscard]] mapping::Adjustments adjustments(const cli::Settings& settings);
[[nodiscard]] mapping::Parameters mapping_parameters(const cli::Settings& settings);
[[nodiscard]] render::Effect effect(const cli::Settings& settings);

/// The glyphs that the settings ask for, at this cell size. Errors: Usage: charset, ramp, font.
[[nodiscard]] Result<std::shared_ptr<const text::GlyphSet>> make_glyphs(const cli::Settings& settings,
                                                                        CellSize cell);

/// Opens an input with the settings' time range. "demo:" is the clip that comes with the program.
/// Errors: Usage (--start after --end); BadInput.
struct InputOptions {
  std::string url;
  HostMemory* memory = nullptr;
  StageTimes* times = nullptr;
  media::AudioDelivery audio = media::AudioDelivery::None;
  int audio_track = 0;  ///< see media::SourceOptions, as is the next one
  bool want_subtitles = false;
  bool tells_skipped = false;  ///< see media::SourceOptions, as are the next two
  std::stop_token stop = {};   ///< a request ends the opening soon
  const media::LateHardware* hardware = nullptr;
  bool ends_on_interrupt = false;
};
[[nodiscard]] Result<std::unique_ptr<media::Source>> open_input(const cli::Settings& settings,
                                                                const InputOptions& options);

/// Frames that the settings' time range leaves of an input; 0: unknown.
[[nodiscard]] std::int64_t expected_frames(const cli::Settings& settings, const media::VideoFacts& facts);

/// Width over height as displayed.
[[nodiscard]] double display_aspect(const media::VideoFacts& facts);

/// The grid of an off-line picture: --grid, or what fits --size, or what fits the input's own size, at least
/// about 80 columns wide, since text of a tiny picture would be unreadable.
[[nodiscard]] GridSize offline_grid(const cli::Settings& settings, const media::VideoFacts& facts);

/// The grid for cells of this size in a window: --grid, or as many as it holds.
[[nodiscard]] GridSize window_grid(const cli::Settings& settings, Extent window, CellSize cell);

/// A grid and a cell size for a window: a fixed --grid scales the cell, otherwise the cell fills the window.
struct WindowLayout {
  GridSize grid;
  CellSize cell;
  bool operator==(const WindowLayout&) const = default;
};
[[nodiscard]] WindowLayout window_layout(const cli::Settings& settings, Extent window, double content_scale);

/// Whether the GPU or the CPU renders, and why in words.
struct RendererDecision {
  bool use_gpu = false;
  std::string reason;
};
/// `device`: null where there is none, `device_error` then says why. Auto takes the GPU unless its driver
/// runs on the CPU: there the CPU renderer does the same work faster. Errors: NoDevice where the GPU is
/// demanded and there is none.
[[nodiscard]] Result<RendererDecision> decide_renderer(const cli::Settings& settings,
                                                       const gpu::Device* device, const Error* device_error);

}  // namespace glyphreel::player
