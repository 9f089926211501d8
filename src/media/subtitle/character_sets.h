#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::media {

/// Whether all of `bytes` is valid UTF-8: no overlong sequences, no surrogates, no code point above
/// U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view bytes);

/// Returns `bytes` with each byte that is not valid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string repaired_utf8(std::string_view bytes);

/// Converts text of unknown encoding to UTF-8 without a BOM. The encoding is the first of these that applies:
/// - the encoding that a UTF-8, UTF-16 or UTF-32 BOM indicates
/// - `charset`, a name that iconv knows, unless it is empty
/// - UTF-16 without a BOM, detected by its zero bytes
/// - UTF-8, if the text is valid UTF-8
/// - the encoding that uchardet detects, if the text has 256 bytes or more
/// - Windows-1252
/// Bytes that are invalid in that encoding become U+FFFD. Errors: Usage if iconv does not know `charset`.
[[nodiscard]] Result<std::string> text_to_utf8(std::string_view bytes, const std::string& charset);

/// Checks that iconv knows the name; an empty name is valid. Errors: Usage, with a one-sentence message.
[[nodiscard]] Result<void> check_charset(const std::string& charset);

}  // namespace glyphreel::media
