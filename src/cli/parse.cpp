#include "cli/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/export_formats.h"
#include "base/nearest_word.h"
#include "cli/config.h"
#include "cli/looks.h"
#include "cli/options/exclusions.h"
#include "cli/options/options.h"
#include "cli/options/spellings.h"
#include "cli/options/values.h"
#include "cli/pages.h"
#include "cli/version.h"

namespace glyphreel::cli {
namespace {

using Parsed = std::variant<Settings, EarlyExit>;

Error usage_error(std::string message) {
  return Error{.code = ErrorCode::Usage, .message = std::move(message)};
}

/// The content of the command line: the inputs, and the options in the order of the option table. If an
/// option is given twice, only its last value is stored.
struct Given {
  std::vector<OptionValue> options;
  std::vector<std::string> inputs;
  std::vector<std::string> unknown;  ///< words that look like options but are not options of this verb

  [[nodiscard]] bool has(std::string_view name) const {
    const auto found = std::ranges::find(options, find_option(name), &OptionValue::option);
    return found != options.end() && found->on;
  }
  /// Returns the value of an option, empty if it was not given.
  [[nodiscard]] std::string value_of(std::string_view name) const {
    const auto found = std::ranges::find(options, find_option(name), &OptionValue::option);
    return found == options.end() ? "" : found->value;
  }
};

/// The option that a word names, and the value in the same word.
struct OptionWord {
  const OptionSpec* option = nullptr;  ///< null: the verb has no such option
  std::string_view value_prefix = {};  ///< precedes a value in the next word
  std::optional<std::string> value = {};
};

/// Reads "--name", "--name=value", "--no-name", "-o", "-oVALUE" or "-o=VALUE".
OptionWord option_of_word(std::string_view word, Verb verb) {
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    NamedOption named = option_named(word.substr(2, equals == word.npos ? equals : equals - 2), verb);
    const bool has_value = equals != word.npos;
    if (named.option == nullptr || !named.option->belongs_to(verb) || (named.value && has_value)) return {};
    if (has_value && equals + 1 < word.size()) {
      named.value = fmt::format("{}{}", named.value_prefix, word.substr(equals + 1));
    } else if (has_value) {
      named.value = "";
    }
    return {named.option, named.value_prefix, std::move(named.value)};
  }
  if (word.size() < 2 || word[0] != '-') return {};
  for (const OptionSpec& option : option_table()) {
    if (!option.belongs_to(verb) || option.alias == '\0' || word[1] != option.alias) continue;
    if (word.size() == 2) return {&option};
    if (!option.is_flag()) return {&option, {}, std::string(word.substr(word[2] == '=' ? 3 : 2))};
  }
  return {};
}

/// Splits the words into options and inputs without parsing the values. getopt_long is unsuitable: it accepts
/// abbreviated options, and it accepts an optional value only in the same word.
Result<Given> read_words(const std::vector<std::string>& words, Verb verb) {
  Given given;
  std::map<const OptionSpec*, OptionValue> values;  // sorted by address, which is the option table's order
  // Words after the first "--" are inputs, even if they begin with a hyphen.
  const auto mark = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != mark; ++word) {
    const bool is_input = word->size() < 2 || word->front() != '-';
    const auto [option, value_prefix, value] = is_input ? OptionWord() : option_of_word(*word, verb);
    const auto next = std::next(word);
    const auto set = [&, option = option](std::string_view text) {
      values[option] = {.option = option, .value = std::string(own_value(*option, text))};
    };
    if (option == nullptr) {
      (is_input ? given.inputs : given.unknown).push_back(*word);
    } else if (option->is_flag()) {
      if (value && *value != "yes" && *value != "no")
        return usage_error(fmt::format("--{} takes yes or no, not '{}'.", option->name, *value));
      values[option] = {.option = option, .on = value != "no"};
    } else if (value && !value->empty()) {
      set(*value);
    } else if (!value && next != mark && (option->bare_value.empty() || option->has_choice(*next))) {
      set(fmt::format("{}{}", value_prefix, *++word));  // the next word, even if it begins with a hyphen
    } else if (!value && !option->bare_value.empty()) {
      set(option->bare_value);
    } else {
      return usage_error(fmt::format("--{} needs a value: {}.", option->name, accepted_values(*option)));
    }
  }
  if (mark != words.end()) given.inputs.insert(given.inputs.end(), std::next(mark), words.end());
  for (auto& [option, value] : values) given.options.push_back(std::move(value));
  return given;
}

