#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/frame.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "cli/settings.h"
#include "gpu/device.h"
#include "player/osd/split_heading.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

/// Makes the GPU's renderer and the CPU's side by side, on a thread of its own: a driver may compile for
/// seconds what then runs within milliseconds. Thread-safety: one thread at a time.
class SplitMaker {
 public:
  struct Options {
    cli::Settings settings;
    /// Null where there is none yet; then one is made, as the settings choose it.
    std::shared_ptr<gpu::Device> device;
    /// What will be shown, to have that compiled; without a frame nothing is.
    render::RenderSetup setup;
    std::optional<Frame> frame;
    std::function<void()> on_made;  ///< called on that thread: a wake-up, no more
  };
  explicit SplitMaker(const Options& options);

  /// Once, when it is there: the GPU is left, the CPU right. Errors: NoDevice where there is no GPU; Failed,
  /// also where there is no room for a thread.
  [[nodiscard]] std::optional<Result<std::shared_ptr<render::SplitRenderer>>> poll() EXCLUDES(mutex_);

 private:
  std::mutex mutex_;
  std::optional<Result<std::shared_ptr<render::SplitRenderer>>> made_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

/// What the heading tells of it. Its times are medians of the last second or so, which can be read; those of
/// frames before start_anew() do not count.
[[nodiscard]] SplitFacts split_facts(const render::SplitRenderer& split);

}  // namespace glyphreel::player
