#pragma once

#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Writes a frame to the current folder, as a picture NAME.png and as characters NAME.txt. NAME is the first
/// of glyphreel-0001, glyphreel-0002... that is free. Returns the picture's file name. The picture is
/// `shown`, which was rendered with `setup` and without overlay; if it is null, the frame is mapped and drawn
/// with `setup` and `options`. Cells with colors of their own are mapped again, for one color, to get the
/// characters, because a text file has no colors. Temporal stability has no effect: the cells do not depend
/// on earlier frames. Errors: Failed if the files cannot be written.
[[nodiscard]] Result<std::string> save_screenshot_files(const Frame& frame,
                                                        const render::RenderedFrame* shown,
                                                        const render::RenderSetup& setup,
                                                        const render::FrameOptions& options);

}  // namespace glyphreel::player
