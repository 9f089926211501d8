#include "present/terminal/terminal_keys.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "text/code_points/unicode.h"

namespace glyphreel::present {
namespace {

constexpr char Escape = '\x1b';
constexpr std::size_t MaxCsiBytes = 64;
constexpr std::size_t MaxStringBytes = 4096;  // of a DCS, OSC or APC reply
constexpr double KeyTimeout = 0.05;
constexpr double StringTimeout = 0.5;
constexpr std::string_view PasteEnd = "\x1b[201~";

// xterm's modifier numbers minus one.
constexpr int Shift = 1;
constexpr int Alt = 2;
constexpr int Ctrl = 4;
constexpr int Meta = 8;

/// A parsed sequence: its length (0: incomplete) and the input that it reports, if any.
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

using KeyNames = std::span<const std::pair<int, const char*>>;

constexpr std::pair<int, const char*> ControlCharacters[] = {
    {'\b', "BS"},    {'\t', "TAB"},  {'\n', "ENTER"}, {'\r', "ENTER"},
    {Escape, "ESC"}, {' ', "SPACE"}, {0x7F, "BS"}};

/// Final letters of CSI and SS3 sequences. rxvt sends lower-case letters if a modifier is pressed.
constexpr std::pair<int, const char*> LetterKeys[] = {
    {'A', "UP"}, {'B', "DOWN"}, {'C', "RIGHT"}, {'D', "LEFT"}, {'F', "END"},  {'H', "HOME"},  {'P', "F1"},
    {'Q', "F2"}, {'R', "F3"},   {'S', "F4"},    {'a', "UP"},   {'b', "DOWN"}, {'c', "RIGHT"}, {'d', "LEFT"}};

/// Keypad keys in application mode (SS3), named after the characters that they type.
constexpr std::pair<int, const char*> KeypadKeys[] = {
    {'M', "ENTER"}, {'j', "*"}, {'k', "+"}, {'m', "-"}, {'n', "."}, {'o', "/"}, {'p', "0"}, {'q', "1"},
    {'r', "2"},     {'s', "3"}, {'t', "4"}, {'u', "5"}, {'v', "6"}, {'w', "7"}, {'x', "8"}, {'y', "9"}};

constexpr std::pair<int, const char*> NumberedKeys[] = {
    {1, "HOME"}, {2, "INS"},  {3, "DEL"},  {4, "END"},  {5, "PGUP"}, {6, "PGDWN"}, {7, "HOME"},
    {8, "END"},  {11, "F1"},  {12, "F2"},  {13, "F3"},  {14, "F4"},  {15, "F5"},   {17, "F6"},
    {18, "F7"},  {19, "F8"},  {20, "F9"},  {21, "F10"}, {23, "F11"}, {24, "F12"},  {25, "F13"},
    {26, "F14"}, {28, "F15"}, {29, "F16"}, {31, "F17"}, {32, "F18"}, {33, "F19"},  {34, "F20"}};

/// Returns the name of a key; empty if it has none.
std::string_view name_of(KeyNames names, int code) {
  const auto found = std::ranges::find(names, code, &KeyNames::value_type::first);
  return found != names.end() ? found->second : "";
}

/// Returns the key for a character code that was sent with a modifier number. If the code is a printable
/// character and the modifiers include Shift, the key is named after the shifted character, without "Shift+".
Piece coded_key(std::size_t length, int code, int shifted, int modifiers) {
  if (code >= 57399 && code <= 57408) code = '0' + (code - 57399);  // kitty's codes for the keypad
  if (code == 57414) code = '\r';
  if (const auto name = name_of(ControlCharacters, code); !name.empty()) return key(length, modifiers, name);
  const bool is_control = code < 0x20 || (code >= 0x80 && code < 0xA0);
  const bool is_surrogate_or_private = code >= 0xD800 && code < 0xF900;
  if (is_control || is_surrogate_or_private || code > 0x10FFFF) return {length};
  if ((modifiers & Shift) != 0) {
    if (shifted > 0x20 && shifted < 0xD800)
      code = shifted;
    else if (code >= 'a' && code <= 'z')
      code -= 'a' - 'A';
    modifiers &= ~Shift;
  }
  return key(length, modifiers, text::encode_utf8(static_cast<char32_t>(code)));
}

/// Splits the parameters of a control sequence at `;`, and each parameter at `:`.
class SequenceParameters {
 public:
  explicit SequenceParameters(std::string_view text) {
    for (const char c : text) {
      if (c == ';') {
        values_.push_back({-1});
      } else if (c == ':') {
        values_.back().push_back(-1);
      } else if (c >= '0' && c <= '9') {
        int& value = values_.back().back();
        value = std::min(std::max(value, 0) * 10 + (c - '0'), MaxValue);
      }
    }
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// Returns the first part of each parameter; -1: omitted.
  [[nodiscard]] std::vector<int> numbers() const {
    std::vector<int> numbers;
    for (const std::vector<int>& parts : values_) numbers.push_back(parts.front());
    return numbers;
  }
  /// Returns the value of part `part` of parameter `i`, or `otherwise` if the part is omitted.
  [[nodiscard]] int at(std::size_t i, int otherwise, std::size_t part = 0) const {
    if (i >= values_.size() || part >= values_[i].size() || values_[i][part] < 0) return otherwise;
    return values_[i][part];
  }

 private:
  static constexpr int MaxValue = 99'999'999;
  std::vector<std::vector<int>> values_ = {{-1}};
};

/// Decodes xterm's mouse code: bits 0, 1, 6 and 7 select the button, bits 2 to 4 are the modifiers, and bit 5
/// marks a motion.
Piece mouse(std::size_t length, int code, int column, int row, bool released) {
  static constexpr const char* Buttons[] = {"MBTN_LEFT", "MBTN_MID",     "MBTN_RIGHT", "",
                                            "WHEEL_UP",  "WHEEL_DOWN",   "WHEEL_LEFT", "WHEEL_RIGHT",
                                            "MBTN_BACK", "MBTN_FORWARD", "",           ""};
  if (code < 0 || code >= 0xC0 || column < 1 || row < 1) return {length};
  const int number = (code & 3) + (code >> 6) * 4;
  const std::string_view button = Buttons[number];
  TerminalMouse event{.column = column - 1, .row = row - 1};
  if (!button.empty()) event.button = modified(code >> 2 & (Shift | Alt | Ctrl), button);
  event.action = (code & 32) != 0          ? TerminalMouse::Action::Motion
                 : released || number == 3 ? TerminalMouse::Action::Release
                                           : TerminalMouse::Action::Press;
  return {length, event};
}

/// Returns the index of the first byte, from `at` on, that is not part of a control sequence's parameters. In
/// a valid sequence, this byte is the final character.
std::size_t end_of_parameters(std::string_view bytes, std::size_t at, bool is_private) {
  std::size_t end = at;
  while (end < bytes.size() && bytes[end] >= 0x20 && bytes[end] <= 0x3F && end - at < MaxCsiBytes) {
    if (bytes[end] == '$' && !is_private && end > at)
      break;  // with Shift, rxvt sends $ as the final character
    ++end;
  }
  return end;
}

/// Parses a CSI sequence; `at` is the position after its bracket. `modifiers` is Alt if another ESC precedes
/// the sequence.
Piece control_sequence(std::string_view bytes, std::size_t at, int modifiers) {
  if (at >= bytes.size()) return {};
  if (bytes[at] == '[') {  // the Linux console's F1 to F5
    if (at + 1 >= bytes.size()) return {};
    const char letter = bytes[at + 1];
    if (letter < 'A' || letter > 'E') return {at + 1};
    return key(at + 2, modifiers, name_of(NumberedKeys, letter - 'A' + 11));
  }
  if (bytes[at] == 'M') {  // X10 mouse report: three bytes, each offset by 32
    if (at + 3 >= bytes.size()) return {};
    const auto value = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]) - 32; };
    return mouse(at + 4, value(1), value(2), value(3), false);
  }
  const bool is_private = bytes[at] >= '<' && bytes[at] <= '?';
  const std::size_t end = end_of_parameters(bytes, at, is_private);
  if (end >= bytes.size()) return {};
  const char final = bytes[end];
  const std::size_t length = end + 1;
  if (final != '$' && (final < 0x40 || final > 0x7E))
    return {end > at && bytes[end] >= 0x20 && bytes[end] < 0x7F ? length : end};
  if (final == 'n') return {length, TerminalReply{}};
  const SequenceParameters parameters(bytes.substr(at, end - at));
  const bool is_answer = is_private ? bytes[at] == '?' && (final == 'c' || final == 'S') : final == 't';
  if (is_answer) return {length, TerminalAnswer{.kind = final, .numbers = parameters.numbers(), .text = {}}};
  if (is_private) {
    if (bytes[at] != '<' || (final != 'M' && final != 'm')) return {length};
    return mouse(length, parameters.at(0, -1), parameters.at(1, 0), parameters.at(2, 0), final == 'm');
  }
  modifiers |= std::max(0, parameters.at(1, 1) - 1) & (Shift | Alt | Ctrl | Meta);
  if (parameters.at(1, 1, 1) == 3) return {length};  // a key release from kitty
  const std::string_view numbered = name_of(NumberedKeys, parameters.at(0, 0));
  switch (final) {
    case '~':
      if (parameters.at(0, 0) == 200) return {length, std::nullopt, true};
      if (parameters.at(0, 0) == 27) return coded_key(length, parameters.at(2, 0), 0, modifiers);
      return key(length, modifiers, numbered);
    case 'u':
      return coded_key(length, parameters.at(0, 0), parameters.at(0, 0, 1), modifiers);
    case '$':
      return key(length, modifiers | Shift, numbered);
    case '^':
      return key(length, modifiers | Ctrl, numbered);
    case '@':
      return key(length, modifiers | Ctrl | Shift, numbered);
    case 'Z':
      return key(length, modifiers | Shift, "TAB");
    case 'a':
    case 'b':
    case 'c':
    case 'd':
      if (end > at) return {length};  // a terminal's reply, not a key
      return key(length, modifiers | Shift, name_of(LetterKeys, final));
    case 'R':  // a cursor position, or F3 with modifiers
      if (parameters.at(0, 1) == 1 && parameters.size() <= 2) return key(length, modifiers, "F3");
      return {length, TerminalPosition{parameters.at(0, 0), parameters.at(1, 0)}};
    default:
      return key(length, modifiers, name_of(LetterKeys, final));
  }
}

