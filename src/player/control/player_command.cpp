#include "player/control/player_command.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.h"
#include "cli/options/options.h"
#include "player/control/command_words.h"

namespace glyphreel::player {
namespace {

constexpr double DefaultTextSeconds = 2;  // like the player's other messages; mpv's default is 1

/// mpv's command prefixes.
constexpr auto Prefixes = std::to_array<std::pair<std::string_view, OsdUse>>({
    {"osd-auto", OsdUse::Auto},
    {"no-osd", OsdUse::No},
    {"osd-msg", OsdUse::Yes},
    {"osd-bar", OsdUse::Yes},
    {"osd-msg-bar", OsdUse::Yes},
    {"expand-properties", OsdUse::Auto},
    {"repeatable", OsdUse::Auto},
    {"nonrepeatable", OsdUse::Auto},
    {"async", OsdUse::Auto},
    {"sync", OsdUse::Auto},
    {"raw", OsdUse::Auto},
});

/// The words of one command.
struct Words {
  std::span<const std::string> all;  ///< the name first

  [[nodiscard]] std::size_t size() const { return all.size(); }
  [[nodiscard]] const std::string& operator[](std::size_t at) const { return all[at]; }
  /// Returns a Usage error: the command as written, then the message.
  template <typename... Texts>
  [[nodiscard]] Error error(fmt::format_string<Texts...> format, Texts&&... texts) const {
    return {
        ErrorCode::Usage,
        fmt::format("\"{}\": {}", fmt::join(all, " "), fmt::format(format, std::forward<Texts>(texts)...)),
        {}};
  }
};

template <typename Spec>
const Spec* find_named(std::span<const Spec> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Spec::name);
  return found == table.end() ? nullptr : &*found;
}

/// Returns "did you mean X?" if an entry has a similar name, else `otherwise`.
template <typename Spec>
std::string hint(std::span<const Spec> table, std::string_view name, std::string_view otherwise) {
  std::vector<std::string_view> names;
  for (const Spec& spec : table) names.push_back(spec.name);
  return did_you_mean(name, names, otherwise);
}

Result<void> parse_seek(Command& command, const Words& words) {
  const std::optional<double> seconds = words.size() > 1 ? number_of(words[1]) : std::nullopt;
  if (!seconds) return words.error("seek needs a number, as in \"seek -5\".");
  command.value = *seconds;
  for (const std::string& word : words.all.subspan(2)) {
    // Flags may also be joined with "+", as in mpv: "absolute+exact".
    std::string_view flags = word;
    while (!flags.empty()) {
      const std::size_t end = std::min(flags.find('+'), flags.size());
      const std::string_view flag = flags.substr(0, end);
      flags.remove_prefix(std::min(end + 1, flags.size()));
      if (flag == "exact") {
        command.exact = true;
      } else if (flag == "absolute") {
        command.seek = SeekKind::Absolute;
      } else if (flag == "absolute-percent") {
        command.seek = SeekKind::AbsolutePercent;
      } else if (flag != "relative" && flag != "keyframes") {
        return words.error(
            "seek has no flag \"{}\"; its flags are relative, absolute, absolute-percent, keyframes and "
            "exact.",
            flag);
      }
    }
  }
  return {};
}

Result<void> parse_show_text(Command& command, const Words& words) {
  const std::optional<double> milliseconds = words.size() > 2 ? number_of(words[2]) : std::nullopt;
  if (words.size() < 2 || words.size() > 3 || (words.size() == 3 && !milliseconds)) {
    return words.error(
        "show-text takes text and, optionally, a duration in milliseconds, as in 'show-text \"Hello\" 500'.");
  }
  command.text = words[1];
  command.value =
      milliseconds && *milliseconds >= 0 ? std::min(*milliseconds / 1000, 3600.0) : DefaultTextSeconds;
  return {};
}

/// Parses the values after "set" and "cycle-values".
Result<void> parse_set_values(Command& command, const Words& words) {
  const std::span<const std::string> values = words.all.subspan(2);
  if (values.empty())
    return words.error("{} needs a value after the property, as in \"set speed 1\".", words[0]);
  if (command.spec->syntax == CommandSyntax::Set && values.size() > 1)
    return words.error("set takes one value; put quotation marks around a value with blanks.");
  for (const std::string& text : values) {
    Result<PropertyValue> value = converted(*command.property, text);
    if (!value) return words.error("{}", value.error().message);
    command.values.push_back(*std::move(value));
  }
  return {};
}

/// Parses the direction after "cycle", or the number after "add" and "multiply".
Result<void> parse_amount(Command& command, const Words& words) {
  const CommandSpec& spec = *command.spec;
  const PropertySpec& property = *command.property;
  const bool scales = spec.action == PropertyAction::Multiply;
  const bool is_scaled_cell = scales && property.picture == PictureProperty::Cell;
  if (!can_change(domain_of(property).kind, spec.action) && !is_scaled_cell) {
    return words.error("{} works only with {}; use \"set\" or \"cycle-values\" with {}.", words[0],
                       scales ? "numbers" : "numbers, flags and choices", words[1]);
  }
  if (words.size() > 3) return words.error("remove the words after {}.", words[2]);
  if (words.size() < 3 && scales)
    return words.error("multiply needs a number after the property, as in \"multiply speed 2\".");
  if (words.size() < 3) return {};  // as in mpv, the amount is 1
  if (spec.syntax == CommandSyntax::Cycle) {
    if (words[2] != "up" && words[2] != "down")
      return words.error("after the property, cycle takes \"up\" or \"down\", not \"{}\".", words[2]);
    command.value = words[2] == "up" ? 1 : -1;
    return {};
  }
  const std::optional<double> number = number_of(words[2]);
  if (!number) return words.error("{} is not a number; write one, as in \"add volume 2\".", words[2]);
  command.value = *number;
  return {};
}

/// Parses a property and the words after it.
Result<void> parse_property(Command& command, const Words& words) {
  if (words.size() < 2)
    return words.error("{} needs the name of a property, as in \"cycle pause\".", words[0]);
  command.property = find_property(words[1]);
  if (command.property == nullptr) {
    return words.error("there is no property {}; {}", words[1], property_hint(words[1]));
  }
  if (command.property->set == nullptr) return words.error("{} cannot be changed.", words[1]);
  return command.spec->action == PropertyAction::Set ? parse_set_values(command, words)
                                                     : parse_amount(command, words);
}

Result<void> parse_values(Command& command, std::span<const std::string> all) {
  constexpr std::string_view Reverse = "!reverse";
  std::vector<std::string> words(all.begin(), all.end());
  const bool is_reversed = words.size() > 1 && words[1] == Reverse;
  if (is_reversed) words.erase(words.begin() + 1);
  TRY(parse_property(command, {words}));
  if (is_reversed) std::ranges::reverse(command.values);
  return {};
}

/// Parses the words after the command's name.
Result<void> parse_arguments(Command& command, const Words& words) {
  switch (command.spec->syntax) {
    case CommandSyntax::Plain:
      if (words.size() > 1) return words.error("{} has no arguments; remove the words after it.", words[0]);
      return {};
    case CommandSyntax::Seek:
      return parse_seek(command, words);
    case CommandSyntax::ShowText:
      return parse_show_text(command, words);
    case CommandSyntax::Values:
      return parse_values(command, words.all);
    case CommandSyntax::Set:
    case CommandSyntax::Number:
    case CommandSyntax::Cycle:
      return parse_property(command, words);
  }
  return {};
}

/// Describes the values that a property accepts, for the manual page.
std::string values_in_words(const PropertySpec& property) {
  if (property.picture) {
    const PropertyDomain domain = domain_of(property);
    if (domain.kind == PropertyKind::Flag) return "yes or no";
    const std::string values = cli::accepted_values(*cli::find_option(picture_name(*property.picture)));
    return property.picture == PictureProperty::Palette ? values + "; no: none" : values;
  }
  const PropertyDomain& values = property.values;
  switch (values.kind) {
    case PropertyKind::Flag:
      return "yes or no";
    case PropertyKind::Time:
      return "seconds";
    case PropertyKind::Integer:
    case PropertyKind::Number:
      return std::isfinite(values.max) ? fmt::format("{} to {}", values.min, values.max) : "a number";
    case PropertyKind::Choice:
    case PropertyKind::Text:
      return "text";
  }
  return {};
}

}  // namespace

