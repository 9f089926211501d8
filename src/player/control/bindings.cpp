#include "player/control/bindings.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/io/read_file.h"
#include "base/io/user_folders.h"

namespace glyphreel::player {
namespace {

/// A command, its keys, and its text on the help page. Keys are mpv's wherever mpv has the command.
struct BuiltIn {
  std::string_view keys;  ///< separated by spaces
  std::string_view command;
  std::string_view help;
  std::string_view group;
};

// "=" is the "+" key without Shift on many keyboards.
constexpr std::array BuiltIns = {
    BuiltIn{"SPACE p MBTN_RIGHT", "cycle pause", "pause or resume", "Playing"},
    BuiltIn{"LEFT", "seek -5", "5 seconds back", "Playing"},
    BuiltIn{"RIGHT", "seek 5", "5 seconds forward", "Playing"},
    BuiltIn{"DOWN", "seek -60", "1 minute back", "Playing"},
    BuiltIn{"UP", "seek 60", "1 minute forward", "Playing"},
    BuiltIn{"Shift+LEFT", "seek -1 exact", "1 second back, exactly", "Playing"},
    BuiltIn{"Shift+RIGHT", "seek 1 exact", "1 second forward, exactly", "Playing"},
    BuiltIn{"WHEEL_LEFT", "seek -10", "10 seconds back", "Playing"},
    BuiltIn{"WHEEL_RIGHT", "seek 10", "10 seconds forward", "Playing"},
    BuiltIn{".", "frame-step", "next frame", "Playing"},
    BuiltIn{",", "frame-back-step", "previous frame", "Playing"},
    BuiltIn{"[", "multiply speed 0.9091", "slower", "Playing"},
    BuiltIn{"]", "multiply speed 1.1", "faster", "Playing"},
    BuiltIn{"{", "multiply speed 0.5", "half the speed", "Playing"},
    BuiltIn{"}", "multiply speed 2", "twice the speed", "Playing"},
    BuiltIn{"BS", "set speed 1", "normal speed", "Playing"},
    BuiltIn{"l", "ab-loop", "loop from A to B", "Playing"},
    BuiltIn{"L", "cycle loop-file", "loop the file", "Playing"},
    BuiltIn{"PGUP", "add chapter 1", "next chapter", "Playing"},
    BuiltIn{"PGDWN", "add chapter -1", "previous chapter", "Playing"},
    BuiltIn{"> ENTER", "playlist-next", "next input", "Playing"},
    BuiltIn{"<", "playlist-prev", "previous input", "Playing"},
    BuiltIn{"9 / WHEEL_DOWN", "add volume -2", "quieter", "Sound and text"},
    BuiltIn{"0 * WHEEL_UP", "add volume 2", "louder", "Sound and text"},
    BuiltIn{"m", "cycle mute", "mute", "Sound and text"},
    BuiltIn{"#", "cycle audio", "next sound track", "Sound and text"},
    BuiltIn{"Ctrl++ Ctrl+= Ctrl+Shift+=", "add audio-delay 0.1", "sound later", "Sound and text"},
    BuiltIn{"Ctrl+- Ctrl+_", "add audio-delay -0.1", "sound earlier", "Sound and text"},
    BuiltIn{"j", "cycle sub", "next subtitles", "Sound and text"},
    BuiltIn{"v", "cycle sub-visibility", "subtitles on and off", "Sound and text"},
    BuiltIn{"x", "add sub-delay 0.1", "subtitles later", "Sound and text"},
    BuiltIn{"z", "add sub-delay -0.1", "subtitles earlier", "Sound and text"},
    BuiltIn{"g", "cycle mode", "next mode", "Picture"},
    BuiltIn{"c", "cycle color", "next colors", "Picture"},
    BuiltIn{"h", "cycle charset", "next characters", "Picture"},
    BuiltIn{"e", "cycle effect", "next effect", "Picture"},
    BuiltIn{"+ =", "add cell 1", "larger cells", "Picture"},
    BuiltIn{"-", "add cell -1", "smaller cells", "Picture"},
    BuiltIn{"1", "add contrast -1", "less contrast", "Picture"},
    BuiltIn{"2", "add contrast 1", "more contrast", "Picture"},
    BuiltIn{"3", "add brightness -1", "darker", "Picture"},
    BuiltIn{"4", "add brightness 1", "brighter", "Picture"},
    BuiltIn{"5", "add gamma -1", "less gamma", "Picture"},
    BuiltIn{"6", "add gamma 1", "more gamma", "Picture"},
    BuiltIn{"7", "add saturation -1", "less saturation", "Picture"},
    BuiltIn{"8", "add saturation 1", "more saturation", "Picture"},
    BuiltIn{"t", "cycle split", "GPU and CPU side by side", "Picture"},
    BuiltIn{"f F11 MBTN_LEFT_DBL", "cycle fullscreen", "fullscreen", "Window"},
    BuiltIn{"ESC", "set fullscreen no", "leave fullscreen", "Window"},
    BuiltIn{"s", "screenshot", "save picture and text", "Window"},
    BuiltIn{"r", "cycle record", "record to a file", "Window"},
    BuiltIn{"i", "cycle stats", "statistics", "Window"},
    BuiltIn{"?", "cycle help", "this help", "Window"},
    BuiltIn{"o", "cycle osd-level", "on-screen display level", "Window"},
    BuiltIn{"q", "quit", "quit", "Window"},
};

template <typename Function>
void for_each_word(std::string_view text, const Function& function) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) function(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view Blank = " \t\r";
  const std::size_t begin = text.find_first_not_of(Blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(Blank) - begin + 1);
}

/// The key as the user sees it: "space" for "SPACE", "left" for "LEFT", as in the manual page.
std::string shown_key(std::string_view key) {
  std::string shown(key);
  if (shown.size() > 1) {
    std::transform(shown.begin(), shown.end(), shown.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  }
  return shown;
}

bool is_mouse(std::string_view key) {
  return key.starts_with("MBTN") || key.starts_with("WHEEL");
}

}  // namespace

Bindings::Bindings() {
  for (const BuiltIn& built_in : BuiltIns) {
    for_each_word(built_in.keys, [&](std::string_view key) {
      const Result<void> bound = bind(key, built_in.command);
      CHECK(bound, "a built-in key has no command");
    });
  }
}

Result<void> Bindings::bind(std::string_view key, std::string_view command) {
  TRY_ASSIGN(const Command parsed, parse_command(command));
  std::erase_if(bindings_, [&](const Binding& binding) { return binding.key == key; });
  bindings_.push_back({std::string(key), std::string(command), parsed});
  return {};
}

Result<void> Bindings::add(std::string_view text, std::string_view name) {
  Bindings changed = *this;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    // "#" is also a key: a line that starts with # is a comment unless a space and a valid command follow.
    if (line.empty() ||
        (line[0] == '#' && !(line.size() > 2 && line[1] == ' ' && parse_command(line.substr(2))))) {
      continue;
    }
    if (const std::size_t comment = line.find(" #"); comment != std::string_view::npos) {
      line = trimmed(line.substr(0, comment));
    }
    const std::size_t space = std::min(line.find_first_of(" \t"), line.size());
    Result<void> bound = changed.bind(line.substr(0, space), trimmed(line.substr(space)));
    if (!bound) {
      return Error{ErrorCode::Usage, fmt::format("{}, line {}: {}", name, number, bound.error().message), {}};
    }
  }
  *this = std::move(changed);
  return {};
}

