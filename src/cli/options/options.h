#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/options/settings.h"

namespace glyphreel::cli {

/// A set of verbs, one bit each.
using VerbSet = unsigned;
[[nodiscard]] constexpr VerbSet verb_bit(Verb verb) {
  return 1U << static_cast<unsigned>(verb);
}

/// Every verb, including those without options.
inline constexpr VerbSet AllVerbs = (verb_bit(Verb::Help) << 1) - 1;

/// One option. The parser, --help, the manual page and the completions all use these entries.
struct OptionSpec {
  VerbSet verbs = 0;
  std::string_view name = {};     ///< long name without the dashes
  char alias = '\0';              ///< letter of the short name; 0: none
  std::string_view metavar = {};  ///< placeholder for the value; a flag or an option with `choices` has none
  std::span<const std::string_view> choices = {};  ///< the only valid values; empty: see `accepts`
  /// The value that is used if the user writes the option without a value. An option with a bare value takes
  /// the next word as its value only if that word is one of `choices`. Empty: the option requires a value.
  std::string_view bare_value = {};
  /// The valid values, worded to follow "--name takes" in a message. Not used if the option has `choices`.
  std::string_view accepts = {};
  /// The default that --help and the manual page show for the option. Empty: they show no default.
  std::string_view default_text = {};
  std::string_view help = {};  ///< one or two sentences without the final period
  /// Writes `value` (empty for a flag) into the settings; returns false if the value is invalid. Null:
  /// parse() handles the option itself (--help, --version).
  bool (*apply)(Settings& settings, std::string_view value) = nullptr;

  [[nodiscard]] bool is_flag() const { return metavar.empty() && choices.empty(); }
  // The completions use these two functions to decide whether to offer names of files or folders.
  [[nodiscard]] bool takes_file() const { return metavar.starts_with("FILE"); }
  [[nodiscard]] bool takes_folder() const { return metavar == "DIR"; }
  [[nodiscard]] bool has_choice(std::string_view value) const {
    return std::ranges::find(choices, value) != choices.end();
  }
  /// Whether "no" turns the option off, so that --no-NAME means --NAME=no.
  [[nodiscard]] bool takes_no() const { return is_flag() || has_choice("no") || metavar.ends_with("|no"); }
  [[nodiscard]] bool belongs_to(Verb verb) const { return (verbs & verb_bit(verb)) != 0; }
};

/// An option with a value, from the command line or from a configuration file.
struct OptionValue {
  const OptionSpec* option = nullptr;
  std::string value;  ///< empty for a flag
  bool on = true;     ///< false: the flag is turned off, as by --fs=no
};

/// The options listed under one heading.
struct OptionGroup {
  std::string_view title;
  std::span<const OptionSpec> options;
};

/// Returns every group, in display order.
[[nodiscard]] std::span<const OptionGroup> option_groups();
/// Returns every option, in display order.
[[nodiscard]] std::span<const OptionSpec> option_table();
/// Returns the option with this long name (without the dashes), or null.
[[nodiscard]] const OptionSpec* find_option(std::string_view name);
/// Returns what help texts show in place of the option's value: its choices, as in " auto|gpu|cpu", or its
/// metavar, as in " FILE". A value that may be left out is shown as in "[=N|inf|no]". Empty for a flag.
[[nodiscard]] std::string value_placeholder(const OptionSpec& option);
/// Returns the valid values in words: `accepts`, or the choices as "auto, gpu or cpu".
[[nodiscard]] std::string accepted_values(const OptionSpec& option);

/// Returns the value of --color for this choice.
[[nodiscard]] std::string_view color_name(ColorChoice color);
/// Returns the value of --effect for this effect. The functions below do the same for other options.
[[nodiscard]] std::string_view effect_name(Effect effect);
[[nodiscard]] std::string_view dither_name(Dither dither);
[[nodiscard]] std::string_view reverse_name(Reverse reverse);
[[nodiscard]] std::string_view fit_name(Fit fit);
[[nodiscard]] std::string_view tone_mapping_name(ToneMapping curve);

/// One verb of the program.
struct VerbSpec {
  Verb verb = Verb::Play;
  std::string_view name = {};
  std::string_view usage = {};    ///< the text after "glyphreel " in the synopsis
  std::string_view summary = {};  ///< one line
  int min_inputs = 0;
  int max_inputs = 1;                    ///< negative: any number
  std::string_view output_example = {};  ///< example of -o's value if -o is required; empty: -o is optional
};

/// One form of INPUT, for --help and the manual page.
struct InputForm {
  VerbSet verbs = 0;
  std::string_view form;
  std::string_view help;  ///< what `form` means, without the final period
};
[[nodiscard]] std::span<const InputForm> input_forms();

/// Returns the names of these verbs, in the order of verb_table().
[[nodiscard]] std::string verb_names(VerbSet verbs, std::string_view separator);

/// Returns every verb; the first is the default.
[[nodiscard]] std::span<const VerbSpec> verb_table();
[[nodiscard]] const VerbSpec& verb_spec(Verb verb);
/// Returns the verb of this name, or null.
[[nodiscard]] const VerbSpec* find_verb(std::string_view name);

}  // namespace glyphreel::cli
