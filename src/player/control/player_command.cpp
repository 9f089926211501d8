#include "player/control/player_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "player/control/picture_settings.h"

namespace glyphreel::player {
namespace {

/// Verbs without arguments.
constexpr std::array<std::pair<std::string_view, CommandVerb>, 8> Plain = {{
    {"ignore", CommandVerb::Ignore},
    {"quit", CommandVerb::Quit},
    {"frame-step", CommandVerb::FrameStep},
    {"frame-back-step", CommandVerb::FrameBackStep},
    {"ab-loop", CommandVerb::AbLoop},
    {"playlist-next", CommandVerb::PlaylistNext},
    {"playlist-prev", CommandVerb::PlaylistPrevious},
    {"screenshot", CommandVerb::Screenshot},
}};

/// Verbs that take a property.
constexpr std::array<std::pair<std::string_view, CommandVerb>, 4> OfProperty = {{
    {"cycle", CommandVerb::Cycle},
    {"add", CommandVerb::Add},
    {"multiply", CommandVerb::Multiply},
    {"set", CommandVerb::Set},
}};

Error usage(std::string message) {
  return {ErrorCode::Usage, std::move(message), {}};
}

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

std::optional<double> number_of(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

template <typename Table>
std::optional<CommandVerb> find(const Table& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.first == name; });
  if (found == table.end()) return std::nullopt;
  return found->second;
}

Result<Command> parse_seek(const std::vector<std::string_view>& words, std::string_view text) {
  Command command{.verb = CommandVerb::Seek};
  const std::optional<double> seconds = words.size() > 1 ? number_of(words[1]) : std::nullopt;
  if (!seconds) return usage(fmt::format("\"{}\": seek takes a number of seconds.", text));
  command.value = *seconds;
  for (std::size_t i = 2; i < words.size(); ++i) {
    // mpv also joins flags with "+".
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
        return usage(fmt::format("\"{}\": seek has no flag \"{}\".", text, flag));
      }
    }
  }
  return command;
}

}  // namespace

const std::vector<std::string_view>& command_properties() {
  static const std::vector<std::string_view> Properties = {
      "pause",     "mute",           "volume",    "speed",      "audio-delay", "audio",    "sub",
      "sub-delay", "sub-visibility", "chapter",   "fullscreen", "loop-file",   "contrast", "brightness",
      "gamma",     "saturation",     "mode",      "color",      "charset",     "effect",   "cell",
      "stats",     "help",           "osd-level", "split",      "record"};
  return Properties;
}

Result<Command> parse_command(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty()) return usage("A key needs a command after its name.");
  if (words[0] == "seek") return parse_seek(words, text);
  if (const std::optional<CommandVerb> plain = find(Plain, words[0])) {
    if (words.size() > 1) return usage(fmt::format("\"{}\": {} takes no arguments.", text, words[0]));
    return Command{.verb = *plain};
  }
  const std::optional<CommandVerb> verb = find(OfProperty, words[0]);
  if (!verb) return usage(fmt::format("\"{}\": there is no command {}.", text, words[0]));
  if (words.size() < 2) return usage(fmt::format("\"{}\": {} needs the name of a property.", text, words[0]));
  Command command{.verb = *verb, .property = std::string(words[1])};
  const auto& properties = command_properties();
  if (std::find(properties.begin(), properties.end(), words[1]) == properties.end()) {
    return usage(fmt::format("\"{}\": there is no property {}.", text, words[1]));
  }
  if (*verb == CommandVerb::Cycle) return command;
  if (words.size() < 3)
    return usage(fmt::format("\"{}\": {} needs a value after the property.", text, words[0]));
  command.text = std::string(words[2]);
  const std::optional<double> value = number_of(words[2]);
  if (!value && *verb != CommandVerb::Set) {
    return usage(fmt::format("\"{}\": {} is not a number.", text, words[2]));
  }
  if (*verb == CommandVerb::Set && is_picture_property(command.property)) {
    cli::Settings scratch;
    if (Result<PictureChange> set = set_value(scratch, command.property, command.text); !set) {
      return usage(fmt::format("\"{}\": {}", text, set.error().message));
    }
  }
  command.value = value.value_or(command.text == "yes" ? 1 : 0);
  return command;
}

}  // namespace glyphreel::player
