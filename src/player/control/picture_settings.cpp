#include "player/control/picture_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/options/options.h"

namespace glyphreel::player {
namespace {

constexpr int MaxAdjustment = 100;

struct ColorStep {
  cli::ColorChoice color;
  Reverse reverse;
  bool operator==(const ColorStep&) const = default;
};
/// Color settings in the order in which a key cycles through them.
constexpr std::array<ColorStep, 6> Colors = {{{cli::ColorChoice::Mono, Reverse::Never},
                                              {cli::ColorChoice::Mono, Reverse::PerCell},
                                              {cli::ColorChoice::Fg, Reverse::Never},
                                              {cli::ColorChoice::Full, Reverse::Never},
                                              {cli::ColorChoice::Ansi256, Reverse::Never},
                                              {cli::ColorChoice::Ansi16, Reverse::Never}}};

constexpr std::array Effects = {Effect::None, Effect::Rain, Effect::Tube, Effect::Glitch, Effect::Ripple};

constexpr std::array<std::string_view, 7> Charsets = {"ascii",   "latin", "blocks", "braille",
                                                      "symbols", "kana",  "cjk"};

// Cell widths in pixels that the keys step through. Below 4 pixels no font is legible.
constexpr std::array<int, 14> CellWidths = {4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64};

struct PropertySpec {
  std::string_view option;
  /// The number that keys change; null: the setting is not a number.
  int cli::Settings::*adjustment = nullptr;
};
/// Indexed by PictureProperty.
constexpr std::array<PropertySpec, 9> Properties = {{{"mode"},
                                                     {"color"},
                                                     {"charset"},
                                                     {"effect"},
                                                     {"cell"},
                                                     {"contrast", &cli::Settings::contrast},
                                                     {"brightness", &cli::Settings::brightness},
                                                     {"gamma", &cli::Settings::gamma},
                                                     {"saturation", &cli::Settings::saturation}}};

/// Returns the element after `value`; the first element if `value` is the last or is not in the range.
template <typename Range, typename T>
const auto& after(const Range& range, const T& value) {
  auto found = std::find(std::begin(range), std::end(range), value);
  if (found != std::end(range)) ++found;
  return found == std::end(range) ? *std::begin(range) : *found;
}

PictureChange next_color(cli::Settings& settings) {
  const ColorStep step = after(Colors, ColorStep{settings.color, settings.reverse});
  settings.color = step.color;
  settings.reverse = step.reverse;
  return {true, fmt::format("color: {}{}", cli::color_name(step.color),
                            step.reverse == Reverse::PerCell ? ", reverse" : "")};
}

/// Returns the charsets that a key cycles through: Charsets, preceded by the charset of the command line if
/// Charsets does not contain it.
std::vector<std::string_view> charset_cycle(const cli::Settings& initial) {
  std::vector<std::string_view> cycle(Charsets.begin(), Charsets.end());
  if (std::find(cycle.begin(), cycle.end(), initial.charset) == cycle.end())
    cycle.insert(cycle.begin(), initial.charset);
  return cycle;
}

PictureChange next_charset(cli::Settings& settings, const cli::Settings& initial) {
  const std::vector<std::string_view> cycle = charset_cycle(initial);
  // In ramp mode, the command line's custom ramp is one more step of the cycle.
  const bool may_take_ramp = settings.mode == Mode::Ramp && !initial.ramp.empty();
  if (may_take_ramp && settings.ramp.empty() && settings.charset == cycle.back()) {
    settings.charset = cycle.front();
    settings.ramp = initial.ramp;
    settings.thresholds = initial.thresholds;
    return {true, fmt::format("ramp: {}", settings.ramp)};
  }
  if (may_take_ramp && !settings.ramp.empty()) {
    settings.charset = cycle.front();
    settings.ramp.clear();
    settings.thresholds.clear();
  } else {
    settings.charset = after(cycle, settings.charset);
  }
  const bool named = std::find(Charsets.begin(), Charsets.end(), settings.charset) != Charsets.end();
  return {true, fmt::format("charset: {}", named ? settings.charset : "custom")};
}

PictureChange resize_cells(cli::Settings& settings, int direction, CellSize initial,
                           std::optional<CellSize> shown_cell) {
  if (!shown_cell) return {false, "cell: set by the terminal's font size"};
  const int width = settings.grid ? shown_cell->width : settings.cell.width;
  const bool larger = direction > 0;
  int wanted = width;
  if (larger) {
    const auto next = std::upper_bound(CellWidths.begin(), CellWidths.end(), width);
    if (next != CellWidths.end()) wanted = *next;
  } else {
    const auto next = std::lower_bound(CellWidths.begin(), CellWidths.end(), width);
    if (next != CellWidths.begin()) wanted = *std::prev(next);
  }
  if (wanted == width) {
    return {false, fmt::format("cell: {} pixels wide (the {})", width, larger ? "largest" : "smallest")};
  }
  const double height = static_cast<double>(wanted) * initial.height / initial.width;
  settings.cell = {wanted, std::clamp(static_cast<int>(std::lround(height)), 1, 255)};
  settings.grid.reset();
  return {true, fmt::format("cell: {}x{}", settings.cell.width, settings.cell.height)};
}

PictureChange adjust(int& value, std::string_view name, int step) {
  const int before = value;
  value = std::clamp(value + step, -MaxAdjustment, MaxAdjustment);
  const char* limit = value != before ? "" : step > 0 ? " (maximum)" : " (minimum)";
  return {false, fmt::format("{}: {}{}", name, value, limit)};
}

}  // namespace

PictureChange apply_step(cli::Settings& settings, PictureStep step, const cli::Settings& initial,
                         std::optional<CellSize> shown_cell) {
  const PropertySpec& spec = Properties.at(static_cast<std::size_t>(step.property));
  switch (step.property) {
    case PictureProperty::Mode:
      settings.mode = after(AllModes, settings.mode);
      return {true, fmt::format("mode: {}", mode_name(settings.mode))};
    case PictureProperty::Color:
      return next_color(settings);
    case PictureProperty::Charset:
      return next_charset(settings, initial);
    case PictureProperty::Effect:
      settings.effect = after(Effects, settings.effect);
      return {false, fmt::format("effect: {}", cli::effect_name(settings.effect))};
    case PictureProperty::Cell:
      return resize_cells(settings, step.direction, initial.cell, shown_cell);
    case PictureProperty::Contrast:
    case PictureProperty::Brightness:
    case PictureProperty::Gamma:
    case PictureProperty::Saturation:
      return adjust(settings.*spec.adjustment, spec.option, step.direction);
  }
  return {};
}

Result<PictureChange> set_value(cli::Settings& settings, PictureProperty property, std::string_view value) {
  const PropertySpec& spec = Properties.at(static_cast<std::size_t>(property));
  const cli::OptionSpec* option = cli::find_option(spec.option);
  CHECK(option != nullptr, "a property has no option");
  cli::Settings changed = settings;
  if (!option->apply(changed, value)) {
    return Error{
        ErrorCode::Usage, fmt::format("{} takes {}.", spec.option, cli::accepted_values(*option)), {}};
  }
  // Clear the settings that would override the value.
  if (property == PictureProperty::Charset) {
    changed.ramp.clear();
    changed.thresholds.clear();
  }
  if (property == PictureProperty::Cell) changed.grid.reset();
  settings = std::move(changed);
  const bool needs_glyphs = spec.adjustment == nullptr && property != PictureProperty::Effect;
  return PictureChange{needs_glyphs, fmt::format("{}: {}", spec.option, value)};
}

int charset_count(const cli::Settings& initial) {
  return static_cast<int>(charset_cycle(initial).size());
}

}  // namespace glyphreel::player
