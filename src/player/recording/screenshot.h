#pragma once

#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// A frame to save to files or to copy to the clipboard.
struct Screenshot {
  Frame frame;
  /// The frame as rendered with `setup`, without overlay. Null: the frame is mapped and drawn with `setup`
  /// and `options`, without temporal stability, so that the cells do not depend on earlier frames.
  const render::RenderedFrame* shown = nullptr;
  render::RenderSetup setup;
  render::FrameOptions options;
  cli::Settings settings;  ///< provides the file formats, the font and the terminal colors
};

/// Writes a frame to the current folder, as one file for each format of settings.screenshot_formats. The
/// files share the first free name of glyphreel-0001, glyphreel-0002... For .txt, which has no colors, and
/// for formats with few colors, the frame is mapped to characters again. Returns the names of the files, for
/// a message.
/// In .cells, .html and .cast, the frame lasts a second.
/// Errors: Failed if a file cannot be written; Usage if a format cannot contain the cells. Files that were
/// written before the error remain.
[[nodiscard]] Result<std::string> save_screenshot(const Screenshot& shot);

/// Returns the frame as lines of characters that are readable without colors.
[[nodiscard]] Result<std::string> screenshot_text(const Screenshot& shot);

/// Returns the frame as lines of characters with escape sequences for the colors.
[[nodiscard]] Result<std::string> screenshot_ansi(const Screenshot& shot);

}  // namespace glyphreel::player
