#include <fmt/format.h>

#include <optional>
#include <span>

#include "cli/options/option_groups.h"
#include "cli/options/spellings.h"
#include "cli/pages.h"
#include "cli/version.h"

namespace glyphreel::cli {
namespace {

/// Escapes text so that roff prints it literally: backslashes, hyphens, and a . or ' at the start, which
/// would begin a roff request.
std::string roff(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '-' || c == '\\') result += '\\';
    result += c == '\\' ? 'e' : c;
  }
  return result;
}

void append_manual_option(std::string& page, const OptionSpec& option) {
  page += ".TP\n";
  if (option.alias != '\0') page += fmt::format("\\fB\\-{}\\fR, ", option.alias);
  page += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  const std::string value = value_placeholder(option);
  if (!value.empty()) page += fmt::format("\\fI{}\\fR", roff(value));
  page += fmt::format("\n{}.\n", roff(option.help));
  if (!option.default_text.empty()) page += fmt::format("Default: {}.\n", roff(option.default_text));
  if (option.verbs != All) page += fmt::format("Verbs: {}.\n", verb_names(option.verbs, ", "));
}

struct Paragraph {
  std::string_view term;
  std::string_view text;
};

constexpr Paragraph ExitCodes[] = {
    {"0", "Done."},
    {"1",
     "Failed while running, for example because of an unwritable output, a full disk or a lost device. Also "
     "if 'compare' finds a mismatch, if an item of 'batch' fails, or if 'bench --against' finds that this "
     "build is slower."},
    {"2",
     "Wrong usage. Also if the output is an input, is being written by another program, or exists and "
     "--force is not given."},
    {"3", "No usable device or display."},
    {"4", "The input cannot be opened or contains no video."},
    {"75", "A cluster task (batch --task) stopped early; run it again, or run it on a different machine."},
    {"130", "Interrupted."},
};

constexpr Paragraph Files[] = {
    {"NAME.part.EXT",
     "The output NAME.EXT while it is being written; it is renamed when complete. If the program is killed, "
     "what was written can be played, and the next command with the same output name fails unless --force is "
     "given."},
    {"DIR/.glyphreel/jobs.db", "The job database that 'batch' keeps for the outputs in DIR."},
    {"DIR/.glyphreel/cluster", "Plan, tasks, results and logs of an unfinished cluster run."},
    {"~/.config/glyphreel/config.toml",
     "Options by name, such as 'volume = 80', 'fs = true' or 'grid = \"160x45\"'; a table [profiles.NAME] "
     "contains the options of --profile NAME. The command line overrides the profile, and the profile "
     "overrides the rest of the file."},
    {"~/.config/glyphreel/input.conf",
     "Key bindings, one per line: 'KEY COMMAND', such as 'a seek -30' or 'Ctrl+RIGHT add chapter 1', or 'KEY "
     "COMMAND; COMMAND'; 'KEY ignore' unbinds a key. '#' begins a comment. A line that is not valid is "
     "reported and ignored."},
    {"~/.local/state/glyphreel/window", "Position and size of the last window."},
    {"~/.local/state/glyphreel/recent",
     "The last 100 files that were played with --save-position, and where to resume them; can be deleted at "
     "any time."},
    {"~/.cache/glyphreel", "Compiled shaders; can be deleted at any time."},
};

constexpr Paragraph Environment[] = {
    {"XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
     "Replace ~/.config, ~/.local/state and ~/.cache above."},
    {"DISPLAY", "The X server for the window and for the input 'screen:'."},
    {"PULSE_SERVER", "The sound server."},
    {"NO_COLOR", "If set to any value, the terminal shows no colors."},
    {"TERM, COLORTERM", "Determine what the terminal can show."},
    {"VK_DRIVER_FILES", "The drivers that the Vulkan loader uses."},
    {"GLYPHREEL_VALIDATION", "1 enables the Vulkan validation layer if it is installed."},
};

constexpr Paragraph Examples[] = {
    {"glyphreel video.mkv", "Play a video in a window."},
    {"glyphreel --mode ramp --color mono --fg lime video.mkv",
     "Play it as green characters chosen by brightness."},
    {"glyphreel record video.mkv -o text.mp4 --cell 6x12", "Record it to a file, with its sound."},
    {"glyphreel batch photos/ -o text/ --to png",
     "Convert all pictures and videos of a folder; run it again later to convert only what is new."},
    {"glyphreel compare --frames 100 --json video.mkv",
     "Check that the GPU and the CPU render the video's first 100 frames identically."},
    {"glyphreel bench --against ../old/glyphreel", "Measure whether this build is slower than an older one."},
};

void append_paragraphs(std::string& page, std::string_view title, std::span<const Paragraph> paragraphs) {
  page += fmt::format(".SH {}\n", title);
  for (const Paragraph& paragraph : paragraphs) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(paragraph.term), roff(paragraph.text));
  }
}

