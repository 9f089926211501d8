#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::media {

/// Whether all of `bytes` is UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view bytes);

/// `bytes` with each byte that is no UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string repaired_utf8(std::string_view bytes);

/// A text of unknown origin as UTF-8 without a signature (BOM). In this order: a signature of UTF-8, UTF-16
/// or UTF-32 decides; else `charset` where it is not empty (a name that iconv knows); else UTF-16 without a
/// signature, by its zero bytes; else UTF-8 where it is valid; else Windows-1252. What the set does not have
/// becomes U+FFFD. Errors: Usage where iconv does not know `charset`.
[[nodiscard]] Result<std::string> text_to_utf8(std::string_view bytes, const std::string& charset);

/// Whether iconv knows the name; the empty one counts as known. Errors: Usage, with one sentence.
[[nodiscard]] Result<void> check_charset(const std::string& charset);

}  // namespace glyphreel::media
