#include "player/recording/screenshot.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/threads/stage_times.h"
#include "base/threads/thread_pool.h"
#include "media/still/png.h"
#include "present/export/frame_sink.h"
#include "render/cell_compositor.h"

namespace glyphreel::player {
namespace {

constexpr int MaxScreenshots = 9999;

/// Returns the first name, without extension, for which neither the .png nor the .txt file exists.
Result<std::string> free_name() {
  for (int n = 1; n <= MaxScreenshots; ++n) {
    std::string name = fmt::format("glyphreel-{:04}", n);
    std::error_code problem;
    if (!std::filesystem::exists(name + ".png", problem) &&
        !std::filesystem::exists(name + ".txt", problem)) {
      return name;
    }
  }
  return Error{ErrorCode::Failed,
               "This folder has no free screenshot name left; move some screenshots to another folder.",
               {}};
}

Result<std::string> write_files(const render::RenderedFrame& rendered,
                                const std::shared_ptr<const text::GlyphSet>& glyphs) {
  TRY_ASSIGN(const std::string name, free_name());
  TRY(media::write_png({.path = name + ".png"}, rendered.picture));
  std::string text;
  present::append_text(text, rendered, *glyphs);
  TRY(write_file({.path = name + ".txt"}, text));
  return name + ".png";
}

}  // namespace

Result<std::string> save_screenshot_files(const Frame& frame, const render::RenderSetup& setup,
                                          const render::FrameOptions& options) {
  StageTimes times;
  const std::unique_ptr<render::Renderer> renderer = render::make_cpu_renderer(0, times);
  render::RenderSetup drawn = setup;
  drawn.picture = PictureFormat::Bgra8;
  TRY(renderer->configure(drawn));
  TRY_ASSIGN(const render::RenderedFrame rendered, renderer->render(frame, options));
  return write_files(rendered, setup.glyphs);
}

Result<std::string> save_screenshot_files(const render::RenderedFrame& shown,
                                          const render::RenderSetup& setup) {
  StageTimes times;
  ThreadPool pool(1);
  render::CellCompositor painter(pool, times);
  render::RenderSetup drawn = setup;
  drawn.picture = PictureFormat::Bgra8;
  painter.configure(drawn);
  TRY_ASSIGN(std::shared_ptr<const HostBlock> cells, painter.cell_block());
  std::copy(shown.cells.begin(), shown.cells.end(), reinterpret_cast<render::Cell*>(cells->bytes));
  TRY_ASSIGN(const render::RenderedFrame rendered, painter.paint({.cells = std::move(cells)}, nullptr));
  return write_files(rendered, setup.glyphs);
}

}  // namespace glyphreel::player
