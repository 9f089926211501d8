#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/frame.h"
#include "base/result.h"
#include "base/mutex.h"
#include "cli/options/settings.h"
#include "gpu/device/device.h"
#include "player/osd/split_heading.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

/// Creates the split view's GPU and CPU renderers on its own thread: a driver may take seconds to compile
/// what then runs within milliseconds. Thread-safety: one thread at a time.
class SplitOverlayBuilder {
 public:
  struct Options {
    cli::Settings settings;
    /// Null: none exists yet; one is created as the settings choose it.
    std::shared_ptr<gpu::Device> device;
    /// What will be shown, to compile that ahead; without a frame nothing is compiled.
    render::RenderSetup setup;
    render::FrameOptions frame_options;
    std::optional<Frame> frame;
    std::function<void()> on_made;  ///< called on that thread: a wakeup only
  };
  explicit SplitOverlayBuilder(const Options& options);

  /// Returns the result once, when it is ready: the GPU is left, the CPU right. Errors: NoDevice if there
  /// is no GPU; Failed, also if no thread can be started.
  [[nodiscard]] std::optional<Result<std::shared_ptr<render::SplitRenderer>>> poll() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::optional<Result<std::shared_ptr<render::SplitRenderer>>> made_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

/// Returns what the heading shows. Its times are medians of about the last second, so that they stay
/// readable; frames before reset_findings() do not count.
[[nodiscard]] SplitFacts split_facts(const render::SplitRenderer& split);

}  // namespace glyphreel::player
