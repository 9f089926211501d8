#pragma once

#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Writes the frame as text under `setup` and `options`: as a picture NAME.png and as characters NAME.txt, in
/// the current folder; NAME is the first of glyphreel-0001, glyphreel-0002... that is free. Returns the
/// picture's file name. The picture shows this frame alone, without what temporal stability kept of earlier
/// frames. Errors: Failed if the files cannot be written.
[[nodiscard]] Result<std::string> save_screenshot_files(const Frame& frame, const render::RenderSetup& setup,
                                                        const render::FrameOptions& options);

/// The same for cells that are already mapped under `setup`, without text over them.
[[nodiscard]] Result<std::string> save_screenshot_files(const render::RenderedFrame& shown,
                                                        const render::RenderSetup& setup);

}  // namespace glyphreel::player