Error unknown_option(const std::string& word, Verb verb) {
  const std::string head = word.substr(0, word.find('='));
  const VerbSpec& spec = verb_spec(verb);
  for (const VerbSpec& other : verb_table()) {
    if (option_of_word(word, other.verb).option == nullptr) continue;
    return usage_error(fmt::format("{} is an option of 'glyphreel {}', not of 'glyphreel {}'.", head,
                                   other.name, spec.name));
  }
  std::vector<std::string_view> names;
  for (const OptionSpec& option : option_table()) {
    if (option.belongs_to(verb)) names.push_back(option.name);
  }
  for (const OptionSpelling& spelling : option_spellings()) {
    if (option_named(spelling.name, verb).option->belongs_to(verb)) names.push_back(spelling.name);
  }
  const std::string_view meant = nearest_word(
      std::string_view(head).substr(std::min<std::size_t>(head.find_first_not_of('-'), head.size())), names);
  if (!meant.empty()) return usage_error(fmt::format("Unknown option {}; did you mean --{}?", head, meant));
  return usage_error(
      fmt::format("Unknown option {}; 'glyphreel {} --help' lists the options.", head, spec.name));
}

/// Sets --color and --reverse for text without colors, unless the command line gives these options. Ignores
/// the values that the look and the configuration give them, because characters chosen for two colors are
/// unreadable without color.
void imply_text(Settings& settings) {
  if (!is_explicit(settings, "color")) settings.picture.color = ColorChoice::Mono;
  if (!is_explicit(settings, "reverse")) settings.picture.reverse = Reverse::Never;
}

/// Sets the options that the output's format implies, unless they are given. Errors: Usage if -o is "-" but
/// --format is not given, or if an option on the command line does not work with the format.
Result<void> apply_output_format(Settings& settings, const Given& given) {
  if (settings.recording.output.empty()) return {};
  const bool is_batch = settings.verb == Verb::Batch;
  if (!is_batch && settings.recording.output == "-" && settings.recording.format.empty())
    return usage_error(fmt::format("'-o -' needs --format with one of {}.", export_names()));
  if (!is_batch && settings.recording.output == "-") settings.recording.output = "/dev/stdout";
  const Result<ExportFormat> format =
      is_batch ? export_format_of({}, settings.batch.to_format)
               : export_format_of(settings.recording.output, settings.recording.format);
  if (!format) return {};  // opening the output reports the error
  // The options of a batch are not checked here, because an item may have its own format.
  if (!is_batch) TRY(check_format_options(settings.above_look, *format));
  if (format->writer == ExportWriter::Text) imply_text(settings);
  for (const ImpliedOption& implied : format->implied) {
    if (implied.name.empty() || given.has(implied.name)) continue;
    if (implied.name == "color" && given.has("palette")) continue;
    find_option(implied.name)->apply(settings, implied.value);
  }
  return {};
}

/// Whether `a` is later than `b`, whatever the input is. Both must have the same unit.
bool is_later(const TimePosition& a, const TimePosition& b) {
  return a.unit == TimePosition::Unit::SecondsBeforeEnd ? a.value < b.value : a.value > b.value;
}

