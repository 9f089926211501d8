#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "batch/pictures/engine_balance.h"
#include "cli/options/settings.h"
#include "commands/collections/segment_job.h"
#include "commands/record_kit.h"
#include "render/renderer.h"

namespace glyphreel::commands {

/// The pictures that one thread has read and renders together. On the GPU, pictures of the same grid, size
/// and pixel format share a submission.
/// Thread-safety: one thread at a time.
class PictureBatch {
 public:
  struct Options {
    std::shared_ptr<RecordKit> kit;         ///< owns the renderers
    batch::EngineBalance::Engines engines;  ///< engines that this thread may use
    batch::EngineBalance& balance;
    const std::atomic<bool>& is_stopped;  ///< once true, pictures that are not written yet are skipped
    int chosen = 0;                       ///< the value of --batch; 0: see batch::batch_size()
    int jobs = 1;                         ///< the number of threads that share the pictures
  };
  explicit PictureBatch(Options options) : options_(std::move(options)) {}

  [[nodiscard]] bool is_empty() const { return pictures_.empty(); }
  /// Whether the pictures should be rendered before another one is read. `waiting`: the number of units that
  /// no thread has begun.
  [[nodiscard]] bool is_full(std::size_t waiting) const;
  /// Whether a task's picture can be added: it must have the same settings as the other pictures, because the
  /// kit has one renderer at a time.
  [[nodiscard]] bool accepts(const SegmentTask& task) const {
    return is_empty() || pictures_.front()->task().settings == task.settings;
  }
  /// Adds a picture that was read.
  void add(std::unique_ptr<Conversion> picture);
  /// Call this after other code has configured the kit's renderer.
  void forget_setup() { configured_ = {}; }

  /// Renders and writes all pictures, and passes each to `ended`.
  using Ended = std::function<void(Conversion&)>;
  void convert(const Ended& ended);

 private:
  using Pictures = std::span<const std::unique_ptr<Conversion>>;
  /// The last configuration of an engine's renderer.
  struct Configured {
    const cli::Settings* settings = nullptr;  ///< SegmentTask::settings; null: not configured
    render::RenderSetup setup;
  };

  [[nodiscard]] render::Renderer& renderer_of(batch::Engine engine, const Conversion& picture) const;
  /// Configures the engine's renderer for the first picture's setup, unless it already has this setup.
  [[nodiscard]] Result<void> configure(batch::Engine engine, const Conversion& first);
  /// Renders and writes pictures that have the same setup.
  void convert_group(Pictures group, const Ended& ended);
  /// Renders all `pictures` together. Their number must not exceed render::Renderer::most_together().
  [[nodiscard]] Result<std::vector<render::RenderedFrame>> render(batch::Engine engine, Pictures pictures);

  const Options options_;
  std::vector<std::unique_ptr<Conversion>> pictures_;
  std::int64_t bytes_ = 0;                ///< memory that pictures_ need until they are written
  std::array<Configured, 2> configured_;  ///< by batch::Engine
  bool is_warm_ = false;  ///< whether the GPU has rendered a batch; its first batch compiles pipelines
  std::uint32_t epoch_ =
      0;  ///< of the last picture; each picture has a new epoch, so that mapping keeps no history
};

}  // namespace glyphreel::commands
