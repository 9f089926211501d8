#include "cli/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/config.h"
#include "cli/nearest.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "cli/values.h"
#include "cli/version.h"

namespace glyphreel::cli {
namespace {

using Parsed = std::variant<Settings, EarlyExit>;

Error usage_error(std::string message) {
  return Error{.code = ErrorCode::Usage, .message = std::move(message), .cause = ""};
}

/// The content of the command line: the last value of each option given, in the table's order.
struct Given {
  std::vector<OptionValue> options;
  std::vector<std::string> inputs;
  std::vector<std::string> unknown;  ///< words that look like options but are not options of this verb

  [[nodiscard]] bool has(std::string_view name) const {
    return std::any_of(options.begin(), options.end(),
                       [&](const OptionValue& given) { return given.option->name == name; });
  }
  /// Returns the value of an option, empty if it was not given.
  [[nodiscard]] std::string value_of(std::string_view name) const {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const OptionValue& given) { return given.option->name == name; });
    return found == options.end() ? "" : found->value;
  }
};

/// Returns the option of `verb` that `word` ("--name", "--name=value", "-o") names; null: none.
const OptionSpec* option_of_word(std::string_view word, Verb verb) {
  const std::string_view head = word.substr(0, word.find('='));
  for (const OptionSpec& option : option_table()) {
    if (!option.belongs_to(verb)) continue;
    if (head.starts_with("--") && head.substr(2) == option.name) return &option;
    if (head.size() == 2 && head[0] == '-' && option.alias != '\0' && head[1] == option.alias) return &option;
  }
  return nullptr;
}

Error missing_value(const OptionSpec& option) {
  return usage_error(fmt::format("--{} needs a value: {}.", option.name, accepted_values(option)));
}

/// Explains a CLI11 error. CLI11 only splits words (every value is text to it), so there are two cases: a
/// flag was given a value, or the last word's option lacks one.
Error misread(const std::vector<std::string>& words, Verb verb, const CLI::ParseError& error) {
  for (const std::string& word : words) {
    const OptionSpec* option = option_of_word(word, verb);
    if (option != nullptr && option->is_flag() && word.find('=') != std::string::npos) {
      return usage_error(
          fmt::format("--{} takes no value; leave '{}' out.", option->name, word.substr(word.find('='))));
    }
  }
  const OptionSpec* option = words.empty() ? nullptr : option_of_word(words.back(), verb);
  if (option != nullptr) return missing_value(*option);
  return usage_error(fmt::format("The command line is invalid: {}.", error.what()));
}

/// Replaces "--name" with "--name=VALUE" where an option with an optional value has none.
std::vector<std::string> with_bare_values(std::vector<std::string> words, Verb verb) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const OptionSpec* option = option_of_word(words[i], verb);
    if (option == nullptr || option->is_flag() || words[i].find('=') != std::string::npos) continue;
    if (option->bare_value.empty()) {
      ++i;  // the next word is its value, whatever it looks like
      continue;
    }
    const bool has_value = i + 1 < words.size() && std::find(option->choices.begin(), option->choices.end(),
                                                             words[i + 1]) != option->choices.end();
    if (has_value) {
      ++i;
    } else {
      words[i] += fmt::format("={}", option->bare_value);
    }
  }
  return words;
}