/// Checks combinations of options that are valid individually. Also sets what an option implies: --ramp
/// implies --mode ramp, and an output without colors implies --color mono.
Result<void> check_combinations(Settings& settings, const Given& given) {
  TRY(check_exclusions(given.options));
  const auto start = settings.playback.start.value_or(TimePosition{});
  if (settings.playback.end && settings.playback.end->unit == start.unit &&
      !is_later(*settings.playback.end, start)) {
    return usage_error("--end must be later than --start.");
  }
  if (settings.playback.length_seconds && *settings.playback.length_seconds <= 0.0) {
    return usage_error("--length must be longer than 0 seconds.");
  }
  constexpr int MaxJobsHere = 256;
  if (settings.cluster.where.empty() && settings.batch.jobs > MaxJobsHere)
    return usage_error(fmt::format("Without --cluster, --jobs takes a number from 1 to {}.", MaxJobsHere));
  if (settings.cluster.detach && settings.cluster.where != "slurm")
    return usage_error(
        "--detach needs --cluster slurm: only Slurm runs the tasks after this command has ended.");
  if (given.has("ramp")) settings.glyphs.mode = Mode::Ramp;
  if (given.has("thresholds")) {
    if (!given.has("ramp"))
      return usage_error(
          "--thresholds needs --ramp: each value is the lowest brightness for which a character of the ramp "
          "is used.");
    const int characters = count_code_points(settings.glyphs.ramp).value_or(0);
    if (static_cast<int>(settings.glyphs.thresholds.size()) != characters - 1) {
      return usage_error(fmt::format("--thresholds has {} values, but the {} characters of --ramp need {}.",
                                     settings.glyphs.thresholds.size(), characters, characters - 1));
    }
  }
  if (settings.picture.reverse == Reverse::PerCell && settings.picture.color != ColorChoice::Mono) {
    return usage_error("--reverse auto needs --color mono; use --color mono or omit --reverse.");
  }
  return apply_output_format(settings, given);
}

Result<void> check_inputs(const Settings& settings, const VerbSpec& verb) {
  const auto count = static_cast<int>(settings.inputs.size());
  const bool only_reports = settings.batch.list || settings.cluster.status || settings.cluster.cancel;
  const bool needs_input = verb.verb == Verb::Batch && settings.batch.files_from.empty() &&
                           settings.cluster.task_file.empty() && !only_reports;
  if (count < verb.min_inputs || (needs_input && count == 0)) {
    return usage_error(fmt::format(
        "'glyphreel {}' needs an INPUT: a file, a URL, '-' (standard input) or 'demo:'.", verb.name));
  }
  if (verb.max_inputs >= 0 && count > verb.max_inputs) {
    return usage_error(fmt::format("'glyphreel {}' takes one INPUT, not {}; '{}' is one too many.", verb.name,
                                   count, settings.inputs[static_cast<std::size_t>(verb.max_inputs)]));
  }
  if (std::ranges::find(settings.inputs, std::string()) != settings.inputs.end())
    return usage_error("An INPUT is empty; use a file, a URL, '-' (standard input) or 'demo:'.");
  if (!verb.output_example.empty() && settings.recording.output.empty()) {
    return usage_error(fmt::format("'glyphreel {}' needs -o {}, such as -o {}.", verb.name,
                                   verb.verb == Verb::Batch ? "DIR" : "FILE", verb.output_example));
  }
  return {};
}

bool is_look(const OptionValue& value) {
  return value.option->name == "look";
}

const OptionValue* find_value(const std::vector<OptionValue>& values, std::string_view name) {
  const auto found = std::ranges::find(values, find_option(name), &OptionValue::option);
  return found == values.end() ? nullptr : &*found;
}

/// `look` is a --look option, and its value names a look. Returns the options in that look that belong to
/// `verb`, followed by `look` itself. If no look has that name, returns only `look`.
std::vector<OptionValue> values_of_look(const OptionValue& look, Verb verb) {
  std::vector<OptionValue> values;
  if (look.option->has_choice(look.value)) values = look_values(look.value);
  std::erase_if(values, [&](const OptionValue& value) { return !value.option->belongs_to(verb); });
  values.push_back(look);
  return values;
}