const PropertySpec* find_property(std::string_view name) {
  // Also accept mpv's current names, which match this program's options --aid and --sid.
  if (name == "aid") name = "audio";
  if (name == "sid") name = "sub";
  return find_named(property_table(), name);
}

std::string property_hint(std::string_view name) {
  return hint(property_table(), name, "the manual page lists the properties.");
}

PropertyDomain domain_of(const PropertySpec& property) {
  return property.picture ? picture_domain(*property.picture) : property.values;
}

Result<PropertyValue> converted(const PropertySpec& property, const PropertyValue& value) {
  if (!property.picture) return converted(property.values, property.name, value);
  // The option's parser also normalizes the value: "+5" becomes 5, "lime" becomes "#00FF00".
  cli::Settings scratch;
  TRY(set_value(scratch, *property.picture, text_of(value)));
  return picture_value(scratch, *property.picture);
}

std::optional<PictureStep> Command::picture_step() const {
  if (property == nullptr || !property->picture || spec->action == PropertyAction::Set) return std::nullopt;
  return PictureStep{*property->picture, spec->action, value};
}

bool Command::runs_while_opening(const Player& player) const {
  if (property == nullptr) return spec->runs_while_opening;
  return spec->action == PropertyAction::Cycle && property->cycles_while_opening != nullptr &&
         property->cycles_while_opening(player);
}

