#include <algorithm>

#include <fmt/format.h>

#include "cli/options/option_groups.h"
#include "cli/pages.h"

namespace glyphreel::cli {
namespace {

/// Returns the words to offer as the option's value, separated by spaces: its choices, or, if it has none,
/// its OptionNames.
std::string words_of(const OptionSpec& option, std::span<const OptionNames> names) {
  const auto found = std::ranges::find(names, option.name, &OptionNames::option);
  if (option.choices.empty() && found != names.end()) return fmt::format("{}", fmt::join(found->names, " "));
  return fmt::format("{}", fmt::join(option.choices, " "));
}

/// Whether the option never takes the next word as its value.
bool takes_no_word(const OptionSpec& option) {
  return option.is_flag() || (!option.bare_value.empty() && option.choices.empty());
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    result += text.substr(0, at);
    result += to;
    text.remove_prefix(at + from.size());
  }
  return result += text;
}

/// Escapes a description that zsh reads between [ and ] in a single-quoted word.
std::string zsh_description(std::string_view text) {
  std::string result = replaced(text, "\\", "\\\\");
  for (const std::string_view special : {"[", "]", ":"}) {
    result = replaced(result, special, fmt::format("\\{}", special));
  }
  return replaced(result, "'", "'\\''");
}

/// Returns ":message:action" for zsh's _arguments; empty if the option never takes the next word as its
/// value.
std::string zsh_value(const OptionSpec& option, std::span<const OptionNames> names) {
  if (takes_no_word(option)) return "";
  const std::string words = words_of(option, names);
  if (!words.empty()) return fmt::format(":{}:({})", option.name, words);
  const std::string message = zsh_description(option.metavar);
  if (option.takes_file()) return fmt::format(":{}:_files", message);
  if (option.takes_folder()) return fmt::format(":{}:_files -/", message);
  return fmt::format(":{}: ", message);
}

}  // namespace

std::string bash_completion(std::span<const OptionNames> names) {
  std::string script =
      "# Completion of glyphreel for bash.\n"
      "_glyphreel() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=play options= "
      "head=\n"
      "  COMPREPLY=()\n"
      "  # --name=value is one word, or three if COMP_WORDBREAKS contains the equals sign.\n"
      "  if [[ $current == = ]]; then current=\n"
      "  elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  elif [[ $current == --*=* ]]; then previous=${current%%=*} head=$previous= current=${current#*=}\n"
      "  fi\n";
  script += fmt::format(
      "  if ((COMP_CWORD > 1)); then\n"
      "    case ${{COMP_WORDS[1]}} in {}) verb=${{COMP_WORDS[1]}} ;; esac\n"
      "  fi\n"
      "  case $previous in\n",
      verb_names(AllVerbs, "|"));
  for (const OptionSpec& option : option_table()) {
    if (takes_no_word(option)) continue;
    const std::string alias = option.alias == '\0' ? "" : fmt::format("-{}|", option.alias);
    std::string action = "return";  // readline completes file names because of `complete -o default`
    if (const std::string words = words_of(option, names); !words.empty()) {
      action = fmt::format("mapfile -t COMPREPLY < <(compgen -P \"$head\" -W '{}' -- \"$current\"); return",
                           words);
    } else if (option.takes_folder()) {
      action = "mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); compopt -o filenames; return";
    } else if (!option.takes_file()) {
      action = "compopt +o default; return";
    }
    script += fmt::format("    {}--{}) {} ;;\n", alias, option.name, action);
  }
  script += "  esac\n  case $verb in\n";
  for (const VerbSpec& verb : verb_table()) {
    std::string words;
    for (const OptionSpec& option : option_table()) {
      if (!option.belongs_to(verb.verb)) continue;
      if (!words.empty()) words += ' ';
      words += fmt::format("--{}", option.name);
      if (option.alias != '\0') words += fmt::format(" -{}", option.alias);
    }
    script += fmt::format("    {}) options='{}' ;;\n", verb.name, words);
  }
  script += fmt::format(
      "  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
      "  elif ((COMP_CWORD == 1)); then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '{0}' -- \"$current\"; compgen -f -- \"$current\")\n"
      "    compopt -o filenames\n"
      "  elif [[ $verb == help ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '{0}' -- \"$current\")\n"
      "  fi\n"
      "}}\n"
      "complete -o default -F _glyphreel glyphreel\n",
      verb_names(AllVerbs, " "));
  return script;
}

std::string zsh_completion(std::span<const OptionNames> names) {
  std::string script = fmt::format(
      "#compdef glyphreel\n"
      "# Completion of glyphreel for zsh.\n"
      "local verb=play\n"
      "local -a options inputs\n"
      "inputs=('*:input:_files')\n"
      "if (( CURRENT > 2 )); then\n"
      "  case ${{words[2]}} in ({}) verb=${{words[2]}} ;; esac\n"
      "else\n"
      "  inputs=('1:input: _alternative \"verbs:verb:({})\" \"files:input:_files\"')\n"
      "fi\n"
      "case $verb in\n",
      verb_names(AllVerbs, "|"), verb_names(AllVerbs, " "));
  for (const VerbSpec& verb : verb_table()) {
    script += fmt::format("  ({})\n    options=(\n", verb.name);
    for (const OptionSpec& option : option_table()) {
      if (!option.belongs_to(verb.verb)) continue;
      const std::string tail = fmt::format("[{}]{}'", zsh_description(option.help), zsh_value(option, names));
      const std::string equals = takes_no_word(option) ? "" : "=";
      script += fmt::format("      '--{}{}{}\n", option.name, equals, tail);
      if (option.alias != '\0') {
        script += fmt::format("      '-{}{}{}\n", option.alias, option.is_flag() ? "" : "+", tail);
      }
    }
    script += "    ) ;;\n";
  }
  script += "esac\n_arguments -S $options $inputs\n";
  return script;
}

std::string fish_completion(std::span<const OptionNames> names) {
  std::string script = fmt::format(
      "# Completion of glyphreel for fish.\n"
      "function __glyphreel_verb_is\n"
      "  set -l words (commandline -opc)\n"
      "  set -l verb play\n"
      "  if set -q words[2]; and contains -- $words[2] {}\n"
      "    set verb $words[2]\n"
      "  end\n"
      "  contains -- $verb $argv\n"
      "end\n",
      verb_names(AllVerbs, " "));
  const auto quoted = [](std::string_view text) {
    return replaced(replaced(text, "\\", "\\\\"), "'", "\\'");
  };
  for (const VerbSpec& verb : verb_table()) {
    script += fmt::format("complete -c glyphreel -n 'test (count (commandline -opc)) -eq 1' -a {} -d '{}'\n",
                          verb.name, quoted(verb.summary));
  }
  for (const OptionSpec& option : option_table()) {
    script += fmt::format("complete -c glyphreel -n '__glyphreel_verb_is {}' -l {}",
                          verb_names(option.verbs, " "), option.name);
    if (option.alias != '\0') script += fmt::format(" -s {}", option.alias);
    if (const std::string words = words_of(option, names); !words.empty()) {
      script += fmt::format(" -x -a '{}'", words);
    } else if (option.takes_file()) {
      script += " -r -F";
    } else if (option.takes_folder()) {
      script += " -x -a '(__fish_complete_directories)'";
    } else if (!takes_no_word(option)) {
      script += " -x";
    }
    script += fmt::format(" -d '{}'\n", quoted(option.help));
  }
  return script;
}

}  // namespace glyphreel::cli
