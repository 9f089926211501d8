#pragma once

#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Writes the frame as text under `setup`: as a picture NAME.png and as characters NAME.txt, in the current
/// folder; NAME is the first of glyphreel-0001, glyphreel-0002... that is free. Returns the picture's name.
/// The picture is that of the frame alone, without what stability kept of those before it. Errors: Failed
/// where they cannot be written.
[[nodiscard]] Result<std::string> save_screenshot_files(const Frame& frame, const render::RenderSetup& setup);

/// The same of cells that were mapped under `setup` before, without text over them.
[[nodiscard]] Result<std::string> save_screenshot_files(const render::RenderedFrame& shown,
                                                        const render::RenderSetup& setup);

}  // namespace glyphreel::player
