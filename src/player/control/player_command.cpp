#include "player/control/player_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace glyphreel::player {
namespace {

constexpr std::array<std::pair<std::string_view, PropertyAction>, 4> Actions = {{
    {"cycle", PropertyAction::Cycle},
    {"add", PropertyAction::Add},
    {"multiply", PropertyAction::Multiply},
    {"set", PropertyAction::Set},
}};

Error usage(std::string message) {
  return {ErrorCode::Usage, std::move(message), {}};
}

std::optional<double> number_of(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// Returns the property or the command of this name; null if there is none.
const CommandSpec* find_spec(std::string_view name, bool is_property) {
  const std::span<const CommandSpec> table = command_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const CommandSpec& spec) {
    return spec.name == name && (spec.syntax == CommandSyntax::Property) == is_property;
  });
  return found == table.end() ? nullptr : &*found;
}

Result<Command> parse_seek(const CommandSpec& spec, const std::vector<std::string_view>& words,
                           std::string_view text) {
  Command command{.spec = &spec};
  const std::optional<double> seconds = words.size() > 1 ? number_of(words[1]) : std::nullopt;
  if (!seconds) return usage(fmt::format("\"{}\": seek needs a number, as in \"seek -5\".", text));
  command.value = *seconds;
  for (std::size_t i = 2; i < words.size(); ++i) {
    // Flags may also be joined with "+", as in mpv: "absolute+exact".
    std::string_view flags = words[i];
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
        return usage(fmt::format(
            "\"{}\": seek has no flag {}; use relative, absolute, absolute-percent, keyframes or exact.",
            text, flag));
      }
    }
  }
  return command;
}

/// Parses a verb and a property, followed by a value if the verb is not cycle.
Result<Command> parse_property(const std::vector<std::string_view>& words, std::string_view text) {
  const auto action =
      std::find_if(Actions.begin(), Actions.end(), [&](const auto& each) { return each.first == words[0]; });
  if (action == Actions.end())
    return usage(fmt::format("\"{}\": there is no command {}; examples are \"seek 5\" and \"cycle pause\".",
                             text, words[0]));
  if (words.size() < 2)
    return usage(
        fmt::format("\"{}\": {} needs the name of a property, as in \"cycle pause\".", text, words[0]));
  Command command{.spec = find_spec(words[1], true), .action = action->second};
  if (command.spec == nullptr)
    return usage(fmt::format("\"{}\": there is no property {}; examples are pause, volume, speed and mode.",
                             text, words[1]));
  if (command.action == PropertyAction::Cycle) return command;
  if (words.size() < 3)
    return usage(
        fmt::format("\"{}\": {} needs a value after the property, as in \"set speed 1\".", text, words[0]));
  command.text = std::string(words[2]);
  const std::optional<double> value = number_of(words[2]);
  if (!value && command.action != PropertyAction::Set) {
    return usage(
        fmt::format("\"{}\": {} is not a number; write one, as in \"add volume 2\".", text, words[2]));
  }
  if (command.action == PropertyAction::Set && command.spec->picture) {
    cli::Settings scratch;
    if (Result<PictureChange> set = set_value(scratch, *command.spec->picture, command.text); !set) {
      return usage(fmt::format("\"{}\": {}", text, set.error().message));
    }
  }
  const bool is_on = command.text == "yes" || command.text == "inf";
  if (!value && !command.spec->picture && !is_on && command.text != "no") {
    return usage(fmt::format("\"{}\": {} takes a number, yes or no, not {}.", text, words[1], command.text));
  }
  command.value = value.value_or(is_on ? 1 : 0);
  return command;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view Blank = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(Blank); at != std::string_view::npos;
       at = text.find_first_not_of(Blank, at)) {
    const std::size_t end = std::min(text.find_first_of(Blank, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

double Command::changed(double number) const {
  switch (action) {
    case PropertyAction::Add:
      return number + value;
    case PropertyAction::Multiply:
      return number * value;
    case PropertyAction::Set:
      return value;
    case PropertyAction::Cycle:
      break;
  }
  return number;
}

bool Command::switched(bool is_on) const {
  return action == PropertyAction::Set ? value != 0 : !is_on;
}

std::optional<PictureStep> Command::picture_step() const {
  if (!spec->picture) return std::nullopt;
  return PictureStep{*spec->picture, action == PropertyAction::Cycle || value > 0 ? 1 : -1};
}

Result<Command> parse_command(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty()) return usage("A key needs a command after its name, as in \"q quit\".");
  const CommandSpec* spec = find_spec(words[0], false);
  if (spec == nullptr) return parse_property(words, text);
  if (spec->syntax == CommandSyntax::Seek) return parse_seek(*spec, words, text);
  if (words.size() > 1)
    return usage(fmt::format("\"{}\": {} has no arguments; remove the words after it.", text, words[0]));
  return Command{.spec = spec};
}

}  // namespace glyphreel::player
