#include "cli/looks.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/config.h"
#include "cli/options/option_setters.h"

namespace glyphreel::cli {
namespace {

using std::string_view;
using Pair = std::pair<string_view, string_view>;

/// Half-width katakana, digits and symbols.
constexpr string_view MatrixCharacters = " ｦｱｳｴｵｶｷｹｺｻｼｽｾｿﾀﾂﾃﾅﾆﾇﾈﾊﾋﾎﾏﾐﾑﾒﾓﾔﾕﾗﾘﾜﾝ0123456789:.=*+<>|Z";

constexpr auto Matrix = std::to_array<Pair>({{"charset", MatrixCharacters},
                                             {"mode", "ramp"},
                                             {"color", "fg"},
                                             {"palette", "phosphor"},
                                             {"bg", "#000A02"},
                                             {"saturation", "-100"},
                                             {"gamma", "25"},
                                             {"effect", "rain"},
                                             {"glow", "80"}});
constexpr auto Amber = std::to_array<Pair>({{"color", "mono"},
                                            {"reverse", "auto"},
                                            {"fg", "#FFB000"},
                                            {"bg", "#140900"},
                                            {"gamma", "15"},
                                            {"glow", "55"},
                                            {"scanlines", "45"}});
constexpr auto Blueprint = std::to_array<Pair>({{"mode", "edge"},
                                                {"charset", "box"},
                                                {"cell", "8x8"},
                                                {"color", "mono"},
                                                {"fg", "#E8F2FF"},
                                                {"bg", "#123C8C"},
                                                {"contrast", "25"},
                                                {"glow", "35"}});
constexpr auto Newsprint = std::to_array<Pair>({{"charset", " .·∙•●■█"},
                                                {"cell", "6x6"},
                                                {"color", "mono"},
                                                {"reverse", "auto"},
                                                {"fg", "#1C1A17"},
                                                {"bg", "#EFE6D2"},
                                                {"gamma", "20"}});
constexpr auto C64 = std::to_array<Pair>(
    {{"color", "full"}, {"palette", "c64"}, {"charset", "quadrants"}, {"cell", "8x8"}, {"scanlines", "25"}});
constexpr auto Gameboy = std::to_array<Pair>(
    {{"color", "full"}, {"palette", "gameboy"}, {"charset", "blocks"}, {"cell", "8x8"}, {"dither", "bayer"}});
constexpr auto Neon = std::to_array<Pair>({{"mode", "edge"},
                                           {"charset", "box"},
                                           {"cell", "8x8"},
                                           {"color", "fg"},
                                           {"bg", "#05010F"},
                                           {"brightness", "-15"},
                                           {"saturation", "80"},
                                           {"glow", "90"}});
constexpr auto Typewriter = std::to_array<Pair>({{"color", "mono"},
                                                 {"charset", "ascii"},
                                                 {"font", "Nimbus Mono PS:bold"},
                                                 {"cell", "7x12"},
                                                 {"fg", "#1A1512"},
                                                 {"bg", "#F6F0E2"},
                                                 {"gamma", "25"}});
constexpr auto Night = std::to_array<Pair>({{"brightness", "-25"}, {"saturation", "-50"}, {"gamma", "-15"}});
constexpr auto Tube = std::to_array<Pair>({{"glow", "45"}, {"scanlines", "50"}, {"saturation", "15"}});

constexpr auto Looks = std::to_array<Look>({
    {"none", "the options as given", {}},
    {"matrix", "green katakana in a rain of light", Matrix},
    {"amber", "an amber monochrome terminal", Amber},
    {"blueprint", "white lines on blue paper", Blueprint},
    {"newsprint", "dots of ink on newspaper", Newsprint},
    {"c64", "the sixteen colors of the Commodore 64", C64},
    {"gameboy", "the four greens of the Game Boy", Gameboy},
    {"neon", "glowing contours in the picture's colors", Neon},
    {"typewriter", "letters typed on paper", Typewriter},
    {"night", "dim and pale, for dark rooms", Night},
    {"tube", "a color cathode-ray tube with scan lines", Tube},
});

/// Whether the cell size is the one that the settings' look selects.
bool has_cell_of_look(const Settings& settings) {
  for (const OptionValue& value : look_values(settings.look)) {
    Settings look;
    if (value.option->name == "cell" && value.option->apply(look, value.value))
      return look.layout.cell == settings.layout.cell;
  }
  return false;
}

static_assert(std::ranges::equal(Looks, LookNames, {}, &Look::name));

}  // namespace

std::span<const Look> looks() {
  return Looks;
}

std::vector<OptionValue> look_values(string_view name) {
  const auto look = std::ranges::find(Looks, name, &Look::name);
  CHECK(look != Looks.end(), "there is no such look");
  std::vector<OptionValue> values;
  for (const auto& [option, value] : look->options)
    values.push_back({.option = find_option(option), .value = std::string(value)});
  return values;
}

Settings with_look(const Settings& settings, string_view name) {
  const std::shared_ptr<const Settings> start =
      settings.without_look ? settings.without_look : std::make_shared<const Settings>(settings);
  Settings changed = *start;
  if (name != Settings{}.look) changed.without_look = start;
  changed.above_look = settings.above_look;
  changed.inputs = settings.inputs;
  changed.look = name;
  if (!has_cell_of_look(settings)) changed.layout.cell = settings.layout.cell;
  changed.layout.grid = settings.layout.grid;
  if (changed.picture.palette_file == settings.picture.palette_file)
    changed.picture.palette = settings.picture.palette;
  std::vector<OptionValue> values = look_values(name);
  std::vector<OptionValue> own;
  for (const GivenOption& given : settings.above_look)
    own.push_back({.option = find_option(given.name), .value = given.value, .on = given.on});
  merge_over(values, own);
  for (const OptionValue& value : values) {
    const bool is_own =
        std::ranges::any_of(own, [&](const OptionValue& each) { return each.option == value.option; });
    if (!is_own) CHECK(value.option->apply(changed, value.value), "an option refuses the value of a look");
  }
  return changed;
}

}  // namespace glyphreel::cli
