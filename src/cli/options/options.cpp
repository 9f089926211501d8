#include "cli/options/options.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/result.h"
#include "cli/options/option_groups.h"
#include "cli/options/option_setters.h"

namespace glyphreel::cli {
namespace {

using std::string_view;

/// One entry per option. The contract behind it is the manual page, which is generated from this table.
std::vector<OptionSpec> make_table() {
  std::vector<OptionSpec> table;
  for (const auto options : {picture_options(), playing_options(), output_options()}) {
    table.insert(table.end(), options.begin(), options.end());
  }
  std::stable_sort(table.begin(), table.end(),
                   [](const OptionSpec& a, const OptionSpec& b) { return a.group < b.group; });
  return table;
}

constexpr auto Verbs = std::to_array<VerbSpec>({
    {.verb = Verb::Play,
     .name = "play",
     .usage = "[play] [OPTION...] [INPUT...]",
     .summary = "play the inputs one after another; without an input, the demo clip",
     .min_inputs = 0,
     .max_inputs = -1},
    {.verb = Verb::Record,
     .name = "record",
     .usage = "record [OPTION...] INPUT -o FILE",
     .summary = "write the rendered text, with the input's sound, to a video file",
     .min_inputs = 1,
     .max_inputs = 1},
    {.verb = Verb::Compare,
     .name = "compare",
     .usage = "compare [OPTION...] INPUT",
     .summary = "render on the GPU and on the CPU and report any difference",
     .min_inputs = 1,
     .max_inputs = 1},
    {.verb = Verb::Info,
     .name = "info",
     .usage = "info [OPTION...] [INPUT]",
     .summary = "list devices, codecs and charsets, an input's streams, or a charset's glyphs",
     .min_inputs = 0,
     .max_inputs = 1},
});

constexpr std::array<string_view, GroupCount> GroupTitles{
    "Engine", "Grid",      "Glyphs",    "Color", "Time", "Sound and subtitles",
    "Window", "Recording", "Comparing", "Other"};

}  // namespace

string_view group_title(Group group) {
  return GroupTitles[static_cast<std::size_t>(group)];
}

std::span<const OptionSpec> option_table() {
  static const std::vector<OptionSpec> Table = make_table();
  return Table;
}

const OptionSpec* find_option(string_view name) {
  const std::span<const OptionSpec> table = option_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const OptionSpec& option) { return option.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string value_placeholder(const OptionSpec& option) {
  if (option.choices.empty()) return std::string(option.metavar);
  std::string text;
  for (const string_view choice : option.choices) {
    if (!text.empty()) text += '|';
    text += choice;
  }
  return text;
}

std::string accepted_values(const OptionSpec& option) {
  if (option.choices.empty()) return std::string(option.accepts);
  std::string text;
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    if (i > 0) text += i + 1 == option.choices.size() ? " or " : ", ";
    text += option.choices[i];
  }
  return text;
}

string_view color_name(ColorChoice color) {
  return Colors[static_cast<std::size_t>(color)];
}

string_view effect_name(EffectChoice effect) {
  return Effects[static_cast<std::size_t>(effect)];
}

std::span<const VerbSpec> verb_table() {
  return Verbs;
}

const VerbSpec& verb_spec(Verb verb) {
  const auto found =
      std::find_if(Verbs.begin(), Verbs.end(), [&](const VerbSpec& spec) { return spec.verb == verb; });
  CHECK(found != Verbs.end(), "a verb has no entry in the table");
  return *found;
}

const VerbSpec* find_verb(string_view name) {
  const auto found =
      std::find_if(Verbs.begin(), Verbs.end(), [&](const VerbSpec& spec) { return spec.name == name; });
  return found == Verbs.end() ? nullptr : &*found;
}

}  // namespace glyphreel::cli
