#include "present/export/characters/sauce.h"

#include <algorithm>

namespace glyphreel::present {
namespace {

constexpr char EndOfFile = 0x1A;

void append_padded(std::string& bytes, const std::string& text, std::size_t length, char padding) {
  for (std::size_t i = 0; i < length; ++i) {
    const char c = i < text.size() ? text[i] : padding;
    bytes += c == '\0' || (c >= ' ' && c <= '~') ? c : '?';
  }
}

void append_number(std::string& bytes, std::size_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

}  // namespace

std::string sauce_record(const Sauce& sauce) {
  const bool is_xbin = sauce.kind == Sauce::Kind::Xbin;
  std::string bytes(1, EndOfFile);
  bytes += "SAUCE00";
  append_padded(bytes, sauce.title, 35, ' ');
  append_padded(bytes, "", 20, ' ');  // author
  append_padded(bytes, "", 20, ' ');  // group
  append_padded(bytes, "", 8, ' ');   // date
  append_number(bytes, std::min<std::size_t>(sauce.file_bytes, 0xFFFFFFFF), 4);
  append_number(bytes, is_xbin ? 6 : 1, 1);  // data type: XBin or Character
  append_number(bytes, is_xbin ? 0 : sauce.kind == Sauce::Kind::Ansimation ? 2 : 1, 1);
  append_number(bytes, static_cast<std::size_t>(sauce.columns), 2);
  append_number(bytes, static_cast<std::size_t>(sauce.rows), 2);
  append_number(bytes, 0, 4);
  append_number(bytes, 0, 1);  // no comments
  // Flags: iCE colors, cells 8 pixels wide, square pixels.
  append_number(bytes, is_xbin ? 0 : 0b10'01'1, 1);
  append_padded(bytes, is_xbin ? "" : "IBM VGA", 22, '\0');
  return bytes;
}

}  // namespace glyphreel::present