/// Lists the option names from mpv and FFmpeg that the program accepts as alternatives.
void append_spellings(std::string& page) {
  page +=
      ".SS Other spellings\n"
      "A flag also takes =yes and =no, and \\-\\-no\\-NAME means \\-\\-NAME=no. These option names from "
      "mpv and FFmpeg\n"
      "are accepted as well:\n";
  for (const OptionSpelling& spelling : option_spellings()) {
    page += fmt::format(".TP\n\\-\\-{}\n\\-\\-{}{}\n", roff(spelling.name), roff(spelling.option),
                        spelling.value_prefix.empty() ? "" : fmt::format(" {}N", spelling.value_prefix));
  }
}

void append_keys(std::string& page, std::span<const HelpEntry> keys) {
  page +=
      ".SH KEYS\n"
      "These keys work in the window, in the terminal that started the window, and in a terminal that shows\n"
      "the video. input.conf can change them.\n";
  std::string_view group;
  for (const HelpEntry& key : keys) {
    if (key.group != group) page += fmt::format(".SS {}\n", roff(key.group));
    group = key.group;
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(key.keys), roff(key.does));
  }
  page +=
      ".SS Mouse\n"
      "A double click toggles fullscreen, the right button pauses, the wheel changes the volume, and a\n"
      "click on the progress bar seeks. Files dropped on the window are played.\n";
}

void append_entries(std::string& page, std::span<const HelpEntry> entries) {
  for (const HelpEntry& entry : entries) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(entry.keys), roff(entry.does));
  }
}

void append_commands(std::string& page, const PlayerHelp& player) {
  page +=
      ".SH COMMANDS\n"
      "Keys in input.conf run these commands; programs send them to the IPC socket. Semicolons separate\n"
      "the commands of one key. Quotation marks enclose a word that contains spaces. The prefix\n"
      "\\fBno\\-osd\\fR hides a command's on\\-screen message; the prefix \\fBosd\\-msg\\fR shows the\n"
      "message even if a program sends the command.\n";
  append_entries(page, player.commands);
  page +=
      ".SH PROPERTIES\n"
      "Commands change these properties. Programs can also read and observe them.\n";
  append_entries(page, player.properties);
  page +=
      ".SH CONTROL BY PROGRAMS\n"
      "The socket of input\\-ipc\\-server speaks mpv's JSON protocol: one object per line, such as\n"
      "{\"command\": [\"set_property\", \"pause\", true], \"request_id\": 1}. The reply repeats request_id; "
      "its\n"
      "\"error\" field is \"success\" or says why the request failed. Besides the commands above there are\n"
      "get_property, set_property,\n"
      "observe_property ID NAME and unobserve_property ID. Events are property\\-change, start\\-file,\n"
      "file\\-loaded, seek, playback\\-restart, pause, unpause, end\\-file and shutdown. A line that is not "
      "JSON\n"
      "is run like a command in input.conf.\n";
}

}  // namespace

std::string manual_page(const PlayerHelp& player) {
  std::string page = fmt::format(".TH GLYPHREEL 1 \"\" \"glyphreel {}\" \"User Commands\"\n", version());
  page += ".SH NAME\nglyphreel \\- plays any video as text, at the speed of the GPU\n.SH SYNOPSIS\n";
  for (const VerbSpec& verb : verb_table()) {
    page += fmt::format("{}.B glyphreel\n{}\n", verb.verb == Verb::Play ? "" : ".br\n", roff(verb.usage));
  }
  page +=
      ".SH DESCRIPTION\n"
      "Turns every frame of a video into a grid of cells, each a glyph with two colors, and shows or\n"
      "records that grid. A Vulkan device or the CPU does the work, with bit-identical results.\n"
      ".PP\n"
      "The verb comes first; without one, the program plays. Options may come before or after inputs;\n"
      "everything after \\fB\\-\\-\\fR is an input, even if it begins with a hyphen. If an option is given\n"
      "twice, the last one counts.\n";
  page += ".SH INPUTS\n";
  for (const InputForm& input : input_forms()) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(input.form), roff(input.help));
    if (input.verbs != All) page += fmt::format("Verbs: {}.\n", verb_names(input.verbs, ", "));
  }
  page += ".SH VERBS\n";
  for (const VerbSpec& verb : verb_table()) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", verb.name, roff(verb.summary));
  }
  page += ".SH OPTIONS\n";
  for (const OptionGroup& group : option_groups()) {
    page += fmt::format(".SS {}\n", group.title);
    for (const OptionSpec& option : group.options) append_manual_option(page, option);
  }
  append_spellings(page);
  append_keys(page, player.keys);
  append_commands(page, player);
  append_paragraphs(page, "EXAMPLES", Examples);
  append_paragraphs(page, "FILES", Files);
  append_paragraphs(page, "ENVIRONMENT", Environment);
  append_paragraphs(page, "EXIT STATUS", ExitCodes);
  page += ".SH SEE ALSO\n.BR ffmpeg (1),\n.BR mpv (1),\n.BR vulkaninfo (1)\n";
  return page;
}

std::optional<std::string> generated_page(std::string_view name, const PlayerHelp& player,
                                          std::span<const OptionNames> names) {
  if (name == "man") return manual_page(player);
  if (name == "bash-completion") return bash_completion(names);
  if (name == "zsh-completion") return zsh_completion(names);
  if (name == "fish-completion") return fish_completion(names);
  return std::nullopt;
}

}  // namespace glyphreel::cli
