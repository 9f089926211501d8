#pragma once

#include <string>

#include "base/io/atomic_file.h"
#include "base/result.h"
#include "commands/charset_sheet.h"

namespace glyphreel::commands {

/// Writes the sheet as a PNG file: the tone curve and every glyph, each mask pixel enlarged to a square.
/// Captions use `font`. Errors: Usage if the picture would be too large; those of write_file().
[[nodiscard]] Result<void> write_charset_picture(const CharsetSheet& sheet, const std::string& font,
                                                 AtomicFile::Options file);

}  // namespace glyphreel::commands