const Command* Bindings::find(std::string_view key) const {
  const auto found = std::find_if(bindings_.begin(), bindings_.end(),
                                  [&](const Binding& binding) { return binding.key == key; });
  return found == bindings_.end() ? nullptr : &found->command;
}

std::vector<HelpEntry> Bindings::help() const {
  std::vector<HelpEntry> entries;
  const auto keys_of = [&](const auto& does) {
    std::string keys;
    for (const Binding& binding : bindings_) {
      if (!does(binding) || is_mouse(binding.key)) continue;
      keys += (keys.empty() ? "" : ", ") + shown_key(binding.key);
    }
    return keys;
  };
  for (const BuiltIn& built_in : BuiltIns) {
    const std::string keys =
        keys_of([&](const Binding& binding) { return binding.text == built_in.command; });
    if (!keys.empty()) entries.push_back({keys, std::string(built_in.help), std::string(built_in.group)});
  }
  for (const Binding& binding : bindings_) {
    const bool is_built_in = std::any_of(BuiltIns.begin(), BuiltIns.end(), [&](const BuiltIn& built_in) {
      return built_in.command == binding.text;
    });
    if (!is_built_in && binding.command.verb != CommandVerb::Ignore) {
      entries.push_back({shown_key(binding.key), binding.text, "Custom"});
    }
  }
  return entries;
}

Result<Bindings> load_bindings() {
  Bindings bindings;
  const std::filesystem::path folder = config_folder();
  if (folder.empty()) return bindings;
  const std::filesystem::path path = folder / "input.conf";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return bindings;
  const auto explain = [&](FileProblem problem) {
    return problem == FileProblem::TooLarge
               ? fmt::format("{} is larger than 1 MiB and cannot be a list of keys: check its name.",
                             path.string())
               : fmt::format("{} cannot be read: check its path and permissions.", path.string());
  };
  TRY_ASSIGN(const std::string text,
             read_file(path.string(), {.max_bytes = 1U << 20, .code = ErrorCode::Usage, .explain = explain}));
  TRY(bindings.add(text, path.string()));
  return bindings;
}

}  // namespace glyphreel::player