/// Parses an SS3 sequence; `at` is the position after its O.
Piece single_shift(std::string_view bytes, std::size_t at, int modifiers) {
  if (at >= bytes.size()) return {};
  if (bytes[at] >= '1' && bytes[at] <= '9') {  // older xterms send the modifiers before the letter
    if (at + 1 >= bytes.size()) return {};
    modifiers |= (bytes[at] - '1') & (Shift | Alt | Ctrl | Meta);
    ++at;
  }
  const char letter = bytes[at];
  if (letter < 0x40 || letter > 0x7E) return {at};
  if (letter >= 'a' && letter <= 'd') modifiers |= Ctrl;
  const std::string_view name = name_of(LetterKeys, letter);
  return key(at + 1, modifiers, name.empty() ? name_of(KeypadKeys, letter) : name);
}

/// Skips a DCS, OSC, APC, PM or SOS string up to its ST or BEL; any other control character ends it early. An
/// APC string that begins with G is an answer in kitty's graphics protocol.
Piece control_string(std::string_view bytes, std::size_t at) {
  for (std::size_t i = at; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte == '\a') return {i + 1};
    if (bytes[i] == Escape) {
      if (i + 1 >= bytes.size()) return {};
      if (bytes[i + 1] != '\\') return {i};
      Piece piece{i + 2};
      if (bytes[at - 1] == '_' && bytes[at] == 'G')
        piece.input =
            TerminalAnswer{.kind = 'G', .numbers = {}, .text = std::string(bytes.substr(at + 1, i - at - 1))};
      return piece;
    }
    if (byte < 0x20 || byte == 0x7F) return {i};
    if (i - at >= MaxStringBytes) return {i};
  }
  return {};
}

