#include "session/setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/io/log.h"
#include "base/nearest_word.h"
#include "cli/assets.h"
#include "cli/looks.h"
#include "mapping/tables/palette.h"
#include "mapping/tables/sample_plan.h"
#include "media/cells/cells_file.h"
#include "session/input_palette.h"
#include "text/charset.h"
#include "text/code_points/unicode.h"

namespace glyphreel::session {
namespace {

constexpr int MinColumns = 160;
constexpr double MaxPictureSide = 16384;  // pixels: the limit of H.264 encoders

/// Returns the characters to draw with: in --mode ramp those of --ramp, if given; otherwise those of
/// --charset.
Result<text::Charset> charset_for(const cli::Settings& settings,
                                  std::span<const text::CharacterRange> missing) {
  if (settings.glyphs.mode == Mode::Ramp && !settings.glyphs.ramp.empty())
    return text::Charset{.characters = settings.glyphs.ramp};
  return text::resolve_charset(settings.glyphs.charset, settings.layout.font, missing);
}

mapping::Color color_of(cli::ColorChoice choice) {
  return choice == cli::ColorChoice::Mono ? mapping::Color::Mono
         : choice == cli::ColorChoice::Fg ? mapping::Color::Fg
                                          : mapping::Color::Full;
}

/// Returns the palette to which the picture's colors are limited; empty: there is none.
std::vector<std::uint32_t> palette_of(const cli::Settings& settings) {
  if (settings.picture.color == cli::ColorChoice::Mono) return {};
  if (settings.picture.color == cli::ColorChoice::Ansi16) return mapping::ansi16_palette();
  if (settings.picture.color != cli::ColorChoice::Ansi256) return settings.picture.palette;
  // Skip the first 16 colors, which users can redefine in their terminals.
  const std::vector<std::uint32_t> all = mapping::ansi256_palette();
  return {all.begin() + mapping::FirstFixedAnsiColor, all.end()};
}

/// Returns a grid that fits the input's displayed size. Its cells have the size --cell. If this grid would
/// have fewer than MinColumns columns, returns a larger grid, which has at least MinColumns columns if
/// MaxPictureSide permits.
GridSize automatic_grid(const cli::Settings& settings, const media::VideoFacts& facts) {
  const double aspect = display_aspect(facts);
  const CellSize cell = settings.layout.cell;
  const bool is_transposed =
      facts.rotation == Rotation::Clockwise90 || facts.rotation == Rotation::Clockwise270;
  const int lines = is_transposed ? facts.size.width : facts.size.height;
  const double width = std::max(lines * aspect, static_cast<double>(MinColumns) * cell.width);
  const auto bounded = [](double pixels) {
    return static_cast<int>(std::lround(std::min(pixels, MaxPictureSide)));
  };
  const GridSize grid = mapping::fit_grid(aspect, cell, {bounded(width), bounded(width / aspect)});
  if (grid.columns >= MinColumns) return grid;
  // Rounding to whole rows has made the grid narrower than MinColumns. Add a row, and columns in proportion.
  const int rows = grid.rows + 1;
  const GridSize larger{bounded(rows * cell.height * aspect) / cell.width, rows};
  return larger.columns >= MinColumns && rows * cell.height <= MaxPictureSide ? larger : grid;
}

}  // namespace

Result<cli::Settings> with_palette(cli::Settings settings) {
  if (!settings.picture.palette_file.empty() && !has_input_palette(settings)) {
    std::vector<std::string_view> names;
    for (const mapping::NamedPalette& palette : mapping::named_palettes()) {
      if (palette.name == settings.picture.palette_file) {
        settings.picture.palette = palette.colors;
        return settings;
      }
      names.push_back(palette.name);
    }
    Result<std::vector<std::uint32_t>> read = mapping::read_palette(settings.picture.palette_file);
    std::error_code ignored;
    if (!read && !std::filesystem::exists(settings.picture.palette_file, ignored)) {
      const std::string advice =
          settings.picture.palette_file == "auto"
              ? "use --palette auto:16 for 16 colors of the input."
              : did_you_mean(settings.picture.palette_file, names, "'glyphreel info' lists the palettes.");
      return Error{
          ErrorCode::Usage,
          fmt::format("There is no palette or file named \"{}\"; {}", settings.picture.palette_file, advice),
          {}};
    }
    TRY_ASSIGN(settings.picture.palette, std::move(read));
  }
  return settings;
}

Result<cli::Settings> with_recorded_input(cli::Settings settings) {
  if (settings.inputs.empty() || !media::CellsFile::is_cells_file(settings.inputs.front())) return settings;
  TRY_ASSIGN(const std::unique_ptr<media::CellsFile> file, media::CellsFile::open(settings.inputs.front()));
  const RecordedGlyphs& glyphs = *file->glyphs();
  const cli::Settings defaults;
  settings.layout.grid = file->header().grid;
  if (settings.layout.cell == defaults.layout.cell) settings.layout.cell = glyphs.cell;
  if (settings.layout.font == defaults.layout.font && !glyphs.font.empty())
    settings.layout.font = glyphs.font;
  if (!settings.glyphs.charset_chosen) {
    settings.glyphs.charset = " ";  // keeps the characters from being read as the name of a set
    for (const RecordedGlyph& glyph : glyphs.glyphs)
      if (glyph.part != RecordedGlyph::Part::Right)
        settings.glyphs.charset += text::encode_utf8(glyph.code_point);
    settings.glyphs.charset_chosen = true;
  }
  return settings;
}

mapping::Parameters mapping_parameters(const cli::Settings& settings) {
  using namespace mapping;
  const bool ramp = settings.glyphs.mode == Mode::Ramp;
  return {.mode = settings.glyphs.mode,
          .color = color_of(settings.picture.color),
          .sampling = settings.glyphs.sample,
          .luma = settings.glyphs.luma,
          .foreground = settings.picture.foreground,
          .background = settings.picture.background,
          // A custom ramp applies only to --mode ramp.
          .ramp = ramp ? settings.glyphs.ramp : std::string(),
          .thresholds = ramp ? settings.glyphs.thresholds : std::vector<int>(),
          .reverse = settings.picture.reverse,
          .auto_levels = settings.picture.auto_levels ? AutoLevels::On : AutoLevels::Off,
          .legibility = settings.picture.legibility,
          .stability = settings.picture.stability,
          .dither = settings.picture.dither,
          .palette = palette_of(settings)};
}

render::FrameOptions frame_options(const cli::Settings& settings) {
  return {.adjustments = {.brightness = settings.picture.brightness,
                          .contrast = settings.picture.contrast,
                          .gamma = settings.picture.gamma,
                          .saturation = settings.picture.saturation,
                          .inverted = settings.picture.inverted,
                          .tone_mapping = settings.picture.tone_mapping},
          .effect = settings.picture.effect,
          .light = {.glow = settings.picture.glow, .scanlines = settings.picture.scanlines},
          .wipe = settings.window.wipe};
}

Result<std::shared_ptr<const text::GlyphSet>> make_glyphs(const cli::Settings& settings, CellSize cell,
                                                          std::span<const text::CharacterRange> missing) {
  const auto make = [&](const cli::Settings& wanted) -> Result<std::shared_ptr<const text::GlyphSet>> {
    TRY_ASSIGN(const text::Charset charset, charset_for(wanted, missing));
    return text::GlyphSet::make({.font = wanted.layout.font,
                                 .cell = cell,
                                 .characters = charset.characters,
                                 .duplicates = charset.duplicates});
  };
  Result<std::shared_ptr<const text::GlyphSet>> made = make(settings);
  if (made) return made;
  // If the font or the characters of a look are unavailable, fall back to the default ones.
  cli::Settings usual = settings;
  for (const cli::OptionValue& value : cli::look_values(settings.look)) {
    if (value.option->name == "charset" && value.value == settings.glyphs.charset)
      usual.glyphs.charset = cli::Settings{}.glyphs.charset;
    if (value.option->name == "ramp" && value.value == settings.glyphs.ramp) usual.glyphs.ramp.clear();
    if (value.option->name == "font" && value.value == settings.layout.font)
      usual.layout.font = cli::Settings{}.layout.font;
  }
  if (usual == settings) return made;
  log::warn("The look {} is shown with the default font or characters: {}", settings.look,
            made.error().message);
  return make(usual);
}

Result<std::unique_ptr<media::Source>> open_input(const cli::Settings& settings,
                                                  media::SourceOptions options) {
  options.threads = settings.engine.threads;
  options.range = {.start = settings.playback.start,
                   .end = settings.playback.end,
                   .length_seconds = settings.playback.length_seconds};
  options.aspect = settings.layout.aspect;
  options.audio_languages = settings.audio.languages;
  options.background = settings.picture.background;
  options.hwdec = settings.engine.hwdec;
  options.deinterlace = settings.playback.deinterlace ? media::Deinterlacing::Auto : media::Deinterlacing::No;
  if (options.url == "demo:") {
    TRY_ASSIGN(options.url, cli::find_asset("demo.mp4"));
  }
  TRY_ASSIGN(std::unique_ptr<media::Source> source, media::Source::open(options));
  const media::VideoFacts& facts = source->facts();
  const double start = source->range().start_seconds.value_or(0);
  if (start > 0 && facts.has_exact_duration && start >= *facts.duration_seconds) {
    return Error{ErrorCode::Usage,
                 fmt::format("{} is {:.6g} seconds long; choose a --start before its end, not {:.6g}.",
                             options.url, *facts.duration_seconds, start)};
  }
  return source;
}

Result<void> check_audio_track(const cli::Settings& settings, const media::VideoFacts& facts) {
  const std::size_t count = facts.audio_tracks.size();
  const int wanted = settings.audio.track;
  if (!settings.audio.enabled || wanted <= static_cast<int>(count)) return {};
  if (count == 0) return Error{ErrorCode::Usage, "The input has no sound; omit --aid."};
  return Error{ErrorCode::Usage,
               count == 1
                   ? fmt::format("There is no sound track {}: the input has only one; omit --aid.", wanted)
                   : fmt::format("There is no sound track {}; choose an --aid from 1 to {}.", wanted, count)};
}

Result<void> check_device(const cli::Settings& settings) {
  if (settings.engine.device.empty()) return {};
  TRY_ASSIGN([[maybe_unused]] const std::size_t found,
             gpu::find_device(gpu::list_devices(), settings.engine.device));
  return {};
}

std::int64_t expected_frames(const cli::Settings& settings, const media::VideoFacts& facts,
                             const media::TimeRange& range) {
  const double fps = facts.frame_rate.is_positive() ? facts.frame_rate.value() : 0;
  const bool cut = range.start_seconds || range.end_seconds;
  std::int64_t frames = facts.frame_count;
  if ((cut || frames == 0) && fps > 0 && facts.duration_seconds) {
    const double start = range.start_seconds.value_or(0);
    const double end = std::min(*facts.duration_seconds, range.end_seconds.value_or(*facts.duration_seconds));
    // Count all frames that begin before the end of the range. Without a range, round to the nearest number,
    // because a container's duration may be off by less than a frame.
    const double exact = (end - start) * fps;
    frames = std::max<std::int64_t>(0, std::llround(cut ? std::ceil(exact - 1e-6) : exact));
  }
  if (settings.recording.frame_rate)
    frames = fps > 0
                 ? std::llround(static_cast<double>(frames) * settings.recording.frame_rate->value() / fps)
                 : 0;
  if (settings.playback.frames)
    frames =
        frames > 0 ? std::min<std::int64_t>(frames, *settings.playback.frames) : *settings.playback.frames;
  return frames;
}

double display_aspect(const media::VideoFacts& facts) {
  const FrameView view{
      .size = facts.size, .sample_aspect_ratio = facts.sample_aspect_ratio, .rotation = facts.rotation};
  return mapping::display_aspect(view);
}

Result<WindowLayout> offline_layout(const cli::Settings& settings, const media::VideoFacts& facts) {
  if (settings.layout.size) {
    const WindowLayout layout = window_layout(settings, *settings.layout.size, 1);
    const Extent drawn{layout.grid.columns * layout.cell.width, layout.grid.rows * layout.cell.height};
    if (drawn.width <= settings.layout.size->width && drawn.height <= settings.layout.size->height)
      return layout;
    return Error{ErrorCode::Usage,
                 fmt::format("{}x{} cells do not fit into {}x{} pixels; choose a larger --size, or a smaller "
                             "--grid or --cell.",
                             layout.grid.columns, layout.grid.rows, settings.layout.size->width,
                             settings.layout.size->height)};
  }
  return WindowLayout{settings.layout.grid.value_or(automatic_grid(settings, facts)), settings.layout.cell};
}

GridSize window_grid(const cli::Settings& settings, Extent window, CellSize cell) {
  return settings.layout.grid.value_or(
      GridSize{std::max(1, window.width / cell.width), std::max(1, window.height / cell.height)});
}

WindowLayout window_layout(const cli::Settings& settings, Extent window, double content_scale) {
  WindowLayout layout;
  if (settings.layout.grid) {
    layout.grid = *settings.layout.grid;
    // Scale the requested cell so that the grid fits the window, and keep the cell's aspect ratio.
    const double scale = std::min(static_cast<double>(window.width) /
                                      (static_cast<double>(layout.grid.columns) * settings.layout.cell.width),
                                  static_cast<double>(window.height) /
                                      (static_cast<double>(layout.grid.rows) * settings.layout.cell.height));
    constexpr double Epsilon = 1e-9;  // so that rounding errors do not make a cell one pixel smaller
    layout.cell = {std::clamp(static_cast<int>(settings.layout.cell.width * scale + Epsilon), 1, 255),
                   std::clamp(static_cast<int>(settings.layout.cell.height * scale + Epsilon), 1, 255)};
    return layout;
  }
  layout.cell = {
      std::clamp(static_cast<int>(std::lround(settings.layout.cell.width * content_scale)), 1, 255),
      std::clamp(static_cast<int>(std::lround(settings.layout.cell.height * content_scale)), 1, 255)};
  layout.grid = window_grid(settings, window, layout.cell);
  return layout;
}

Result<RendererDecision> decide_renderer(const cli::Settings& settings,
                                         const Result<std::shared_ptr<gpu::Device>>& device) {
  const bool needs_gpu = settings.engine.renderer == cli::RendererChoice::Gpu;
  if (needs_gpu && !device) return device.error();
  if (settings.engine.renderer != cli::RendererChoice::Auto)
    return RendererDecision{needs_gpu, "as requested"};
  if (!device) {
    std::string reason = device.error().message;
    if (reason.ends_with('.')) reason.pop_back();  // it is shown in parentheses
    return RendererDecision{false, reason};
  }
  if ((*device)->is_software()) {
    return RendererDecision{
        false, fmt::format("{} is a software driver, and the CPU renderer is faster", (*device)->name())};
  }
  return RendererDecision{true, "a GPU is available"};
}

}  // namespace glyphreel::session
