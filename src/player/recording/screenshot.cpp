#include "player/recording/screenshot.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/threads/stage_times.h"
#include "base/threads/thread_pool.h"
#include "player/control/terminal_palette.h"
#include "present/export/frame_sink.h"
#include "render/cell_compositor.h"

namespace glyphreel::player {
namespace {

constexpr int MaxScreenshots = 9999;

/// Returns the first file name, without extension, that is free for all `formats`.
Result<std::string> free_name(std::span<const std::string> formats) {
  for (int n = 1; n <= MaxScreenshots; ++n) {
    std::string name = fmt::format("glyphreel-{:04}", n);
    const auto exists = [&](const std::string& format) {
      std::error_code problem;
      return std::filesystem::exists(fmt::format("{}.{}", name, format), problem);
    };
    if (std::ranges::none_of(formats, exists)) return name;
  }
  return Error{
      ErrorCode::Failed,
      "The current folder has no free screenshot name left; move some screenshots to another folder.",
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
Result<render::RenderedFrame> draw(const render::RenderedFrame& shown, const render::RenderSetup& setup,
                                   render::PixelLight light) {
  StageTimes times;
  ThreadPool pool(1);
  render::CellCompositor painter(pool, times);
  painter.configure(setup, setup.tables.get());
  TRY_ASSIGN(std::shared_ptr<const HostBlock> cells, painter.cell_block());
  std::copy(shown.cells.begin(), shown.cells.end(), reinterpret_cast<render::Cell*>(cells->bytes));
  return painter.paint({.cells = std::move(cells)}, {.light = light});
}

render::RenderSetup picture_setup(render::RenderSetup setup, PictureFormat picture) {
  setup.picture = picture;
  return setup;
}

/// Whether the characters were already chosen to be readable without colors.
bool is_readable_without_colors(const mapping::Parameters& mapping) {
  return mapping.color == mapping::Color::Mono && mapping.reverse == Reverse::Never;
}

/// Returns the setup for characters that are readable without colors.
render::RenderSetup text_setup(render::RenderSetup setup) {
  setup.picture = PictureFormat::None;
  setup.mapping.color = mapping::Color::Mono;
  setup.mapping.reverse = Reverse::Never;
  setup.mapping.palette.clear();
  setup.tables = nullptr;  // the tables were made for the mapping with colors
  return setup;
}

/// Renders the frame of a screenshot for the different formats.
class ShotRenderer {
 public:
  explicit ShotRenderer(const Screenshot& shot) : shot_(shot) {}

  /// Returns the cells with the characters and colors that the player shows, and a Bgra8 image drawn from
  /// these cells.
  Result<render::RenderedFrame> as_shown() {
    if (!shown_) {
      TRY_ASSIGN(shown_, as_shown_in(PictureFormat::Bgra8));
    }
    return *shown_;
  }
  /// Like as_shown(), but draws the image in the format `picture`.
  Result<render::RenderedFrame> as_shown_in(PictureFormat picture) {
    const render::RenderSetup setup = picture_setup(shot_.setup, picture);
    if (shot_.shown != nullptr) return draw(*shot_.shown, setup, shot_.options.light);
    return render_once(shot_.frame, setup, shot_.options);
  }
  /// Returns cells whose characters are readable without colors.
  Result<render::RenderedFrame> as_text() {
    if (is_readable_without_colors(shot_.setup.mapping)) return as_shown();
    return render_once(shot_.frame, text_setup(shot_.setup), shot_.options);
  }
  /// Returns cells with only these colors.
  Result<render::RenderedFrame> in_palette(std::vector<std::uint32_t> palette) {
    render::RenderSetup setup = shot_.setup;
    setup.picture = PictureFormat::None;
    setup.mapping.palette = std::move(palette);
    setup.tables = nullptr;  // the tables were made for the palette of shot_
    return render_once(shot_.frame, setup, shot_.options);
  }

 private:
  const Screenshot& shot_;
  std::optional<render::RenderedFrame> shown_;
};

present::SinkOptions sink_options(const Screenshot& shot, const std::string& path) {
  const CellSize cell = shot.setup.glyphs->cell();
  const GridSize grid = shot.setup.grid;
  return {.writer = {.path = path,
                     .grid = grid,
                     .font = shot.settings.layout.font,
                     .size = {grid.columns * cell.width, grid.rows * cell.height},
                     .time_base = {1, 1}},
          .glyphs = shot.setup.glyphs,
          .foreground = shot.settings.picture.foreground,
          .background = shot.settings.picture.background,
          .palette = terminal_palette(shot.settings.picture.color)};
}

Result<void> save(const Screenshot& shot, ShotRenderer& renderer, const std::string& path) {
  TRY_ASSIGN(const ExportFormat format, export_format_of(path));
  TRY_ASSIGN(const std::unique_ptr<present::FrameSink> sink,
             present::open_sink(format, sink_options(shot, path)));
  std::vector<std::uint32_t> palette = sink->palette();
  const PictureFormat picture = sink->picture_format();
  TRY_ASSIGN(render::RenderedFrame frame, format.writer == ExportWriter::Text ? renderer.as_text()
                                          : !palette.empty() ? renderer.in_palette(std::move(palette))
                                          : picture == PictureFormat::Yuv420p ? renderer.as_shown_in(picture)
                                                                              : renderer.as_shown());
  frame.pts = 0;
  frame.duration = 1;  // players of .cells, .html and .cast show the frame for a second
  TRY(sink->write(frame));
  return sink->finish();
}

}  // namespace

Result<std::string> save_screenshot(const Screenshot& shot) {
  const std::vector<std::string>& formats = shot.settings.window.screenshot_formats;
  TRY_ASSIGN(const std::string name, free_name(formats));
  ShotRenderer renderer(shot);
  std::string saved;
  for (const std::string& format : formats) {
    const std::string path = fmt::format("{}.{}", name, format);
    TRY(save(shot, renderer, path));
    if (!saved.empty()) saved += &format == &formats.back() ? " and " : ", ";
    saved += path;
  }
  return saved;
}

Result<std::string> screenshot_text(const Screenshot& shot) {
  TRY_ASSIGN(const render::RenderedFrame frame, ShotRenderer(shot).as_text());
  std::string text;
  present::append_text(text, frame, *shot.setup.glyphs);
  text.pop_back();  // removes the form feed
  return text;
}

Result<std::string> screenshot_ansi(const Screenshot& shot) {
  TRY_ASSIGN(const render::RenderedFrame frame, ShotRenderer(shot).as_shown());
  const present::TerminalColors colors(terminal_palette(shot.settings.picture.color),
                                       present::ColorDepth::Direct);
  std::string text;
  present::append_ansi(text, frame, *shot.setup.glyphs, &colors);
  return text;
}

}  // namespace glyphreel::player
