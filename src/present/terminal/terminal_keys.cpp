#include "present/terminal/terminal_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "text/glyph_set.h"

namespace glyphreel::present {
namespace {

constexpr char Escape = '\x1b';
constexpr std::size_t MaxCsiBytes = 64;
constexpr std::size_t MaxStringBytes = 4096;  // of a DCS, OSC or APC reply
constexpr double KeyPatience = 0.05;
constexpr double StringPatience = 0.5;
constexpr std::string_view PasteEnd = "\x1b[201~";

// xterm's modifier numbers minus one.
constexpr int Shift = 1;
constexpr int Alt = 2;
constexpr int Ctrl = 4;
constexpr int Meta = 8;

/// The first sequence of the bytes: its length (0: incomplete) and its meaning, if any.
struct Piece {
  std::size_t length = 0;
  std::optional<TerminalInput> input = std::nullopt;
  bool begins_paste = false;
};

std::string modified(int modifiers, std::string_view name) {
  std::string text;
  if ((modifiers & Ctrl) != 0) text += "Ctrl+";
  if ((modifiers & Alt) != 0) text += "Alt+";
  if ((modifiers & Shift) != 0) text += "Shift+";
  if ((modifiers & Meta) != 0) text += "Meta+";
  return text.append(name);
}

Piece key(std::size_t length, int modifiers, std::string_view name) {
  if (name.empty()) return {length};
  return {length, TerminalKey{modified(modifiers, name)}};
}

/// Returns the name of a control character or the space; empty for others.
std::string_view named_character(std::uint32_t code) {
  switch (code) {
    case '\b':
    case 0x7F:
      return "BS";
    case '\t':
      return "TAB";
    case '\n':
    case '\r':
      return "ENTER";
    case Escape:
      return "ESC";
    case ' ':
      return "SPACE";
    default:
      return {};
  }
}

std::string_view letter_key(char letter) {
  switch (letter) {
    case 'A':
      return "UP";
    case 'B':
      return "DOWN";
    case 'C':
      return "RIGHT";
    case 'D':
      return "LEFT";
    case 'F':
      return "END";
    case 'H':
      return "HOME";
    case 'P':
      return "F1";
    case 'Q':
      return "F2";
    case 'R':
      return "F3";
    case 'S':
      return "F4";
    default:
      return {};
  }
}

/// Returns keypad keys that are sent as functions (SS3) as the characters that they type.
std::string_view keypad_key(char letter) {
  static constexpr std::string_view Digits = "0123456789";
  if (letter >= 'p' && letter <= 'y') return Digits.substr(static_cast<std::size_t>(letter - 'p'), 1);
  switch (letter) {
    case 'M':
      return "ENTER";
    case 'j':
      return "*";
    case 'k':
      return "+";
    case 'm':
      return "-";
    case 'n':
      return ".";
    case 'o':
      return "/";
    default:
      return {};
  }
}

std::string_view numbered_key(int number) {
  static constexpr std::array<std::pair<int, const char*>, 28> Numbers = {
      {{1, "HOME"}, {2, "INS"},  {3, "DEL"},  {4, "END"},  {5, "PGUP"}, {6, "PGDWN"}, {7, "HOME"},
       {8, "END"},  {11, "F1"},  {12, "F2"},  {13, "F3"},  {14, "F4"},  {15, "F5"},   {17, "F6"},
       {18, "F7"},  {19, "F8"},  {20, "F9"},  {21, "F10"}, {23, "F11"}, {24, "F12"},  {25, "F13"},
       {26, "F14"}, {28, "F15"}, {29, "F16"}, {31, "F17"}, {32, "F18"}, {33, "F19"},  {34, "F20"}}};
  for (const auto& [code, name] : Numbers) {
    if (code == number) return name;
  }
  return {};
}

/// Returns the key for a character that was sent with numeric modifiers. Shift becomes part of the
/// character.
Piece coded_key(std::size_t length, std::uint32_t code, std::uint32_t shifted, int modifiers) {
  if (const std::string_view name = named_character(code); !name.empty()) return key(length, modifiers, name);
  if (code < 0x20 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) || (code >= 0x80 && code < 0xA0))
    return {length};
  if (code >= 0xE000 && code <= 0xF8FF) {  // kitty's codes for keys without characters
    if (code >= 57399 && code <= 57408)
      code = '0' + (code - 57399);
    else if (code == 57414)
      return key(length, modifiers, "ENTER");
    else
      return {length};
  }
  if ((modifiers & Shift) != 0) {
    if (shifted > 0x20 && shifted < 0xD800)
      code = shifted;
    else if (code >= 'a' && code <= 'z')
      code -= 'a' - 'A';
    modifiers &= ~Shift;
  }
  return key(length, modifiers, text::encode_utf8(static_cast<char32_t>(code)));
}

/// The numbers of a control sequence, including each part of `a:b:c`.
struct Parameters {
  std::vector<std::vector<int>> values;
  [[nodiscard]] int at(std::size_t i, int otherwise, std::size_t part = 0) const {
    if (i >= values.size() || part >= values[i].size() || values[i][part] < 0) return otherwise;
    return values[i][part];
  }
};

Parameters parameters_of(std::string_view text) {
  Parameters parameters;
  parameters.values.push_back({-1});
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ';') {
      parameters.values.push_back({-1});
      ++i;
    } else if (text[i] == ':') {
      parameters.values.back().push_back(-1);
      ++i;
    } else if (text[i] >= '0' && text[i] <= '9') {
      int value = 0;
      const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
      parameters.values.back().back() = error == std::errc() ? value : -1;
      i = static_cast<std::size_t>(end - text.data());
    } else {
      ++i;
    }
  }
  return parameters;
}

