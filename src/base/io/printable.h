#pragma once

#include <string>
#include <string_view>

namespace glyphreel {

/// Returns `text` made safe to print to a terminal, whatever file, playlist or program it comes from.
/// Control characters (C0, DEL, C1), characters that reorder or hide text (bidirectional controls, line
/// separators) and bytes that are not UTF-8 are escaped, as "\n", "\x1b" or "\u202e". The rest is
/// unchanged.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace glyphreel
