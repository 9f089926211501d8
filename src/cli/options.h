#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/settings.h"

namespace glyphreel::cli {

/// A set of verbs, one bit each.
using VerbSet = unsigned;
[[nodiscard]] constexpr VerbSet verb_bit(Verb verb) {
  return 1U << static_cast<unsigned>(verb);
}

/// A heading under which options are listed.
enum class Group { Engine, Grid, Glyphs, Color, Time, Sound, Window, Recording, Comparing, Other };
inline constexpr int GroupCount = 10;
[[nodiscard]] std::string_view group_title(Group group);

/// What a shell should offer after the option.
enum class Completion { Nothing, Files, Directories };

/// One option: the single place from which the parser, --help, the manual page and the completions are made.
struct OptionSpec {
  VerbSet verbs = 0;
  Group group = Group::Other;
  std::string_view name = {};                      ///< long name without the dashes
  char alias = '\0';                               ///< letter of the short name; 0: none
  std::string_view metavar = {};                   ///< stands for the value; empty with no choices: a flag
  std::span<const std::string_view> choices = {};  ///< the only values taken; empty: see `accepts`
  /// The value of an option given without one; a word after it is its value only where it is one of
  /// `choices`. Empty: a value must be given.
  std::string_view bare_value = {};
  /// Which values are taken, as the end of "--name takes ..."; unused with choices.
  std::string_view accepts = {};
  /// The value that stands when the option is absent; empty: `help` tells.
  std::string_view default_text = {};
  std::string_view help = {};  ///< one or two sentences without the final full stop
  Completion completion = Completion::Nothing;
  /// Writes `value` (empty for a flag) into the settings; false: the value is not taken.
  /// Null: parse() answers the option itself (--help, --version).
  bool (*apply)(Settings& settings, std::string_view value) = nullptr;

  [[nodiscard]] bool is_flag() const { return metavar.empty() && choices.empty(); }
  [[nodiscard]] bool belongs_to(Verb verb) const { return (verbs & verb_bit(verb)) != 0; }
};

/// Every option, in the order in which they are shown.
[[nodiscard]] std::span<const OptionSpec> option_table();
/// The option with that long name, without the dashes; null: there is none.
[[nodiscard]] const OptionSpec* find_option(std::string_view name);
/// "auto|gpu|cpu" or the metavar; empty for a flag.
[[nodiscard]] std::string value_placeholder(const OptionSpec& option);
/// What the option takes, in words: `accepts`, or the choices as "auto, gpu or cpu".
[[nodiscard]] std::string accepted_values(const OptionSpec& option);

/// The value of --mode that stands for it.
[[nodiscard]] std::string_view mode_name(Mode mode);
/// The value of --color that stands for it.
[[nodiscard]] std::string_view color_name(ColorChoice color);
/// The value of --effect that stands for it.
[[nodiscard]] std::string_view effect_name(EffectChoice effect);

/// One verb of the program.
struct VerbSpec {
  Verb verb = Verb::Play;
  std::string_view name = {};
  std::string_view usage = {};    ///< what follows "glyphreel " in the synopsis
  std::string_view summary = {};  ///< one line
  int min_inputs = 0;
  int max_inputs = 1;  ///< negative: any number
};

/// Every verb; the first is the default.
[[nodiscard]] std::span<const VerbSpec> verb_table();
[[nodiscard]] const VerbSpec& verb_spec(Verb verb);
/// The verb of that name; null: there is none.
[[nodiscard]] const VerbSpec* find_verb(std::string_view name);

}  // namespace glyphreel::cli
