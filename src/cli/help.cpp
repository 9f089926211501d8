#include <fmt/format.h>

#include "cli/options/options.h"
#include "cli/pages.h"
#include "cli/version.h"

namespace glyphreel::cli {
namespace {

constexpr std::size_t PageWidth = 96;
constexpr std::size_t TextColumn = 30;

/// Appends `text`, wrapped between words, with each line beginning at TextColumn. The last line of `page` has
/// `column` characters so far.
void append_wrapped(std::string& page, std::size_t column, std::string_view text) {
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (column > TextColumn && column + 1 + word.size() > PageWidth) {
      page += '\n';
      column = 0;
    }
    if (column < TextColumn) {
      page.append(TextColumn - column, ' ');
      column = TextColumn;
    } else if (column > TextColumn) {
      page += ' ';
      ++column;
    }
    page += word;
    column += word.size();
  }
  page += '\n';
}

/// Appends "  -o, --output FILE", with the long names aligned, and the option's help.
void append_option(std::string& page, const OptionSpec& option) {
  const std::string alias = option.alias == '\0' ? "    " : fmt::format("-{}, ", option.alias);
  const std::string heading = fmt::format("  {}--{}{}", alias, option.name, value_placeholder(option));
  const bool is_long = heading.size() + 2 > TextColumn;
  page += heading;
  if (is_long) page += '\n';
  const std::string standard =
      option.default_text.empty() ? "" : fmt::format(" (default: {})", option.default_text);
  append_wrapped(page, is_long ? 0 : heading.size(), fmt::format("{}{}", option.help, standard));
}

void append_inputs(std::string& page, Verb verb) {
  page += "INPUT\n";
  for (const InputForm& input : input_forms()) {
    if ((input.verbs & verb_bit(verb)) == 0) continue;
    const std::string heading = fmt::format("  {}", input.form);
    page += heading;
    append_wrapped(page, heading.size(), input.help);
  }
}

}  // namespace

std::string help_page(Verb verb) {
  const VerbSpec& spec = verb_spec(verb);
  std::string page =
      fmt::format("glyphreel {}: plays any video as text, at the speed of the GPU\n\n", version());
  page += fmt::format("Usage: glyphreel {}\n\n", spec.usage);
  if (verb == Verb::Play) {
    for (const VerbSpec& other : verb_table()) {
      const std::string heading = fmt::format("  glyphreel {}", other.name);
      page += heading;
      append_wrapped(page, heading.size(), other.summary);
    }
    page += "\n'glyphreel VERB --help' lists the options of a verb. These are the options of 'play'.\n\n";
  } else {
    page += fmt::format("glyphreel {}: {}.\n\n", spec.name, spec.summary);
  }
  if (verb != Verb::Help) append_inputs(page, verb);

  for (const OptionGroup& group : option_groups()) {
    bool titled = false;
    for (const OptionSpec& option : group.options) {
      if (!option.belongs_to(verb)) continue;
      if (!titled) page += fmt::format("\n{}\n", group.title);
      titled = true;
      append_option(page, option);
    }
  }
  return page;
}

}  // namespace glyphreel::cli