Piece character(std::string_view bytes, std::size_t at, int modifiers) {
  const auto byte = static_cast<unsigned char>(bytes[at]);
  if (const auto name = name_of(ControlCharacters, byte); !name.empty()) return key(at + 1, modifiers, name);
  if (byte == 0) return key(at + 1, modifiers | Ctrl, "SPACE");
  if (byte < 0x20) {
    const char typed = static_cast<char>(byte < 0x1B ? byte + 0x60 : byte + 0x40);
    return key(at + 1, modifiers | Ctrl, std::string_view(&typed, 1));
  }
  // In UTF-8, the first byte of a character of n > 1 bytes begins with n bits that are 1, followed by a 0.
  // Each further byte begins with the bits 10.
  const auto length = static_cast<std::size_t>(std::max(1, std::countl_one(byte)));
  const std::string_view encoded = bytes.substr(at, length);
  const auto follows = [](char next) { return std::countl_one(static_cast<unsigned char>(next)) == 1; };
  if (!std::all_of(encoded.begin() + 1, encoded.end(), follows)) return {at + 1};
  if (encoded.size() < length) return {};
  const auto decoded = text::decode_utf8(std::string(encoded));
  const bool is_key = decoded && (decoded->front() < 0x80 || decoded->front() >= 0xA0);  // not C1 controls
  return is_key ? key(at + length, modifiers, encoded) : Piece{at + length};
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
        // Keeps the last bytes, which may be the beginning of the end marker.
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

double TerminalKeys::timeout_seconds() const {
  const bool string = bytes_.size() > 2 && bytes_[0] == Escape &&
                      std::string_view("P]_^X").find(bytes_[1]) != std::string_view::npos;
  return pasting_ || string ? StringTimeout : KeyTimeout;
}

void TerminalKeys::time_out(std::vector<TerminalInput>& inputs) {
  pasting_ = false;
  const std::string bytes = std::exchange(bytes_, {});
  if (bytes.empty() || bytes[0] != Escape) return;
  if (bytes.find_first_not_of(Escape) == std::string::npos) {
    inputs.insert(inputs.end(), bytes.size(), TerminalKey{"ESC"});
  } else if (bytes.size() == 2 && bytes[1] > ' ' && bytes[1] < 0x7F) {
    // ESC, one character and no further bytes: the user pressed Alt and that character.
    inputs.push_back(TerminalKey{modified(Alt, std::string_view(bytes).substr(1))});
  }
}

}  // namespace glyphreel::present