/// Decodes xterm's code: the button in bits 0, 1, 6 and 7, modifiers in bits 2 to 4, 32 for a motion.
Piece mouse(std::size_t length, int code, int column, int row, bool released) {
  if (code < 0 || code > 255 || column < 1 || row < 1) return {length};
  static constexpr std::array<const char*, 12> Buttons = {
      "MBTN_LEFT",   "MBTN_MID",  "MBTN_RIGHT",   "", "WHEEL_UP", "WHEEL_DOWN", "WHEEL_LEFT",
      "WHEEL_RIGHT", "MBTN_BACK", "MBTN_FORWARD", "", ""};
  const std::size_t number = static_cast<std::size_t>((code & 3) + (code >> 6 & 3) * 4);
  if (number >= Buttons.size()) return {length};
  const int modifiers =
      ((code & 4) != 0 ? Shift : 0) | ((code & 8) != 0 ? Alt : 0) | ((code & 16) != 0 ? Ctrl : 0);
  TerminalMouse event{.column = column - 1, .row = row - 1};
  if (*Buttons[number] != '\0') event.button = modified(modifiers, Buttons[number]);
  event.action = (code & 32) != 0          ? TerminalMouse::Action::Motion
                 : released || number == 3 ? TerminalMouse::Action::Release
                                           : TerminalMouse::Action::Press;
  return {length, event};
}

