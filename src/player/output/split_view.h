#pragma once

#include <memory>
#include <optional>

#include "base/frame.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "gpu/device/device.h"
#include "player/osd/split_heading.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

struct SplitViewOptions {
  cli::Settings settings;
  /// Null: none exists yet; one is created as the settings choose it.
  std::shared_ptr<gpu::Device> device;
  /// What will be shown, to compile that ahead; without a frame nothing is compiled.
  render::RenderSetup setup;
  render::FrameOptions frame_options;
  std::optional<Frame> frame;
};
/// Creates the split view's renderers: the GPU is left, the CPU right. Blocks, for seconds if a driver has to
/// compile what then runs within milliseconds. Errors: NoDevice if there is no GPU; Failed.
[[nodiscard]] Result<std::shared_ptr<render::SplitRenderer>> make_split_view(const SplitViewOptions& options);

/// Returns what the heading shows. Its times are medians of about the last second, so that they stay
/// readable; only frames since reset_findings() count.
[[nodiscard]] SplitFacts split_facts(const render::SplitRenderer& split);

}  // namespace glyphreel::player
