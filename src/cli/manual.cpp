#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>

#include "cli/options.h"
#include "cli/pages.h"
#include "cli/version.h"

namespace glyphreel::cli {
namespace {

/// Escapes text so that roff prints it literally: backslashes, hyphens, and a leading . or ' (a request).
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && result.empty()) {
      result += "\\&";
      result += c;
    } else {
      result += c;
    }
  }
  return result;
}

/// Returns "play, record" for an option that not every verb takes; empty for one that all take.
std::string verbs_of(const OptionSpec& option) {
  std::string text;
  bool all = true;
  for (const VerbSpec& verb : verb_table()) {
    if (!option.belongs_to(verb.verb)) {
      all = false;
      continue;
    }
    if (!text.empty()) text += ", ";
    text += verb.name;
  }
  return all ? "" : text;
}

void append_manual_option(std::string& page, const OptionSpec& option) {
  page += ".TP\n";
  if (option.alias != '\0') page += fmt::format("\\fB\\-{}\\fR, ", option.alias);
  page += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  const std::string value = value_placeholder(option);
  if (!value.empty()) page += fmt::format(" \\fI{}\\fR", roff(value));
  page += fmt::format("\n{}.\n", roff(option.help));
  if (!option.default_text.empty()) page += fmt::format("Default: {}.\n", roff(option.default_text));
  const std::string verbs = verbs_of(option);
  if (!verbs.empty()) page += fmt::format("Verbs: {}.\n", verbs);
}

struct Paragraph {
  std::string_view term;
  std::string_view text;
};

constexpr std::array<Paragraph, 6> ExitCodes{{
    {"0", "Done."},
    {"1",
     "Failed while running: unwritable output, a full disk, a lost device; with compare, a cell that "
     "differs."},
    {"2",
     "Wrong usage; an output that exists, without --force, or that is an input or being written by another "
     "program."},
    {"3", "No usable device or display."},
    {"4", "The input cannot be opened or holds no video."},
    {"130", "Interrupted."},
}};

constexpr std::array<Paragraph, 5> Files{{
    {"NAME.part.EXT",
     "The output NAME.EXT while it is being written; it gets its name when it is complete. After a kill it "
     "plays up to "
     "there, and the next command of that output name keeps it, unless it has --force."},
    {"~/.config/glyphreel/config.toml",
     "Options by their names, such as 'volume = 80', 'fs = true' or 'grid = \"160x45\"'; a table "
     "[profiles.NAME] holds "
     "those of --profile NAME. The command line stands over the profile, and the profile over the file."},
    {"~/.config/glyphreel/input.conf",
     "Keys, a line each: 'KEY COMMAND', such as 'a seek -30' or 'Ctrl+RIGHT add chapter 1'; 'KEY ignore' "
     "takes a key's "
     "command away. '#' begins a comment."},
    {"~/.local/state/glyphreel/window", "Where the last window stood, and how large it was made."},
    {"~/.cache/glyphreel", "Compiled shaders; may be removed."},
}};

constexpr std::array<Paragraph, 7> Environment{{
    {"XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
     "Stand for ~/.config, ~/.local/state and ~/.cache above."},
    {"DISPLAY", "The X server of the window, and of 'screen:'."},
    {"PULSE_SERVER", "The sound server."},
    {"NO_COLOR", "Set to anything: no colors in the terminal."},
    {"TERM, COLORTERM", "What the terminal can show."},
    {"VK_DRIVER_FILES", "The Vulkan drivers, for the Vulkan loader."},
    {"GLYPHREEL_VALIDATION", "1 turns the Vulkan validation layer on, where it is installed."},
}};

constexpr std::array<Paragraph, 4> Examples{{
    {"glyphreel film.mkv", "Play a film in a window."},
    {"glyphreel --mode ramp --color mono --fg lime film.mkv",
     "Play it as green letters chosen by brightness."},
    {"glyphreel record film.mkv -o text.mp4 --cell 6x12", "Write it, with its sound, into a file."},
    {"glyphreel compare --frames 100 --json film.mkv",
     "Check that GPU and CPU agree on its first 100 frames."},
}};

void append_paragraphs(std::string& page, std::string_view title, std::span<const Paragraph> paragraphs) {
  page += fmt::format(".SH {}\n", title);
  for (const Paragraph& paragraph : paragraphs) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(paragraph.term), roff(paragraph.text));
  }
}

void append_keys(std::string& page, std::span<const KeyHelp> keys) {
  page += ".SH KEYS\nIn the window and in the terminal; input.conf changes them.\n";
  std::string_view group;
  for (const KeyHelp& key : keys) {
    if (key.group != group) page += fmt::format(".SS {}\n", roff(key.group));
    group = key.group;
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(key.keys), roff(key.what));
  }
  page +=
      ".SS Mouse\n"
      "A double click switches fullscreen, the right button pauses, the wheel changes the volume, a click on "
      "the "
      "progress\n"
      "bar seeks. Files dropped on the window are played.\n";
}

}  // namespace

std::string manual_page(std::span<const KeyHelp> keys) {
  std::string page = fmt::format(".TH GLYPHREEL 1 \"\" \"glyphreel {}\" \"User Commands\"\n", version());
  page += ".SH NAME\nglyphreel \\- plays any video as text, at the speed of the GPU\n.SH SYNOPSIS\n";
  for (const VerbSpec& verb : verb_table()) {
    page += fmt::format("{}.B glyphreel\n{}\n", verb.verb == Verb::Play ? "" : ".br\n", roff(verb.usage));
  }
  page +=
      ".SH DESCRIPTION\n"
      "Turns every frame of a video into a grid of cells, each a glyph with two colors, and shows or "
      "records that\n"
      "grid. The work is done by a Vulkan device or, with the same result to the bit, by the processor.\n"
      ".PP\n"
      "INPUT is a file, a URL, \\fB\\-\\fR for standard input, or \\fBdemo:\\fR for the clip that comes with "
      "the\n"
      "program. A verb stands first; without one the program plays. Options may stand before and after "
      "inputs; what\n"
      "follows \\fB\\-\\-\\fR is an input whatever it begins with. Of an option given twice the last one "
      "counts.\n";
  page += ".SH VERBS\n";
  for (const VerbSpec& verb : verb_table()) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", verb.name, roff(verb.summary));
  }
  page += ".SH OPTIONS\n";
  for (int i = 0; i < GroupCount; ++i) {
    const auto group = static_cast<Group>(i);
    page += fmt::format(".SS {}\n", group_title(group));
    for (const OptionSpec& option : option_table()) {
      if (option.group == group) append_manual_option(page, option);
    }
  }
  append_keys(page, keys);
  append_paragraphs(page, "EXAMPLES", Examples);
  append_paragraphs(page, "FILES", Files);
  append_paragraphs(page, "ENVIRONMENT", Environment);
  append_paragraphs(page, "EXIT STATUS", ExitCodes);
  page += ".SH SEE ALSO\n.BR ffmpeg (1),\n.BR mpv (1),\n.BR vulkaninfo (1)\n";
  return page;
}

std::optional<std::string> generated_page(std::string_view name, std::span<const KeyHelp> keys) {
  if (name == "man") return manual_page(keys);
  if (name == "bash-completion") return bash_completion();
  if (name == "zsh-completion") return zsh_completion();
  if (name == "fish-completion") return fish_completion();
  return std::nullopt;
}

}  // namespace glyphreel::cli
