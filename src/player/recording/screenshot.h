#pragma once

#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Maps and draws the frame with `setup` and `options`, and writes it to the current folder, as a picture
/// NAME.png and as characters NAME.txt. NAME is the first of glyphreel-0001, glyphreel-0002... that is free.
/// Returns the picture's file name. Temporal stability has no effect: the cells do not depend on earlier
/// frames. Errors: Failed if the files cannot be written.
[[nodiscard]] Result<std::string> save_screenshot_files(const Frame& frame, const render::RenderSetup& setup,
                                                        const render::FrameOptions& options);

/// Writes the same files for a frame that was already rendered with `setup` and without overlay.
[[nodiscard]] Result<std::string> save_screenshot_files(const render::RenderedFrame& shown,
                                                        const render::RenderSetup& setup);

}  // namespace glyphreel::player
