#include "base/io/printable.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace glyphreel {
namespace {

struct Character {
  char32_t code_point = 0;
  std::size_t length = 0;  ///< bytes; 0: not UTF-8
};

/// Returns the first character of `text`, which must not be empty. Overlong forms, surrogates and values
/// past U+10FFFF are not UTF-8 (RFC 3629, section 3).
Character first_character(std::string_view text) {
  constexpr char32_t MinOfLength[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t code_point = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    code_point = code_point << 6U | (byte & 0x3FU);
  }
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < MinOfLength[length] || code_point > 0x10FFFF || is_surrogate) return {};
  return {code_point, length};
}

/// Returns whether this is a control character, or a format character that changes how a line reads.
bool is_hazardous(char32_t c) {
  const bool is_control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  const bool is_bidirectional = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                                (c >= 0x2066 && c <= 0x2069);
  return is_control || is_bidirectional || c == 0x2028 || c == 0x2029;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [code_point, length] = first_character(text);
    if (length == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (!is_hazardous(code_point)) {
      shown += text.substr(0, length);
    } else if (code_point == '\n') {
      shown += "\\n";
    } else if (code_point == '\t') {
      shown += "\\t";
    } else if (code_point < 0x80) {
      shown += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(code_point));
    } else {
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code_point));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

}  // namespace glyphreel
