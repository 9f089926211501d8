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
  if (settings.mode == Mode::Ramp && !settings.ramp.empty())
    return text::Charset{.characters = settings.ramp};
  return text::resolve_charset(settings.charset, settings.font, missing);
}

mapping::Color color_of(cli::ColorChoice choice) {
  return choice == cli::ColorChoice::Mono ? mapping::Color::Mono
         : choice == cli::ColorChoice::Fg ? mapping::Color::Fg
                                          : mapping::Color::Full;
}

/// Returns the palette to which the picture's colors are limited; empty: there is none.
std::vector<std::uint32_t> palette_of(const cli::Settings& settings) {
  if (settings.color == cli::ColorChoice::Mono) return {};
  if (settings.color == cli::ColorChoice::Ansi16) return mapping::ansi16_palette();
  if (settings.color != cli::ColorChoice::Ansi256) return settings.palette;
  // Skip the first 16 colors, which users can redefine in their terminals.
  const std::vector<std::uint32_t> all = mapping::ansi256_palette();
  return {all.begin() + mapping::FirstFixedAnsiColor, all.end()};
}

/// Returns a grid for the input's size, in cells of --cell.
GridSize automatic_grid(const cli::Settings& settings, const media::VideoFacts& facts) {
  const double aspect = display_aspect(facts);
  const CellSize cell = settings.cell;
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
  if (!settings.palette_file.empty() && !has_input_palette(settings)) {
    std::vector<std::string_view> names;
    for (const mapping::NamedPalette& palette : mapping::named_palettes()) {
      if (palette.name == settings.palette_file) {
        settings.palette = palette.colors;
        return settings;
      }
      names.push_back(palette.name);
    }
    Result<std::vector<std::uint32_t>> read = mapping::read_palette(settings.palette_file);
    std::error_code ignored;
    if (!read && !std::filesystem::exists(settings.palette_file, ignored)) {
      const std::string advice =
          settings.palette_file == "auto"
              ? "use --palette auto:16 for 16 colors of the input."
              : did_you_mean(settings.palette_file, names, "'glyphreel info' lists the palettes.");
      return Error{ErrorCode::Usage,
                   fmt::format("There is no palette or file named \"{}\"; {}", settings.palette_file, advice),
                   {}};
    }
    TRY_ASSIGN(settings.palette, std::move(read));
  }
  return settings;
}

Result<cli::Settings> with_recorded_input(cli::Settings settings) {
  if (settings.inputs.empty() || !media::CellsFile::is_cells_file(settings.inputs.front())) return settings;
  TRY_ASSIGN(const std::unique_ptr<media::CellsFile> file, media::CellsFile::open(settings.inputs.front()));
  const RecordedGlyphs& glyphs = *file->glyphs();
  const cli::Settings defaults;
  settings.grid = file->header().grid;
  if (settings.cell == defaults.cell) settings.cell = glyphs.cell;
  if (settings.font == defaults.font && !glyphs.font.empty()) settings.font = glyphs.font;
  if (!settings.charset_chosen) {
    settings.charset = " ";  // with a leading space, the word is not the name of a character set
    for (const RecordedGlyph& glyph : glyphs.glyphs)
      if (glyph.part != RecordedGlyph::Part::Right) settings.charset += text::encode_utf8(glyph.code_point);
    settings.charset_chosen = true;
  }
  return settings;
}

mapping::Parameters mapping_parameters(const cli::Settings& settings) {
  using namespace mapping;
  const bool ramp = settings.mode == Mode::Ramp;
  return {.mode = settings.mode,
          .color = color_of(settings.color),
          .sampling = settings.sample,
          .luma = settings.luma,
          .foreground = settings.foreground,
          .background = settings.background,
          // A custom ramp applies only to --mode ramp.
          .ramp = ramp ? settings.ramp : std::string(),
          .thresholds = ramp ? settings.thresholds : std::vector<int>(),
          .reverse = settings.reverse,
          .auto_levels = settings.auto_levels ? AutoLevels::On : AutoLevels::Off,
          .legibility = settings.legibility,
          .stability = settings.stability,
          .dither = settings.dither,
          .palette = palette_of(settings)};
}

render::FrameOptions frame_options(const cli::Settings& settings) {
  return {.adjustments = {.brightness = settings.brightness,
                          .contrast = settings.contrast,
                          .gamma = settings.gamma,
                          .saturation = settings.saturation,
                          .inverted = settings.inverted,
                          .tone_mapping = settings.tone_mapping},
          .effect = settings.effect,
          .light = {.glow = settings.glow, .scanlines = settings.scanlines},
          .wipe = settings.wipe};
}

Result<std::shared_ptr<const text::GlyphSet>> make_glyphs(const cli::Settings& settings, CellSize cell,
                                                          std::span<const text::CharacterRange> missing) {
  const auto make = [&](const cli::Settings& wanted) -> Result<std::shared_ptr<const text::GlyphSet>> {
    TRY_ASSIGN(const text::Charset charset, charset_for(wanted, missing));
    return text::GlyphSet::make({.font = wanted.font,
                                 .cell = cell,
                                 .characters = charset.characters,
                                 .duplicates = charset.duplicates});
  };
  Result<std::shared_ptr<const text::GlyphSet>> made = make(settings);
  if (made) return made;
  // If the font or the characters of a look are unavailable, fall back to the default ones.
  cli::Settings usual = settings;
  for (const cli::OptionValue& value : cli::look_values(settings.look)) {
    if (value.option->name == "charset" && value.value == settings.charset)
      usual.charset = cli::Settings{}.charset;
    if (value.option->name == "ramp" && value.value == settings.ramp) usual.ramp.clear();
    if (value.option->name == "font" && value.value == settings.font) usual.font = cli::Settings{}.font;
  }
  if (usual == settings) return made;
  log::warn("The look {} is shown with the default font or characters: {}", settings.look,
            made.error().message);
  return make(usual);
}