/// Adds the options of the configuration file and its profiles to `given` and `plain`, except those that
/// options in `given` and `plain` override. Adds the options of the look only to `given`. `plain`: the given
/// options without --look.
Result<void> add_config(Given& given, Given& plain, Verb verb, const std::string& usual_file) {
  const std::string given_file = given.value_of("config");
  const std::string& file = given_file.empty() ? usual_file : given_file;
  Config config;
  std::error_code problem;
  const bool is_expected = !given_file.empty() || std::filesystem::exists(usual_file, problem);
  if (is_expected && !given.has("no-config")) {
    TRY_ASSIGN(config, read_config(file));
  }
  TRY_ASSIGN(std::vector<OptionValue> values, with_profiles(config, given.value_of("profile")));
  std::erase_if(values, [&](const OptionValue& value) { return !value.option->belongs_to(verb); });
  std::vector<OptionValue> without_look = values;
  std::erase_if(without_look, is_look);
  merge_over(without_look, plain.options);
  plain.options = std::move(without_look);
  // A look on the command line overrides the configuration. A look in the configuration does not override the
  // configuration's other options.
  const OptionValue* look = find_value(values, "look");
  if (!given.has("look") && look != nullptr) {
    std::vector<OptionValue> all = values_of_look(*look, verb);
    merge_over(all, values);
    values = std::move(all);
  } else if (given.has("look")) {
    merge_over(values, values_of_look(*find_value(given.options, "look"), verb));
  }
  merge_over(values, given.options);
  given.options = std::move(values);
  return {};
}

Result<void> apply_all(Settings& settings, std::span<const OptionValue> values) {
  for (const OptionValue& each : values) {
    if (each.option->apply(settings, each.value)) continue;
    const std::string hint = did_you_mean(each.value, each.option->choices, "");
    return usage_error(fmt::format("--{} takes {}, not '{}'{}", each.option->name,
                                   accepted_values(*each.option), each.value,
                                   hint.empty() ? "." : "; " + hint));
  }
  return {};
}

std::vector<GivenOption> as_text(std::span<const OptionValue> values) {
  std::vector<GivenOption> text;
  for (const OptionValue& each : values)
    text.push_back({std::string(each.option->name), each.value, each.on});
  return text;
}

/// Returns the settings without the options of the look. `plain`: the given options without --look.
/// `with_look`: the settings that include the look's options.
Result<std::shared_ptr<const Settings>> settings_without_look(const Given& plain, const Settings& with_look) {
  auto settings = std::make_shared<Settings>();
  settings->verb = with_look.verb;
  settings->above_look = with_look.above_look;
  settings->glyphs.charset_chosen = plain.has("charset");
  settings->options = as_text(plain.options);
  TRY(apply_all(*settings, plain.options));
  // Ignore errors: a combination of options may be valid only with the look's options.
  static_cast<void>(check_combinations(*settings, plain));
  return std::shared_ptr<const Settings>(std::move(settings));
}

Result<Parsed> generate(const std::vector<std::string>& words, const ParseContext& context) {
  const std::string name = words.size() > 1 ? words[1] : "";
  auto page = generated_page(name, context.player, context.names);
  if (!page) {
    return usage_error(fmt::format(
        "--generate takes man, bash-completion, zsh-completion or fish-completion, not '{}'.", name));
  }
  return Parsed{EarlyExit{*std::move(page)}};
}

std::vector<std::string_view> names_of_verbs() {
  std::vector<std::string_view> names;
  for (const VerbSpec& verb : verb_table()) names.push_back(verb.name);
  return names;
}

/// `glyphreel help [VERB]` means `glyphreel [VERB] --help`.
Result<Parsed> help(const std::vector<std::string>& words) {
  if (words.empty() || words.front().starts_with('-')) return Parsed{EarlyExit{help_page(Verb::Play)}};
  if (const VerbSpec* verb = find_verb(words.front())) return Parsed{EarlyExit{help_page(verb->verb)}};
  return usage_error(fmt::format("There is no verb '{}'; {}", words.front(),
                                 did_you_mean(words.front(), names_of_verbs(),
                                              fmt::format("choose one of {}.", verb_names(AllVerbs, ", ")))));
}

/// Reports a first word that resembles a verb, but is neither a verb nor a file. Otherwise, the word would
/// count as an input, and the inputs after it would be played.
Result<void> check_mistyped_verb(const std::string& word) {
  const std::string_view meant = nearest_word(word, names_of_verbs());
  std::error_code problem;
  if (word.starts_with('-') || meant.empty() || std::filesystem::exists(word, problem)) return {};
  return usage_error(
      fmt::format("There is no verb and no file '{}'; did you mean 'glyphreel {}'?", word, meant));
}

}  // namespace