/// Splits the words into options and inputs. It knows names and which options take a value, not what the
/// values mean.
Result<Given> read_words(const std::vector<std::string>& words, Verb verb) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::pair<const OptionSpec*, CLI::Option*>> bound;
  for (const OptionSpec& spec : option_table()) {
    if (!spec.belongs_to(verb)) continue;
    std::string names = fmt::format("--{}", spec.name);
    if (spec.alias != '\0') names += fmt::format(",-{}", spec.alias);
    CLI::Option* option = nullptr;
    if (spec.is_flag()) {
      option = app.add_flag(names)->disable_flag_override();
    } else {
      option = app.add_option(names)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    bound.emplace_back(&spec, option);
  }

  // Words after the first "--" are inputs, whatever they begin with, so CLI11 does not get them.
  const auto mark = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> readable = with_bare_values({words.begin(), mark}, verb);
  for (const std::string& word : readable) {
    // CLI11 would take the next word for the value of "--name=".
    const OptionSpec* option = word.ends_with('=') ? option_of_word(word, verb) : nullptr;
    if (option != nullptr && !option->is_flag()) return missing_value(*option);
  }
  try {
    // CLI11 expects the words in reverse order.
    app.parse(std::vector<std::string>(readable.rbegin(), readable.rend()));
  } catch (const CLI::ParseError& error) {
    return misread(readable, verb, error);
  }

  Given given;
  for (const auto& [spec, option] : bound) {
    if (option->count() == 0) continue;
    // Use the raw words: CLI11's reduced results interpret "{}" and "[a,b]".
    given.options.push_back({spec, spec->is_flag() ? "" : option->results().back()});
  }
  for (std::string& word : app.remaining()) {
    const bool looks_like_option = word.size() > 1 && word[0] == '-';
    (looks_like_option ? given.unknown : given.inputs).push_back(std::move(word));
  }
  if (mark != words.end()) given.inputs.insert(given.inputs.end(), std::next(mark), words.end());
  return given;
}

Error unknown_option(const std::string& word, Verb verb) {
  const std::string head = word.substr(0, word.find('='));
  const VerbSpec& spec = verb_spec(verb);
  for (const VerbSpec& other : verb_table()) {
    if (option_of_word(word, other.verb) == nullptr) continue;
    return usage_error(fmt::format("{} is an option of 'glyphreel {}', not of 'glyphreel {}'.", head,
                                   other.name, spec.name));
  }
  std::vector<std::string_view> names;
  for (const OptionSpec& option : option_table()) {
    if (option.belongs_to(verb)) names.push_back(option.name);
  }
  const std::string_view meant = nearest(
      std::string_view(head).substr(std::min<std::size_t>(head.find_first_not_of('-'), head.size())), names);
  if (!meant.empty()) return usage_error(fmt::format("Unknown option {}; did you mean --{}?", head, meant));
  return usage_error(
      fmt::format("Unknown option {}; 'glyphreel {} --help' lists the options.", head, spec.name));
}

/// Checks the color options against each other.
Result<void> settle_colors(const Settings& settings) {
  if (settings.reverse == ReverseChoice::Auto && settings.color != ColorChoice::Mono) {
    return usage_error("--reverse auto needs --color mono: in the other modes each cell has its own colors.");
  }
  if (settings.palette_file.empty() || settings.color == ColorChoice::Fg ||
      settings.color == ColorChoice::Full) {
    return {};
  }
  if (settings.color == ColorChoice::Mono) {
    return usage_error(
        "--palette cannot be combined with --color mono, which uses the colors of --fg and --bg; use --color "
        "fg or full.");
  }
  return usage_error(fmt::format(
      "--palette cannot be combined with --color {0}, which has its own palette; use --color fg or full.",
      color_name(settings.color)));
}

/// Checks options against each other, once each is valid by itself. May set what one option implies for
/// another.
Result<void> settle(Settings& settings, const Given& given) {
  if (given.has("quiet") && given.has("verbose"))
    return usage_error("--quiet and --verbose cannot be combined; give one of them.");
  if (given.has("crf") && given.has("bitrate")) {
    return usage_error("--crf and --bitrate cannot be combined; give a constant quality or a bit rate.");
  }
  if (given.has("end") && given.has("length")) {
    return usage_error("--end and --length cannot be combined; give one of them.");
  }
  if (settings.end_seconds && *settings.end_seconds <= settings.start_seconds.value_or(0.0)) {
    return usage_error("--end must be later than --start.");
  }
  if (settings.length_seconds && *settings.length_seconds <= 0.0) {
    return usage_error("--length must be longer than 0 seconds.");
  }
  if (given.has("ramp")) {
    if (given.has("mode") && settings.mode != Mode::Ramp) {
      return usage_error(fmt::format("--ramp works only with --mode ramp; leave out --ramp or --mode {}.",
                                     mode_name(settings.mode)));
    }
    settings.mode = Mode::Ramp;
  }
  if (given.has("thresholds")) {
    if (!given.has("ramp"))
      return usage_error(
          "--thresholds needs --ramp: each value is the brightness at which one of its characters begins.");
    const int characters = count_code_points(settings.ramp).value_or(0);
    if (static_cast<int>(settings.thresholds.size()) != characters - 1) {
      return usage_error(fmt::format("--thresholds has {} values where the {} characters of --ramp need {}.",
                                     settings.thresholds.size(), characters, characters - 1));
    }
  }
  return settle_colors(settings);
}

