#include "cli/pages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"
#include "cli/options/spellings.h"

namespace glyphreel::cli::pages_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the help text without line breaks and indentation.
std::string unwrapped(const std::string& page) {
  std::istringstream words(page);
  std::string text;
  for (std::string word; words >> word;) text += fmt::format("{}{}", text.empty() ? "" : " ", word);
  return text;
}

std::string roff_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '-') text += '\\';
    text += c;
  }
  return fmt::format("\\fB\\-\\-{}\\fR", text);
}

const std::vector<HelpEntry> Keys = {
    {"q", "quit", "Window"}, {"-", "smaller cells", "Window"}, {".", "next frame", "Playing"}};

TEST(OptionTable, EveryEntryIsComplete) {
  std::set<std::string_view> names;
  std::map<char, VerbSet> aliases;
  for (const OptionSpec& option : option_table()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name << " appears twice";
    if (option.alias != '\0') {
      EXPECT_EQ(aliases[option.alias] & option.verbs, 0U) << option.alias << " appears twice";
      aliases[option.alias] |= option.verbs;
    }
    EXPECT_NE(option.verbs, 0U) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_FALSE(option.help.ends_with('.')) << option.name;
    EXPECT_EQ(option.is_flag(), accepted_values(option).empty()) << option.name;
    EXPECT_FALSE(!option.metavar.empty() && !option.choices.empty()) << option.name;
    const bool answered_by_parse = option.name == "help" || option.name == "version";
    EXPECT_EQ(option.apply == nullptr, answered_by_parse) << option.name;
  }
}

TEST(OptionTable, EveryChoiceIsAcceptedAndDistinct) {
  for (const OptionSpec& option : option_table()) {
    std::vector<Settings> seen;
    for (const std::string_view choice : option.choices) {
      Settings settings;
      ASSERT_TRUE(option.apply(settings, choice)) << option.name << " " << choice;
      EXPECT_EQ(std::count(seen.begin(), seen.end(), settings), 0) << option.name << " " << choice;
      seen.push_back(settings);
    }
  }
}

TEST(HelpPage, ListsExactlyTheVerbsOptions) {
  for (const VerbSpec& verb : verb_table()) {
    const std::string page = unwrapped(help_page(verb.verb));
    for (const OptionSpec& option : option_table()) {
      const std::string line =
          unwrapped(fmt::format("--{}{} {}", option.name, value_placeholder(option), option.help));
      if (option.belongs_to(verb.verb)) {
        EXPECT_THAT(page, HasSubstr(line));
      } else {
        EXPECT_THAT(page, Not(HasSubstr(line)));
      }
    }
  }
}