/// Parses a CSI sequence, with Alt if an ESC preceded it; `at` is after its bracket.
Piece control_sequence(std::string_view bytes, std::size_t at, int modifiers) {
  if (at >= bytes.size()) return {};
  if (bytes[at] == '[') {  // the Linux console's F1 to F5
    if (at + 1 >= bytes.size()) return {};
    static constexpr std::array<const char*, 5> Functions = {"F1", "F2", "F3", "F4", "F5"};
    const char letter = bytes[at + 1];
    if (letter < 'A' || letter > 'E') return {at + 1};
    return key(at + 2, modifiers, Functions[static_cast<std::size_t>(letter - 'A')]);
  }
  if (bytes[at] == 'M') {  // X10 mouse report: three bytes, each offset by 32
    if (at + 3 >= bytes.size()) return {};
    const auto value = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]) - 32; };
    return mouse(at + 4, value(1), value(2), value(3), false);
  }
  std::size_t end = at;
  const bool is_private = bytes[at] >= '<' && bytes[at] <= '?';
  while (end < bytes.size() && bytes[end] >= 0x20 && bytes[end] <= 0x3F && end - at < MaxCsiBytes) {
    if (bytes[end] == '$' && !is_private && end > at) break;  // rxvt ends Shift sequences with it
    ++end;
  }
  if (end >= bytes.size()) return {};
  const char final = bytes[end];
  const std::size_t length = end + 1;
  if (final != '$' && (final < 0x40 || final > 0x7E))
    return {end > at && bytes[end] >= 0x20 && bytes[end] < 0x7F ? length : end};
  const std::string_view text = bytes.substr(at, end - at);
  const Parameters numbers = parameters_of(text);
  if (is_private) {
    if (text.front() == '<' && (final == 'M' || final == 'm')) {
      return mouse(length, numbers.at(0, -1), numbers.at(1, 0), numbers.at(2, 0), final == 'm');
    }
    return {length, TerminalReply{std::string(bytes.substr(at, length - at))}};
  }
  modifiers |= std::max(0, numbers.at(1, 1) - 1) & (Shift | Alt | Ctrl | Meta);
  if (numbers.at(1, 1, 1) == 3) return {length};  // a key release from kitty
  switch (final) {
    case '~':
      if (numbers.at(0, 0) == 200) return {length, std::nullopt, true};
      if (numbers.at(0, 0) == 27)
        return coded_key(length, static_cast<std::uint32_t>(numbers.at(2, 0)), 0, modifiers);
      return key(length, modifiers, numbered_key(numbers.at(0, 0)));
    case 'u':
      return coded_key(length, static_cast<std::uint32_t>(numbers.at(0, 0)),
                       static_cast<std::uint32_t>(numbers.at(0, 0, 1)), modifiers);
    case '$':
      return key(length, modifiers | Shift, numbered_key(numbers.at(0, 0)));
    case '^':
      return key(length, modifiers | Ctrl, numbered_key(numbers.at(0, 0)));
    case '@':
      return key(length, modifiers | Ctrl | Shift, numbered_key(numbers.at(0, 0)));
    case 'Z':
      return key(length, modifiers | Shift, "TAB");
    case 'a':
    case 'b':
    case 'c':
    case 'd':
      if (!text.empty()) return {length, TerminalReply{std::string(bytes.substr(at, length - at))}};
      return key(length, modifiers | Shift, letter_key(static_cast<char>(final - 'a' + 'A')));
    case 'R':  // F3 with modifiers; otherwise a cursor position, which was not requested
      return numbers.at(0, 1) == 1 && numbers.values.size() <= 2 ? key(length, modifiers, "F3")
                                                                 : Piece{length};
    case 'n':
      return {length, TerminalReply{std::string(bytes.substr(at, length - at))}};
    default:
      return key(length, modifiers, letter_key(final));
  }
}

/// Parses an SS3 sequence; `at` is after its O.
Piece single_shift(std::string_view bytes, std::size_t at, int modifiers) {
  if (at >= bytes.size()) return {};
  if (bytes[at] >= '1' && bytes[at] <= '9') {  // older xterms put the modifiers here
    if (at + 1 >= bytes.size()) return {};
    modifiers |= (bytes[at] - '1') & (Shift | Alt | Ctrl | Meta);
    ++at;
  }
  const char letter = bytes[at];
  if (letter < 0x40 || letter > 0x7E) return {at};
  if (letter >= 'a' && letter <= 'd') {
    return key(at + 1, modifiers | Ctrl, letter_key(static_cast<char>(letter - 'a' + 'A')));
  }
  const std::string_view name = letter_key(letter);
  return key(at + 1, modifiers, name.empty() ? keypad_key(letter) : name);
}

/// Skips DCS, OSC, APC, PM or SOS, up to its ST or BEL; another control character ends it early.
Piece control_string(std::string_view bytes, std::size_t at) {
  for (std::size_t i = at; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte == '\a') return {i + 1};
    if (bytes[i] == Escape) {
      if (i + 1 >= bytes.size()) return {};
      return {bytes[i + 1] == '\\' ? i + 2 : i};
    }
    if (byte < 0x20 || byte == 0x7F) return {i};
    if (i - at >= MaxStringBytes) return {i};
  }
  return {};
}

/// Returns the length of the UTF-8 character that begins with this byte; 0 if none does.
std::size_t utf8_length(unsigned char byte) {
  if (byte < 0x80) return 1;
  if (byte >= 0xC2 && byte <= 0xDF) return 2;
  if (byte >= 0xE0 && byte <= 0xEF) return 3;
  if (byte >= 0xF0 && byte <= 0xF4) return 4;
  return 0;
}