Result<void> check_inputs(const Settings& settings, const VerbSpec& verb) {
  const auto count = static_cast<int>(settings.inputs.size());
  if (count < verb.min_inputs) {
    return usage_error(
        fmt::format("'glyphreel {}' needs an INPUT: a file, a URL, - or demo: (the demo clip).", verb.name));
  }
  if (verb.max_inputs >= 0 && count > verb.max_inputs) {
    return usage_error(fmt::format("'glyphreel {}' takes one INPUT, not {}; '{}' is one too many.", verb.name,
                                   count, settings.inputs[static_cast<std::size_t>(verb.max_inputs)]));
  }
  const auto empty = std::find(settings.inputs.begin(), settings.inputs.end(), "");
  if (empty != settings.inputs.end())
    return usage_error("An INPUT is empty; give a file, a URL, - or demo: (the demo clip).");
  if (verb.verb == Verb::Record && settings.output.empty()) {
    return usage_error("'glyphreel record' needs -o FILE, such as -o text.mp4.");
  }
  return {};
}

/// Merges the given options over those of the configuration file and its profiles.
Result<void> add_config(Given& given, Verb verb, const std::string& usual_file) {
  const std::string asked_file = given.value_of("config");
  const bool ignored = given.has("no-config");
  if (ignored && !asked_file.empty())
    return usage_error("--config and --no-config cannot be combined; give one of them.");
  Config config;
  std::error_code problem;
  if (!asked_file.empty()) {
    TRY_ASSIGN(config, read_config(asked_file));
  } else if (!ignored && !usual_file.empty() && std::filesystem::exists(usual_file, problem)) {
    TRY_ASSIGN(config, read_config(usual_file));
  }
  TRY_ASSIGN(std::vector<OptionValue> values, with_profiles(config, given.value_of("profile")));
  std::erase_if(values, [&](const OptionValue& value) { return !value.option->belongs_to(verb); });
  merge_over(values, given.options);
  given.options = std::move(values);
  return {};
}

Result<Parsed> generate(const std::vector<std::string>& words, std::span<const KeyHelp> keys) {
  const std::string name = words.size() > 1 ? words[1] : "";
  auto page = generated_page(name, keys);
  if (!page) {
    return usage_error(fmt::format(
        "--generate takes man, bash-completion, zsh-completion or fish-completion, not '{}'.", name));
  }
  return Parsed{EarlyExit{*std::move(page)}};
}

}  // namespace

Result<Parsed> parse(int argc, const char* const* argv, const ParseContext& surroundings) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "--generate") return generate(words, surroundings.keys);

  const VerbSpec* named = words.empty() ? nullptr : find_verb(words.front());
  if (named != nullptr) words.erase(words.begin());
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
  settings.charset_given = given.has("charset");
  TRY(add_config(given, verb.verb, surroundings.config_file));
  for (const OptionValue& each : given.options) {
    if (each.option->apply(settings, each.value)) continue;
    return usage_error(fmt::format("--{} takes {}, not '{}'.", each.option->name,
                                   accepted_values(*each.option), each.value));
  }
  settings.inputs = std::move(given.inputs);
  TRY(check_inputs(settings, verb));
  TRY(settle(settings, given));
  Parsed parsed = std::move(settings);
  return parsed;
}

}  // namespace glyphreel::cli
