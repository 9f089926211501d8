#include "player/control/command_words.h"

#include <algorithm>

#include <fmt/format.h>

namespace glyphreel::player {
namespace {

constexpr std::string_view Blank = " \t\r";

/// Appends the quoted text at the start of `text` to `word`. Returns the length in bytes of the quotation,
/// including both quotes; 0 if the closing quote is missing.
std::size_t append_quotation(std::string_view text, std::string& word) {
  const char quote = text[0];
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == quote) return at + 1;
    if (quote == '"' && text[at] == '\\' && at + 1 < text.size()) {
      ++at;
      word += text[at] == 'n' ? '\n' : text[at] == 't' ? '\t' : text[at];
    } else {
      word += text[at];
    }
  }
  return 0;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(Blank); at != std::string_view::npos;
       at = text.find_first_not_of(Blank, at)) {
    const std::size_t end = std::min(text.find_first_of(Blank, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

Result<CommandLine> split_commands(std::string_view text) {
  CommandLine line;
  bool is_new = true;  // whether the next word begins a command
  std::size_t at = text.find_first_not_of(Blank);
  while (at < text.size() && text[at] != '#') {
    if (text[at] == ';') {
      is_new = true;
      at = text.find_first_not_of(Blank, at + 1);
      continue;
    }
    std::string word;
    while (at < text.size() && text[at] != ';' && Blank.find(text[at]) == std::string_view::npos) {
      if (text[at] != '"' && text[at] != '\'') {
        word += text[at++];
        continue;
      }
      const std::size_t length = append_quotation(text.substr(at), word);
      if (length == 0) {
        return Error{
            ErrorCode::Usage, fmt::format("\"{}\": add the missing closing {}.", text, text[at]), {}};
      }
      at += length;
    }
    if (is_new) line.commands.emplace_back();
    line.commands.back().push_back(std::move(word));
    is_new = false;
    at = text.find_first_not_of(Blank, at);
  }
  line.text = text.substr(0, std::min(at, text.size()));
  line.text.erase(line.text.find_last_not_of(Blank) + 1);
  return line;
}

}  // namespace glyphreel::player