Piece character(std::string_view bytes, std::size_t at, int modifiers) {
  const auto byte = static_cast<unsigned char>(bytes[at]);
  if (const std::string_view name = named_character(byte); !name.empty()) return key(at + 1, modifiers, name);
  if (byte == 0) return key(at + 1, modifiers | Ctrl, "SPACE");
  if (byte < 0x20) {
    const char typed = static_cast<char>(byte < 0x1B ? byte + 0x60 : byte + 0x40);
    return key(at + 1, modifiers | Ctrl, std::string_view(&typed, 1));
  }
  const std::size_t length = utf8_length(byte);
  if (length == 0) return {at + 1};
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= bytes.size()) return {};
    if ((static_cast<unsigned char>(bytes[at + i]) & 0xC0) != 0x80) return {at + i};
  }
  // C1 controls are not keys; surrogates and overlong forms are not characters.
  const auto second = length > 1 ? static_cast<unsigned char>(bytes[at + 1]) : 0;
  const bool wrong = (byte == 0xC2 && second < 0xA0) || (byte == 0xE0 && second < 0xA0) ||
                     (byte == 0xED && second >= 0xA0) || (byte == 0xF0 && second < 0x90) ||
                     (byte == 0xF4 && second >= 0x90);
  if (wrong) return {at + length};
  return key(at + length, modifiers, bytes.substr(at, length));
}

Piece first_piece(std::string_view bytes) {
  if (bytes.front() != Escape) return character(bytes, 0, 0);
  if (bytes.size() < 2) return {};
  std::size_t at = 1;
  int modifiers = 0;
  if (bytes[1] == Escape) {  // Alt with a key that sends a sequence, or ESC twice
    if (bytes.size() < 3) return {};
    if (bytes[2] != '[' && bytes[2] != 'O') return key(1, 0, "ESC");
    at = 2;
    modifiers = Alt;
  }
  switch (bytes[at]) {
    case '[':
      return control_sequence(bytes, at + 1, modifiers);
    case 'O':
      return single_shift(bytes, at + 1, modifiers);
    case 'P':
    case ']':
    case '_':
    case '^':
    case 'X':
      return control_string(bytes, at + 1);
    default:
      return character(bytes, at, Alt);
  }
}

}  // namespace

void TerminalKeys::feed(std::string_view bytes, std::vector<TerminalInput>& inputs) {
  bytes_.append(bytes);
  std::string_view rest = bytes_;
  while (!rest.empty()) {
    if (pasting_) {
      const std::size_t end = rest.find(PasteEnd);
      if (end == std::string_view::npos) {
        // The beginning of the end marker may have arrived.
        rest.remove_prefix(rest.size() - std::min(rest.size(), PasteEnd.size() - 1));
        break;
      }
      pasting_ = false;
      rest.remove_prefix(end + PasteEnd.size());
      continue;
    }
    Piece piece = first_piece(rest);
    if (piece.length == 0) break;
    if (piece.input) inputs.push_back(*std::move(piece.input));
    pasting_ = piece.begins_paste;
    rest.remove_prefix(piece.length);
  }
  bytes_.erase(0, bytes_.size() - rest.size());
}

double TerminalKeys::patience_seconds() const {
  const bool string = bytes_.size() > 2 && bytes_[0] == Escape &&
                      std::string_view("P]_^X").find(bytes_[1]) != std::string_view::npos;
  return pasting_ || string ? StringPatience : KeyPatience;
}

void TerminalKeys::settle(std::vector<TerminalInput>& inputs) {
  pasting_ = false;
  const std::string bytes = std::exchange(bytes_, {});
  if (bytes.empty() || bytes[0] != Escape) return;
  if (bytes.size() == 1) {
    inputs.push_back(TerminalKey{"ESC"});
  } else if (bytes.size() == 2 && bytes[1] == Escape) {
    inputs.insert(inputs.end(), 2, TerminalKey{"ESC"});
  } else if (bytes.size() == 2 && bytes[1] > ' ' && bytes[1] < 0x7F) {
    // What might have begun a sequence was Alt with that character.
    inputs.push_back(TerminalKey{modified(Alt, std::string_view(bytes).substr(1))});
  }
}

}  // namespace glyphreel::present
