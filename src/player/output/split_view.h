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
  /// The GPU to use. Null: make_split_view() creates the device that the settings select.
  std::shared_ptr<gpu::Device> device;
  /// Setup and options for rendering `frame`. Without a frame, they are not used.
  render::RenderSetup setup;
  render::FrameOptions frame_options;
  /// Rendered once, so that all shaders are compiled before the view is shown. Empty: nothing is compiled.
  std::optional<Frame> frame;
};
/// Creates the split view's renderers: the GPU on the left, the CPU on the right. Blocks until they are
/// ready, which takes seconds if the driver has to compile shaders. Errors: NoDevice if no Vulkan device can
/// be used; if `frame` is set, also the errors of SplitRenderer::configure() and SplitRenderer::render().
[[nodiscard]] Result<std::shared_ptr<render::SplitRenderer>> make_split_view(const SplitViewOptions& options);

/// Returns the content of the split view's heading. The times are medians over about the last second, because
/// times that changed with each frame would be unreadable. Only frames rendered since
/// SplitRenderer::reset_findings() count.
[[nodiscard]] SplitFacts split_facts(const render::SplitRenderer& split);

}  // namespace glyphreel::player
