#pragma once

#include <string>
#include <string_view>

namespace glyphreel {

/// `text` as it may be printed to a terminal, whatever file, playlist or program it comes from: control
/// characters (C0, DEL, C1), characters that reorder or hide text (bidirectional controls, line separators)
/// and bytes that are not UTF-8 are spelled out, as "\n", "\x1b" or "\u202e". The rest is unchanged.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace glyphreel
