#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <system_error>

#include "text/glyph_set.h"

namespace glyphreel::text {
namespace {

// More text than Unicode has characters is a mistaken file, not a character set.
constexpr std::uintmax_t MaxCharsetFileBytes = 4u << 20;

struct Range {
  char32_t first;
  char32_t last;
};

std::string characters(std::initializer_list<Range> ranges) {
  std::string text;
  for (const Range& range : ranges) {
    for (char32_t code_point = range.first; code_point <= range.last; ++code_point)
      text += encode_utf8(code_point);
  }
  return text;
}

constexpr Range Space{' ', ' '};

std::string ascii() {
  return characters({{' ', '~'}});
}
std::string ascii_ramp() {
  return " .:-=+*#%@";
}
// Without U+00A0, a second space, and U+00AD, the soft hyphen, which is no printed character.
std::string latin() {
  return characters({{' ', '~'}, {0xA1, 0xAC}, {0xAE, 0xFF}});
}
std::string digits() {
  return characters({Space, {'0', '9'}});
}
std::string letters() {
  return characters({Space, {'A', 'Z'}, {'a', 'z'}});
}
std::string blocks() {
  return characters({Space, {0x2580, 0x259F}});
}
std::string sextants() {
  return characters({Space, {0x2588, 0x2588}, {0x258C, 0x258C}, {0x2590, 0x2590}, {0x1FB00, 0x1FB3B}});
}
std::string box() {
  return characters({Space, {0x2500, 0x257F}});
}
std::string braille() {
  return characters({{0x2800, 0x28FF}});
}

struct Entry {
  NamedCharset named;
  std::string (*characters)();
};

constexpr Entry Charsets[] = {
    {{"ascii", "the 95 printable ASCII characters"}, ascii},
    {{"ascii-ramp", "ten characters from dark to light:  .:-=+*#%@"}, ascii_ramp},
    {{"latin", "ascii and the printable characters of Latin-1"}, latin},
    {{"digits", "the space and 0 to 9"}, digits},
    {{"letters", "the space, A to Z and a to z"}, letters},
    {{"blocks", "the space and the block elements: halves, eighths, quadrants, shades"}, blocks},
    {{"sextants", "the 64 mosaics of two by three tiles, the space and the full block among them"}, sextants},
    {{"box", "the space and the box-drawing characters"}, box},
    {{"braille", "the 256 braille patterns"}, braille},
};

Result<std::string> read_charset_file(const std::string& path) {
  std::error_code status;
  const bool is_directory = std::filesystem::is_directory(path, status);
  std::ifstream file(path, std::ios::binary);
  if (is_directory || !file) {
    return Error{
        ErrorCode::Usage,
        fmt::format("The charset file \"{}\" cannot be read; check its path, or begin with @@ for a set that "
                    "holds the character @ first.",
                    path),
        std::strerror(is_directory ? EISDIR : errno)};
  }
  std::string text;
  for (std::istreambuf_iterator<char> byte(file), end; byte != end; ++byte) {
    if (*byte != '\n' && *byte != '\r') text += *byte;
    if (text.size() > MaxCharsetFileBytes) {
      return Error{
          ErrorCode::Usage,
          fmt::format("The charset file \"{}\" is larger than {} MiB; give a text file that holds each "
                      "character once.",
                      path, MaxCharsetFileBytes >> 20),
          {}};
    }
  }
  constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(ByteOrderMark)) text.erase(0, ByteOrderMark.size());
  if (text.empty()) {
    return Error{
        ErrorCode::Usage,
        fmt::format("The charset file \"{}\" holds no characters; write at least one into it.", path),
        {}};
  }
  if (auto valid = decode_utf8(text); !valid) {
    return Error{ErrorCode::Usage,
                 fmt::format("The charset file \"{}\" is no valid UTF-8 text; save it as UTF-8.", path),
                 valid.error().message};
  }
  return text;
}

}  // namespace

Result<std::string> resolve_charset(const std::string& name_or_string) {
  for (const Entry& entry : Charsets) {
    if (name_or_string == entry.named.name) return entry.characters();
  }
  if (name_or_string.starts_with("@@")) return name_or_string.substr(1);
  if (name_or_string.starts_with('@') && name_or_string.size() > 1) {
    return read_charset_file(name_or_string.substr(1));
  }
  if (name_or_string.empty()) {
    return Error{
        ErrorCode::Usage,
        "The character set is empty; name one (ascii, blocks ...), give a string or @FILE with --charset.",
        {}};
  }
  TRY_ASSIGN([[maybe_unused]] const auto valid, decode_utf8(name_or_string));
  return name_or_string;
}

std::vector<NamedCharset> named_charsets() {
  std::vector<NamedCharset> names;
  for (const Entry& entry : Charsets) names.push_back(entry.named);
  return names;
}

}  // namespace glyphreel::text
