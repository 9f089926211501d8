#pragma once

#include <optional>
#include <string>

namespace glyphreel::text {

/// Returns the byte that encodes a character in code page 437, the character set of the IBM PC. This byte is
/// 32 to 126 or 128 to 254. Returns nothing if none of these bytes encodes the character.
[[nodiscard]] std::optional<unsigned char> code_page_437(char32_t character);

/// Returns all characters of code_page_437(), as UTF-8, in the order of their bytes.
[[nodiscard]] std::string code_page_437_characters();

}  // namespace glyphreel::text
