#pragma once

#include <string>
#include <string_view>

namespace glyphreel {

/// Returns `text` with unsafe characters escaped, so that text from files, playlists and other programs can
/// be printed to a terminal. Escapes control characters (C0, DEL, C1), characters that reorder text or break
/// lines (bidirectional controls, line separators) and bytes that are not UTF-8, for example as "\n", "\x1b"
/// or "\u202e".
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace glyphreel