Result<std::unique_ptr<media::Source>> open_input(const cli::Settings& settings,
                                                  media::SourceOptions options) {
  options.threads = settings.threads;
  options.range = {.start = settings.start, .end = settings.end, .length_seconds = settings.length_seconds};
  options.aspect = settings.aspect;
  options.audio_languages = settings.audio_languages;
  options.background = settings.background;
  options.hwdec = settings.hwdec;
  options.deinterlace = settings.deinterlace ? media::Deinterlacing::Auto : media::Deinterlacing::No;
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
  const int wanted = settings.audio_track;
  if (!settings.audio || wanted <= static_cast<int>(count)) return {};
  if (count == 0) return Error{ErrorCode::Usage, "The input has no sound; omit --aid."};
  return Error{ErrorCode::Usage,
               count == 1
                   ? fmt::format("There is no sound track {}: the input has only one; omit --aid.", wanted)
                   : fmt::format("There is no sound track {}; choose an --aid from 1 to {}.", wanted, count)};
}

Result<void> check_device(const cli::Settings& settings) {
  if (settings.device.empty()) return {};
  TRY_ASSIGN([[maybe_unused]] const std::size_t found,
             gpu::find_device(gpu::list_devices(), settings.device));
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
    // All frames that begin before the end of a range. A container's duration may be off by less than a
    // frame.
    const double exact = (end - start) * fps;
    frames = std::max<std::int64_t>(0, std::llround(cut ? std::ceil(exact - 1e-6) : exact));
  }
  if (settings.frame_rate)
    frames = fps > 0 ? std::llround(static_cast<double>(frames) * settings.frame_rate->value() / fps) : 0;
  if (settings.frames)
    frames = frames > 0 ? std::min<std::int64_t>(frames, *settings.frames) : *settings.frames;
  return frames;
}

double display_aspect(const media::VideoFacts& facts) {
  const FrameView view{
      .size = facts.size, .sample_aspect_ratio = facts.sample_aspect_ratio, .rotation = facts.rotation};
  return mapping::display_aspect(view);
}

Result<WindowLayout> offline_layout(const cli::Settings& settings, const media::VideoFacts& facts) {
  if (settings.size) {
    const WindowLayout layout = window_layout(settings, *settings.size, 1);
    const Extent drawn{layout.grid.columns * layout.cell.width, layout.grid.rows * layout.cell.height};
    if (drawn.width <= settings.size->width && drawn.height <= settings.size->height) return layout;
    return Error{
        ErrorCode::Usage,
        fmt::format("{}x{} cells do not fit into {}x{} pixels; choose a larger --size, or a smaller "
                    "--grid or --cell.",
                    layout.grid.columns, layout.grid.rows, settings.size->width, settings.size->height)};
  }
  return WindowLayout{settings.grid.value_or(automatic_grid(settings, facts)), settings.cell};
}

GridSize window_grid(const cli::Settings& settings, Extent window, CellSize cell) {
  return settings.grid.value_or(
      GridSize{std::max(1, window.width / cell.width), std::max(1, window.height / cell.height)});
}

WindowLayout window_layout(const cli::Settings& settings, Extent window, double content_scale) {
  WindowLayout layout;
  if (settings.grid) {
    layout.grid = *settings.grid;
    // Scale the requested cell so that the grid fits the window, and keep the cell's aspect ratio.
    const double scale = std::min(
        static_cast<double>(window.width) / (static_cast<double>(layout.grid.columns) * settings.cell.width),
        static_cast<double>(window.height) / (static_cast<double>(layout.grid.rows) * settings.cell.height));
    constexpr double Epsilon = 1e-9;  // so that rounding errors do not make a cell one pixel smaller
    layout.cell = {std::clamp(static_cast<int>(settings.cell.width * scale + Epsilon), 1, 255),
                   std::clamp(static_cast<int>(settings.cell.height * scale + Epsilon), 1, 255)};
    return layout;
  }
  layout.cell = {std::clamp(static_cast<int>(std::lround(settings.cell.width * content_scale)), 1, 255),
                 std::clamp(static_cast<int>(std::lround(settings.cell.height * content_scale)), 1, 255)};
  layout.grid = window_grid(settings, window, layout.cell);
  return layout;
}

Result<RendererDecision> decide_renderer(const cli::Settings& settings,
                                         const Result<std::shared_ptr<gpu::Device>>& device) {
  const bool needs_gpu = settings.renderer == cli::RendererChoice::Gpu;
  if (needs_gpu && !device) return device.error();
  if (settings.renderer != cli::RendererChoice::Auto) return RendererDecision{needs_gpu, "as requested"};
  if (!device) return RendererDecision{false, device.error().message};
  if ((*device)->is_software()) {
    return RendererDecision{
        false, fmt::format("{} is a software driver, and the CPU renderer is faster", (*device)->name())};
  }
  return RendererDecision{true, "a GPU is available"};
}

}  // namespace glyphreel::session