TEST(HelpPage, FitsWidth) {
  for (const VerbSpec& verb : verb_table()) {
    std::istringstream lines(help_page(verb.verb));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 96U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(HelpPage, PlayPageListsVerbs) {
  const std::string page = unwrapped(help_page(Verb::Play));
  for (const VerbSpec& verb : verb_table()) {
    EXPECT_THAT(page, HasSubstr(fmt::format("glyphreel {} {}", verb.name, verb.summary)));
  }
}

TEST(ManualPage, ListsEveryOptionOnce) {
  const std::string page = manual_page({.keys = Keys});
  for (const OptionSpec& option : option_table()) {
    const std::string name = roff_name(option.name);
    const std::size_t first = page.find(name);
    ASSERT_NE(first, std::string::npos) << option.name;
    EXPECT_EQ(page.find(name, first + 1), std::string::npos) << option.name;
  }
}

TEST(ManualPage, ListsOtherSpellings) {
  const std::string page = manual_page({.keys = Keys});
  EXPECT_THAT(page, HasSubstr(".TP\n\\-\\-fullscreen\n\\-\\-fs\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\-\\-chapter\n\\-\\-start #N\n"));
}

TEST(OptionSpellings, MeanOptionsThatExist) {
  for (const OptionSpelling& spelling : option_spellings()) {
    const OptionSpec* own = find_option(spelling.name);
    const OptionSpec* meant = option_named(spelling.name).option;
    ASSERT_NE(meant, nullptr) << spelling.name;
    // If an option has the same name as the spelling, it must not be an option of `play`.
    if (own != nullptr) {
      EXPECT_FALSE(own->belongs_to(Verb::Play)) << spelling.name;
    }
    EXPECT_EQ(meant->name, spelling.option);
  }
}

TEST(ManualPage, ListsEveryKeyUnderItsHeading) {
  const std::string page = manual_page({.keys = Keys});
  EXPECT_THAT(page, HasSubstr(".SS Window\n.TP\n\\fBq\\fR\nquit\n.TP\n\\fB\\-\\fR\nsmaller cells\n"));
  EXPECT_THAT(page, HasSubstr(".SS Playing\n.TP\n\\fB\\&.\\fR\nnext frame\n"));
}

TEST(ManualPage, ListsCommandsAndProperties) {
  const std::vector<HelpEntry> commands = {{"set PROPERTY VALUE", "Sets a property.", ""}};
  const std::vector<HelpEntry> properties = {{"time-pos", "The position (seconds).", ""}};
  const std::string page = manual_page({.keys = Keys, .commands = commands, .properties = properties});
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBset PROPERTY VALUE\\fR\nSets a property.\n"));
  EXPECT_THAT(page, HasSubstr(".SH PROPERTIES"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBtime\\-pos\\fR\nThe position (seconds).\n"));
}

TEST(ManualPage, TextNeverFormsRoffRequest) {
  std::istringstream lines(manual_page({.keys = Keys}));
  const std::set<std::string> requests = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".br"};
  for (std::string line; std::getline(lines, line);) {
    ASSERT_FALSE(line.empty());
    EXPECT_NE(line[0], '\'') << line;
    if (line[0] != '.') continue;
    EXPECT_EQ(requests.count(line.substr(0, line.find(' '))), 1U) << line;
  }
}

TEST(Completions, IncludeEveryOptionAndChoice) {
  const std::string bash = bash_completion();
  const std::string zsh = zsh_completion();
  const std::string fish = fish_completion();
  for (const OptionSpec& option : option_table()) {
    const std::string_view name = option.name;
    const bool is_alone = option.is_flag() || (option.choices.empty() && !option.bare_value.empty());
    EXPECT_THAT(bash, HasSubstr(fmt::format("--{}", name)));
    EXPECT_THAT(zsh, HasSubstr(fmt::format("'--{}{}[", name, is_alone ? "" : "=")));
    EXPECT_THAT(fish, HasSubstr(fmt::format(" -l {} ", name)));
    if (option.choices.empty()) continue;
    const std::string choices = fmt::format("{}", fmt::join(option.choices, " "));
    EXPECT_THAT(bash, HasSubstr(fmt::format("--{}) mapfile -t COMPREPLY < <(compgen -P \"$head\" -W '{}'",
                                            name, choices)));
    EXPECT_THAT(zsh, HasSubstr(fmt::format(":{}:({})", name, choices)));
    EXPECT_THAT(fish, HasSubstr(fmt::format(" -l {} -x -a '{}'", name, choices)));
  }
}

TEST(Completions, OfferNames) {
  const std::vector<OptionNames> names = {{"charset", {"ascii", "braille"}}};
  EXPECT_THAT(bash_completion(names), HasSubstr("compgen -P \"$head\" -W 'ascii braille'"));
  EXPECT_THAT(zsh_completion(names), HasSubstr(":charset:(ascii braille)"));
  EXPECT_THAT(fish_completion(names), HasSubstr(" -l charset -x -a 'ascii braille'"));
}

TEST(HelpPage, ListsEveryInput) {
  for (const VerbSpec& verb : verb_table()) {
    const std::string page = unwrapped(help_page(verb.verb));
    for (const InputForm& input : input_forms()) {
      EXPECT_EQ(page.find(unwrapped(fmt::format("{} {}", input.form, input.help))) != std::string::npos,
                (input.verbs & verb_bit(verb.verb)) != 0);
    }
  }
}

TEST(GeneratedPage, ParsesPageNames) {
  EXPECT_EQ(generated_page("man", {.keys = Keys}), manual_page({.keys = Keys}));
  EXPECT_EQ(generated_page("bash-completion", {}), bash_completion());
  EXPECT_EQ(generated_page("zsh-completion", {}), zsh_completion());
  EXPECT_EQ(generated_page("fish-completion", {}), fish_completion());
  EXPECT_EQ(generated_page("html", {}), std::nullopt);
}

}  // namespace
}  // namespace glyphreel::cli::pages_test
