#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/io/input_files.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "commands/comparison.h"
#include "render/renderer.h"

namespace glyphreel::commands {

/// The page that `compare --report DIR` writes: selected frames side by side (GPU, CPU, difference heat map,
/// and the source with a slider) as PNG files, and the time of each frame and stage on both renderers as
/// plots. DIR/index.html needs nothing outside DIR. Thread-safety: one thread.
class Report {
 public:
  /// Creates DIR if it does not exist. Never replaces one of `inputs`. Errors: Failed if DIR cannot be
  /// written.
  [[nodiscard]] static Result<std::unique_ptr<Report>> make(const std::string& directory,
                                                            const InputFiles& inputs = {});
  virtual ~Report() = default;

  /// The source frame, scaled to the size of the pictures.
  struct Source {
    std::span<const std::uint32_t> pixels;  ///< 0xLLRRGGBB (L: luma) for each pixel; empty: unknown
    double ssim = 0;                        ///< similarity of the CPU's picture to the source; see ssim()
  };
  /// Adds one compared frame with Bgra8 pictures. Writes the pictures of evenly spaced frames, and of the
  /// first frames that differ. Errors: Failed if a picture cannot be written.
  [[nodiscard]] virtual Result<void> add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu,
                                         const Source& source) = 0;
  [[nodiscard]] Result<void> add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) {
    return add(gpu, cpu, {});
  }

  struct Summary {
    std::string title;     ///< the URL or path of the input
    std::string gpu, cpu;  ///< the description() of each renderer
    const StageTimes* gpu_times = nullptr;
    const StageTimes* cpu_times = nullptr;
    const Comparison* comparison = nullptr;
    /// The glyph set whose characters the page shows for the first mismatch. If null, the page shows only
    /// glyph numbers.
    const text::GlyphSet* glyphs = nullptr;
  };
  /// Writes index.html. Errors: those of write_file().
  [[nodiscard]] virtual Result<void> finish(const Summary& summary) = 0;
};

}  // namespace glyphreel::commands
