#pragma once

#include <string>

#include "base/atomic_file.h"
#include "base/result.h"
#include "tools/charset_sheet.h"

namespace glyphreel::tools {

/// Writes the sheet as a PNG file: the tone curve and every glyph, each mask pixel enlarged to a square.
/// Its captions are drawn with `font`. Errors: Usage where the picture would be too large; write_file()'s.
[[nodiscard]] Result<void> write_charset_picture(const CharsetSheet& sheet, const std::string& font,
                                                 AtomicFile::Options file);

}  // namespace glyphreel::tools
