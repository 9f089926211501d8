#include "cli/options/options.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "cli/options/option_groups.h"
#include "cli/options/option_setters.h"

namespace glyphreel::cli {
namespace {

using std::string_view;

constexpr auto Verbs = std::to_array<VerbSpec>({
    {.verb = Verb::Play,
     .name = "play",
     .usage = "[play] [OPTION...] [INPUT...]",
     .summary = "play the inputs in order, or the demo clip if there is no input",
     .max_inputs = -1},
    {.verb = Verb::Record,
     .name = "record",
     .usage = "record [OPTION...] INPUT... -o FILE",
     .summary = "write the inputs as text, with their sound, to a video, picture or text file",
     .min_inputs = 1,
     .max_inputs = -1,
     .output_example = "text.mp4"},
    {.verb = Verb::Batch,
     .name = "batch",
     .usage = "batch [OPTION...] INPUT... -o DIR --to FORMAT",
     .summary = "convert many inputs; run the command again to continue where it stopped",
     .max_inputs = -1,
     .output_example = "text"},
    {.verb = Verb::Compare,
     .name = "compare",
     .usage = "compare [OPTION...] INPUT",
     .summary = "render on the GPU and on the CPU and report any difference",
     .min_inputs = 1},
    {.verb = Verb::Bench,
     .name = "bench",
     .usage = "bench [OPTION...] [INPUT]",
     .summary = "measure the speed of every stage, or compare builds or programs"},
    {.verb = Verb::Info,
     .name = "info",
     .usage = "info [OPTION...] [INPUT]",
     .summary = "list devices, codecs and charsets, describe an input, or show a charset"},
    {.verb = Verb::Help,
     .name = "help",
     .usage = "help [VERB]",
     .summary = "print the options of a verb, as 'glyphreel VERB --help' does"},
});

constexpr auto InputForms = std::to_array<InputForm>({
    {All, "FILE", "A video or a picture; numbered pictures such as shot-%04d.png become one video"},
    {Play | Record, "DIR", "The videos in a folder; if it has none, its pictures"},
    {Batch, "DIR", "The videos and pictures in a folder and its subfolders, one item each"},
    {Play | Record, "'*.png'", "The files that match a pattern; pictures become one video"},
    {Batch, "'*.png'", "The files that match a pattern, one item each"},
    {Play | Recording, "LIST.m3u, LIST.pls", "A playlist"},
    {All, "URL", "A stream, a file on a server, or, with yt-dlp, a web page"},
    {All, "-", "Standard input"},
    {All, "demo:", "The clip that comes with the program"},
    {All, "camera:[N|PATH]", "A camera, by its number (/dev/videoN) or its path; by default the first one"},
    {All, "screen:[WxH[+X+Y]]", "The X screen, or a part of it"},
    {All, "lavfi:GRAPH", "A filter graph of FFmpeg, such as lavfi:testsrc2"},
});

}  // namespace

std::span<const InputForm> input_forms() {
  return InputForms;
}

std::span<const OptionGroup> option_groups() {
  static const std::vector<OptionGroup> Groups = [] {
    std::vector<OptionGroup> groups;
    for (const auto part : {picture_options(), playing_options(), output_options()})
      groups.insert(groups.end(), part.begin(), part.end());
    return groups;
  }();
  return Groups;
}

std::span<const OptionSpec> option_table() {
  static const std::vector<OptionSpec> Table = [] {
    std::vector<OptionSpec> table;
    for (const OptionGroup& group : option_groups())
      table.insert(table.end(), group.options.begin(), group.options.end());
    return table;
  }();
  return Table;
}

const OptionSpec* find_option(string_view name) {
  const std::span<const OptionSpec> table = option_table();
  const auto found = std::ranges::find(table, name, &OptionSpec::name);
  return found == table.end() ? nullptr : &*found;
}

std::string value_placeholder(const OptionSpec& option) {
  if (option.is_flag()) return {};
  if (!option.choices.empty()) return fmt::format(" {}", fmt::join(option.choices, "|"));
  return fmt::format(fmt::runtime(option.bare_value.empty() ? " {}" : "[={}]"), option.metavar);
}

std::string accepted_values(const OptionSpec& option) {
  if (option.choices.empty()) return std::string(option.accepts);
  return fmt::format("{} or {}", fmt::join(option.choices.first(option.choices.size() - 1), ", "),
                     option.choices.back());
}

string_view color_name(ColorChoice color) {
  return Colors[static_cast<std::size_t>(color)];
}

string_view effect_name(Effect effect) {
  return Effects[static_cast<std::size_t>(effect)];
}

string_view dither_name(Dither dither) {
  return Dithers[static_cast<std::size_t>(dither)];
}

string_view reverse_name(Reverse reverse) {
  return Reverses[static_cast<std::size_t>(reverse)];
}

string_view fit_name(Fit fit) {
  return Fits[static_cast<std::size_t>(fit)];
}

string_view tone_mapping_name(ToneMapping curve) {
  return ToneMappings[static_cast<std::size_t>(curve)];
}

std::string verb_names(VerbSet verbs, string_view separator) {
  std::vector<string_view> names;
  for (const VerbSpec& verb : Verbs) {
    if ((verbs & verb_bit(verb.verb)) != 0) names.push_back(verb.name);
  }
  return fmt::format("{}", fmt::join(names, separator));
}

std::span<const VerbSpec> verb_table() {
  return Verbs;
}

const VerbSpec& verb_spec(Verb verb) {
  const auto found = std::ranges::find(Verbs, verb, &VerbSpec::verb);
  CHECK(found != Verbs.end(), "a verb has no entry in the table");
  return *found;
}

const VerbSpec* find_verb(string_view name) {
  const auto found = std::ranges::find(Verbs, name, &VerbSpec::name);
  return found == Verbs.end() ? nullptr : &*found;
}

}  // namespace glyphreel::cli