Result<Command> parse_command(std::span<const std::string> words) {
  Command command;
  const std::span<const std::string> all = words;
  for (; !words.empty(); words = words.subspan(1)) {
    const auto prefix =
        std::ranges::find(Prefixes, words.front(), [](const auto& each) { return each.first; });
    if (prefix == Prefixes.end()) break;
    if (prefix->second != OsdUse::Auto) command.osd = prefix->second;
  }
  if (words.empty()) return Error{ErrorCode::Usage, "There is no command; name one, such as 'quit'.", {}};
  command.spec = find_named(command_table(), words.front());
  if (command.spec == nullptr) {
    return Words{all}.error("there is no command {}; {}", words.front(),
                            hint(command_table(), words.front(), "the manual page lists the commands."));
  }
  TRY(parse_arguments(command, {words}));
  return command;
}

Result<std::vector<Command>> parse_commands(std::string_view text) {
  TRY_ASSIGN(const CommandLine line, split_commands(text));
  std::vector<Command> commands;
  for (const std::vector<std::string>& words : line.commands) {
    TRY_ASSIGN(Command command, parse_command(words));
    commands.push_back(std::move(command));
  }
  if (commands.empty()) TRY(parse_command({}));
  return commands;
}

Result<Command> set_command(const PropertySpec& property, const PropertyValue& value) {
  if (property.set == nullptr)
    return Error{ErrorCode::Usage, fmt::format("{} cannot be changed.", property.name), {}};
  TRY_ASSIGN(PropertyValue wanted, converted(property, value));
  Command command{.spec = find_named(command_table(), "set"), .property = &property};
  command.values.push_back(std::move(wanted));
  return command;
}

std::vector<cli::HelpEntry> command_help() {
  std::vector<cli::HelpEntry> entries;
  for (const CommandSpec& spec : command_table()) {
    entries.push_back({fmt::format("{}{}{}", spec.name, spec.usage.empty() ? "" : " ", spec.usage),
                       std::string(spec.help), ""});
  }
  return entries;
}

std::vector<cli::HelpEntry> property_help() {
  std::vector<cli::HelpEntry> entries;
  for (const PropertySpec& spec : property_table()) {
    const std::string help =
        spec.picture ? fmt::format("The same as the option --{}", spec.name) : std::string(spec.help);
    const std::string values = spec.set == nullptr ? "read-only" : values_in_words(spec);
    entries.push_back({std::string(spec.name), fmt::format("{} ({}).", help, values), ""});
  }
  return entries;
}

}  // namespace glyphreel::player
