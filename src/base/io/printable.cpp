#include "base/io/printable.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace glyphreel {
namespace {

/// Returns whether `c` is a control character, or a format character that reorders text or breaks a line.
bool is_hazardous(utf8proc_int32_t c) {
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
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                     std::ssize(text), &code_point);
    if (length < 1) {  // not UTF-8
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (!is_hazardous(code_point)) {
      shown += text.substr(0, static_cast<std::size_t>(length));
    } else if (code_point == '\n') {
      shown += "\\n";
    } else if (code_point == '\t') {
      shown += "\\t";
    } else if (code_point < 0x80) {
      shown += fmt::format("\\x{:02x}", code_point);
    } else {
      shown += fmt::format("\\u{:04x}", code_point);
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 1)));
  }
  return shown;
}

}  // namespace glyphreel
