#include "player/control/picture_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/looks.h"
#include "cli/options/options.h"
#include "mapping/shared/parameters.h"

namespace glyphreel::player {
namespace {

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

constexpr std::array<std::string_view, 7> Charsets = {"ascii",   "latin", "blocks", "braille",
                                                      "symbols", "kana",  "cjk"};

// Cell widths in pixels that the keys step through. Below 4 pixels no font is legible.
constexpr std::array<int, 14> CellWidths = {4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64};

using cli::PictureSettings;
using cli::Settings;
using TextOf = std::string (*)(const Settings&);
using Automatic = std::optional<double> PictureSettings::*;  ///< empty: automatic
/// How to access a setting. For a number or a flag: the member. For a choice or text: a function that returns
/// the value in the syntax of the command-line option.
using Field = std::variant<int PictureSettings::*, double PictureSettings::*, Automatic,
                           bool PictureSettings::*, TextOf>;

struct PictureSpec {
  std::string_view option;
  Field field;
  double min = 0, max = 0;   ///< limits of a number; unused for other fields
  bool needs_glyphs = true;  ///< see PictureChange
};

std::string hexadecimal(unsigned color) {
  return fmt::format("#{:06X}", color);
}

constexpr PictureSpec adjustment(std::string_view option, int PictureSettings::*field) {
  return {.option = option, .field = field, .min = -100, .max = 100, .needs_glyphs = false};
}

/// Indexed by PictureProperty.
constexpr std::array<PictureSpec, PictureProperties> Specs = {{
    {"mode", [](const Settings& s) { return std::string(mode_name(s.glyphs.mode)); }},
    {"color", [](const Settings& s) { return std::string(cli::color_name(s.picture.color)); }},
    {"charset", [](const Settings& s) { return s.glyphs.charset; }},
    {.option = "effect",
     .field = [](const Settings& s) { return std::string(cli::effect_name(s.picture.effect)); },
     .needs_glyphs = false},
    {"cell",
     [](const Settings& s) { return fmt::format("{}x{}", s.layout.cell.width, s.layout.cell.height); }},
    adjustment("contrast", &PictureSettings::contrast),
    adjustment("brightness", &PictureSettings::brightness),
    adjustment("gamma", &PictureSettings::gamma),
    adjustment("saturation", &PictureSettings::saturation),
    {"legibility", &PictureSettings::legibility, 0, 1},
    {"stability", &PictureSettings::stability, 0, 1},
    {"dither", [](const Settings& s) { return std::string(cli::dither_name(s.picture.dither)); }},
    {"palette",
     [](const Settings& s) { return s.picture.palette_file.empty() ? "no" : s.picture.palette_file; }},
    {"reverse", [](const Settings& s) { return std::string(cli::reverse_name(s.picture.reverse)); }},
    {.option = "invert", .field = &PictureSettings::inverted, .needs_glyphs = false},
    {"auto-levels", &PictureSettings::auto_levels},
    {"fg", [](const Settings& s) { return hexadecimal(s.picture.foreground); }},
    {"bg", [](const Settings& s) { return hexadecimal(s.picture.background); }},
    {"font", [](const Settings& s) { return s.layout.font; }},
    {"fit", [](const Settings& s) { return std::string(cli::fit_name(s.layout.fit)); }},
    {.option = "tone-mapping",
     .field = [](const Settings& s) { return std::string(cli::tone_mapping_name(s.picture.tone_mapping)); },
     .needs_glyphs = false},
    {.option = "glow", .field = &PictureSettings::glow, .max = 100, .needs_glyphs = false},
    {.option = "scanlines", .field = &PictureSettings::scanlines, .max = 100, .needs_glyphs = false},
    {"look", [](const Settings& s) { return s.look; }},
}};

const PictureSpec& spec_of(PictureProperty property) {
  return Specs.at(static_cast<std::size_t>(property));
}

const cli::OptionSpec& option_of(const PictureSpec& spec) {
  const cli::OptionSpec* option = cli::find_option(spec.option);
  CHECK(option != nullptr, "a picture property has no option");
  return *option;
}

/// Returns the index of `value`; empty if the range does not contain it.
template <typename Range, typename T>
std::optional<int> index_in(const Range& range, const T& value) {
  const auto found = std::find(std::begin(range), std::end(range), value);
  return found == std::end(range) ? std::nullopt : std::optional(static_cast<int>(found - std::begin(range)));
}

PictureChange step_color(Settings& settings, PictureStep step) {
  const std::optional<int> now =
      index_in(Colors, ColorStep{settings.picture.color, settings.picture.reverse});
  const int index = changed_index(static_cast<int>(Colors.size()), now, step.action, step.amount);
  const ColorStep& color = Colors.at(static_cast<std::size_t>(index));
  settings.picture.color = color.color;
  settings.picture.reverse = color.reverse;
  return {true, fmt::format("color: {}{}", cli::color_name(color.color),
                            color.reverse == Reverse::PerCell ? ", reverse" : "")};
}

/// Returns the charsets that a key cycles through: Charsets, preceded by the charset of the command line if
/// Charsets does not contain it.
std::vector<std::string_view> charset_cycle(const Settings& initial) {
  std::vector<std::string_view> cycle(Charsets.begin(), Charsets.end());
  if (!index_in(cycle, initial.glyphs.charset)) cycle.insert(cycle.begin(), initial.glyphs.charset);
  return cycle;
}

PictureChange step_charset(Settings& settings, PictureStep step, const Settings& initial) {
  const std::vector<std::string_view> cycle = charset_cycle(initial);
  // In ramp mode, the cycle begins with the command line's custom ramp, followed by the charsets.
  const int ramps = settings.glyphs.mode == Mode::Ramp && !initial.glyphs.ramp.empty() ? 1 : 0;
  std::optional<int> now = index_in(cycle, settings.glyphs.charset);
  if (now) now = ramps == 1 && !settings.glyphs.ramp.empty() ? 0 : *now + ramps;
  const int index =
      changed_index(static_cast<int>(cycle.size()) + ramps, now, step.action, step.amount) - ramps;
  settings.glyphs.charset = cycle[static_cast<std::size_t>(std::max(index, 0))];
  if (index < 0) {
    settings.glyphs.ramp = initial.glyphs.ramp;
    settings.glyphs.thresholds = initial.glyphs.thresholds;
    return {true, fmt::format("ramp: {}", settings.glyphs.ramp)};
  }
  if (ramps == 1) {
    settings.glyphs.ramp.clear();
    settings.glyphs.thresholds.clear();
  }
  const bool is_named = index_in(Charsets, settings.glyphs.charset).has_value();
  return {true, fmt::format("charset: {}", is_named ? settings.glyphs.charset : "custom")};
}

/// Returns the cell's width in pixels after the step.
int stepped_width(int width, PictureStep step) {
  if (step.action == PropertyAction::Multiply) {
    const double wanted = std::round(width * step.amount);
    return static_cast<int>(std::clamp<double>(wanted, CellWidths.front(), CellWidths.back()));
  }
  // From a width between two entries, a step up starts at the lower entry and a step down at the upper entry.
  const bool larger = step.amount > 0;
  const int count = static_cast<int>(CellWidths.size());
  const auto smaller_widths = std::ranges::count_if(CellWidths, [=](int each) { return each < width; });
  const auto not_larger_widths = std::ranges::count_if(CellWidths, [=](int each) { return each <= width; });
  const int now = static_cast<int>(larger ? not_larger_widths - 1 : smaller_widths);
  if (step.action == PropertyAction::Add && (larger ? now + 1 >= count : now <= 0)) return width;
  return CellWidths.at(static_cast<std::size_t>(changed_index(count, now, step.action, step.amount)));
}

PictureChange step_cell(Settings& settings, PictureStep step, CellSize initial,
                        std::optional<CellSize> shown_cell) {
  if (!shown_cell) return {false, "cell: set by the terminal's font size"};
  const int width = settings.layout.grid ? shown_cell->width : settings.layout.cell.width;
  const int wanted = stepped_width(width, step);
  if (wanted == width) {
    const std::string_view limit = width <= CellWidths.front()  ? " (the smallest)"
                                   : width >= CellWidths.back() ? " (the largest)"
                                                                : "";
    return {false, fmt::format("cell: {} pixels wide{}", width, limit)};
  }
  const double height = static_cast<double>(wanted) * initial.height / initial.width;
  settings.layout.cell = {wanted, std::clamp(static_cast<int>(std::lround(height)), 1, 255)};
  settings.layout.grid.reset();
  return {true, fmt::format("cell: {}x{}", settings.layout.cell.width, settings.layout.cell.height)};
}

/// Writes a number or a flag.
void write(Settings& settings, const Field& field, const PropertyValue& value) {
  if (const auto* integer = std::get_if<int PictureSettings::*>(&field)) {
    settings.picture.** integer = static_cast<int>(std::get<double>(value));
  } else if (const auto* number = std::get_if<double PictureSettings::*>(&field)) {
    settings.picture.** number = std::get<double>(value);
  } else if (const auto* automatic = std::get_if<Automatic>(&field)) {
    settings.picture.** automatic = std::get<double>(value);
  } else if (const auto* flag = std::get_if<bool PictureSettings::*>(&field)) {
    settings.picture.** flag = std::get<bool>(value);
  }
}

/// Changes a number, a flag, or a choice whose values picture_domain() lists.
PictureChange step_value(Settings& settings, PictureStep step) {
  const PictureSpec& spec = spec_of(step.property);
  const PropertyDomain domain = picture_domain(step.property);
  const PropertyValue before = picture_value(settings, step.property);
  const PropertyValue after = changed_value(domain, before, step.action, step.amount);
  if (domain.kind == PropertyKind::Choice) {
    const std::string& value = std::get<std::string>(after);
    if (step.property == PictureProperty::Look) settings = cli::with_look(settings, value);
    CHECK(option_of(spec).apply(settings, value), "an option rejects one of its own choices");
  } else {
    write(settings, spec.field, after);
  }
  std::string limit;
  if (domain.is_number() && before == after) {
    limit = std::get<double>(after) == domain.max   ? " (maximum)"
            : std::get<double>(after) == domain.min ? " (minimum)"
                                                    : "";
  }
  return {spec.needs_glyphs && before != after, fmt::format("{}: {}{}", spec.option, text_of(after), limit)};
}

/// Clears the settings that would override the new value.
void clear_overriding(Settings& settings, PictureProperty property) {
  if (property == PictureProperty::Charset) {
    settings.glyphs.ramp.clear();
    settings.glyphs.thresholds.clear();
  } else if (property == PictureProperty::Cell) {
    settings.layout.grid.reset();
  } else if (property == PictureProperty::Palette && settings.picture.color != cli::ColorChoice::Fg) {
    settings.picture.color = cli::ColorChoice::Full;  // the other choices do not use the palette
  }
}

}  // namespace

std::string_view picture_name(PictureProperty property) {
  return spec_of(property).option;
}

PropertyDomain picture_domain(PictureProperty property) {
  const PictureSpec& spec = spec_of(property);
  if (std::holds_alternative<bool PictureSettings::*>(spec.field)) return {.kind = PropertyKind::Flag};
  if (std::holds_alternative<int PictureSettings::*>(spec.field))
    return {.kind = PropertyKind::Integer, .min = spec.min, .max = spec.max};
  if (std::holds_alternative<double PictureSettings::*>(spec.field) ||
      std::holds_alternative<Automatic>(spec.field))
    return {.kind = PropertyKind::Number, .min = spec.min, .max = spec.max};
  const cli::OptionSpec& option = option_of(spec);
  const bool has_steps = property == PictureProperty::Charset || property == PictureProperty::Cell;
  return {.kind = has_steps || !option.choices.empty() ? PropertyKind::Choice : PropertyKind::Text,
          .choices = option.choices};
}

PropertyValue picture_value(const Settings& settings, PictureProperty property) {
  const Field& field = spec_of(property).field;
  if (const auto* integer = std::get_if<int PictureSettings::*>(&field))
    return static_cast<double>(settings.picture.**integer);
  if (const auto* number = std::get_if<double PictureSettings::*>(&field)) return settings.picture.**number;
  if (const auto* automatic = std::get_if<Automatic>(&field))
    return (settings.picture.**automatic).value_or(mapping::DefaultLegibility);
  if (const auto* flag = std::get_if<bool PictureSettings::*>(&field)) return settings.picture.**flag;
  return std::get<TextOf>(field)(settings);
}

PictureChange apply_step(Settings& settings, PictureStep step, const Settings& initial,
                         std::optional<CellSize> shown_cell) {
  switch (step.property) {
    case PictureProperty::Color:
      return step_color(settings, step);
    case PictureProperty::Charset:
      return step_charset(settings, step, initial);
    case PictureProperty::Cell:
      return step_cell(settings, step, initial.layout.cell, shown_cell);
    default:
      return step_value(settings, step);
  }
}

Result<PictureChange> set_value(Settings& settings, PictureProperty property, std::string_view value) {
  const PictureSpec& spec = spec_of(property);
  const cli::OptionSpec& option = option_of(spec);
  Settings changed = settings;
  if (std::holds_alternative<bool PictureSettings::*>(spec.field)) {
    TRY_ASSIGN(const PropertyValue flag,
               converted(picture_domain(property), spec.option, std::string(value)));
    write(changed, spec.field, flag);
  } else if (property == PictureProperty::Palette && value == "no") {
    changed.picture.palette_file.clear();
  } else if (option.apply(changed, value)) {
    clear_overriding(changed, property);
    if (property == PictureProperty::Look) changed = cli::with_look(settings, value);
  } else {
    return Error{
        ErrorCode::Usage, fmt::format("{} takes {}.", spec.option, cli::accepted_values(option)), {}};
  }
  settings = std::move(changed);
  return PictureChange{spec.needs_glyphs, fmt::format("{}: {}", spec.option, value)};
}

int charset_count(const Settings& initial) {
  return static_cast<int>(charset_cycle(initial).size());
}

}  // namespace glyphreel::player
