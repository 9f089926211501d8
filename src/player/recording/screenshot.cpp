#include "player/recording/screenshot.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/threads/stage_times.h"
#include "base/threads/thread_pool.h"
#include "media/still/still_picture.h"
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

Result<render::RenderedFrame> render_once(const Frame& frame, const render::RenderSetup& setup,
                                          const render::FrameOptions& options) {
  StageTimes times;
  const std::unique_ptr<render::Renderer> renderer = render::make_cpu_renderer(0, times);
  TRY(renderer->configure(setup));
  return renderer->render(frame, options);
}

/// Draws the cells of a frame that was already rendered.
Result<render::RenderedFrame> draw(const render::RenderedFrame& shown, const render::RenderSetup& setup) {
  StageTimes times;
  ThreadPool pool(1);
  render::CellCompositor painter(pool, times);
  painter.configure(setup);
  TRY_ASSIGN(std::shared_ptr<const HostBlock> cells, painter.cell_block());
  std::copy(shown.cells.begin(), shown.cells.end(), reinterpret_cast<render::Cell*>(cells->bytes));
  return painter.paint({.cells = std::move(cells)}, {});
}

render::RenderSetup picture_setup(render::RenderSetup setup) {
  setup.picture = PictureFormat::Bgra8;
  return setup;
}

/// Whether the characters show the picture without the cells' colors.
bool is_readable_without_colors(const mapping::Parameters& mapping) {
  return mapping.color == mapping::Color::Mono && mapping.reverse == Reverse::Never;
}

/// Returns the setup for characters that are readable without colors.
render::RenderSetup text_setup(render::RenderSetup setup) {
  setup.picture = PictureFormat::None;
  setup.mapping.color = mapping::Color::Mono;
  setup.mapping.reverse = Reverse::Never;
  setup.mapping.palette.clear();
  setup.tables = nullptr;  // they were made for the picture's mapping
  return setup;
}

}  // namespace

Result<std::string> save_screenshot_files(const Frame& frame, const render::RenderedFrame* shown,
                                          const render::RenderSetup& setup,
                                          const render::FrameOptions& options) {
  const render::RenderSetup drawn = picture_setup(setup);
  TRY_ASSIGN(const render::RenderedFrame picture,
             shown != nullptr ? draw(*shown, drawn) : render_once(frame, drawn, options));
  render::RenderedFrame characters = picture;
  if (!is_readable_without_colors(setup.mapping)) {
    TRY_ASSIGN(characters, render_once(frame, text_setup(setup), options));
  }
  TRY_ASSIGN(const std::string name, free_name());
  TRY(media::write_png({.path = name + ".png"}, picture.picture));
  std::string text;
  present::append_text(text, characters, *setup.glyphs);
  TRY(write_file({.path = name + ".txt"}, text));
  return name + ".png";
}

}  // namespace glyphreel::player