bool is_explicit(const Settings& settings, std::string_view name) {
  return std::ranges::find(settings.above_look, name, &GivenOption::name) != settings.above_look.end();
}

Result<Parsed> parse(int argc, const char* const* argv, const ParseContext& context) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "--generate") return generate(words, context);

  const VerbSpec* named = words.empty() ? nullptr : find_verb(words.front());
  if (named != nullptr) words.erase(words.begin());
  if (named != nullptr && named->verb == Verb::Help) return help(words);
  if (named == nullptr && !words.empty()) {
    TRY(check_mistyped_verb(words.front()));
  }
  const VerbSpec& verb = named != nullptr ? *named : verb_spec(Verb::Play);
  TRY_ASSIGN(Given given, read_words(words, verb.verb));

  if (given.has("help")) return Parsed{EarlyExit{help_page(verb.verb)}};
  if (given.has("version")) return Parsed{EarlyExit{fmt::format("glyphreel {}\n", version())}};
  if (named == nullptr && !given.inputs.empty() && find_verb(given.inputs.front()) != nullptr) {
    return usage_error(
        fmt::format("A verb comes first: glyphreel {0} [OPTION...]; for a file of that name, write ./{0}.",
                    given.inputs.front()));
  }
  if (!given.unknown.empty()) return unknown_option(given.unknown.front(), verb.verb);

  Settings settings;
  settings.verb = verb.verb;
  settings.glyphs.charset_given = given.has("charset");
  Given plain = given;  // the options other than --look
  std::erase_if(plain.options, is_look);
  settings.above_look = as_text(plain.options);
  TRY(add_config(given, plain, verb.verb, context.config_file));
  settings.glyphs.charset_chosen = given.has("charset");
  settings.options = as_text(given.options);
  TRY(apply_all(settings, given.options));
  settings.inputs = std::move(given.inputs);
  TRY(check_inputs(settings, verb));
  TRY(check_combinations(settings, given));
  if (settings.look != Settings{}.look) {
    TRY_ASSIGN(settings.without_look, settings_without_look(plain, settings));
  }
  Parsed parsed = std::move(settings);
  return parsed;
}

Result<Settings> with_options(const Settings& base, std::span<const GivenOption> above) {
  Given upper;
  for (const GivenOption& each : above) {
    const NamedOption named = option_named(each.name, base.verb);
    if (named.option == nullptr || !named.option->belongs_to(base.verb) || named.option->apply == nullptr)
      return unknown_option(fmt::format("--{}", each.name), base.verb);
    const std::string value = fmt::format("{}{}", named.value_prefix, own_value(*named.option, each.value));
    if (named.option->is_flag() && !each.value.empty() && each.value != "yes" && each.value != "no")
      return usage_error(fmt::format("--{} takes yes or no, not '{}'.", named.option->name, each.value));
    upper.options.push_back(
        {named.option, named.option->is_flag() ? "" : value, each.on && each.value != "no"});
    if (!named.option->is_flag()) upper.options.back().on = true;
  }
  const OptionValue* look = find_value(upper.options, "look");
  const bool replaces_look = look != nullptr && base.without_look != nullptr;
  Given given;
  for (const GivenOption& each : replaces_look ? base.without_look->options : base.options)
    given.options.push_back({find_option(each.name), each.value, each.on});
  if (look != nullptr) merge_over(given.options, values_of_look(*look, base.verb));
  merge_over(given.options, upper.options);
  Settings settings;
  settings.verb = base.verb;
  settings.glyphs.charset_chosen = given.has("charset");
  settings.above_look = base.above_look;
  settings.above_look.insert(settings.above_look.end(), above.begin(), above.end());
  settings.options = as_text(given.options);
  TRY(apply_all(settings, given.options));
  settings.inputs = base.inputs;
  TRY(check_combinations(settings, given));
  return settings;
}

}  // namespace glyphreel::cli
