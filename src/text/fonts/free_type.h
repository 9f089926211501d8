#pragma once

#include <fmt/format.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <memory>
#include <string>

#include "text/fonts/c_deleter.h"

// For the files that use FreeType. No public header includes this one.

namespace glyphreel::text {

using FreeTypeLibrary = std::unique_ptr<FT_LibraryRec_, CDeleter<FT_Done_FreeType>>;
using FreeTypeFace = std::unique_ptr<FT_FaceRec_, CDeleter<FT_Done_Face>>;

inline std::string free_type_reason(FT_Error error) {
  const char* text = FT_Error_String(error);  // null if FreeType was built without error strings
  return text != nullptr ? fmt::format("FreeType: {}", text) : fmt::format("FreeType error {}", error);
}

}  // namespace glyphreel::text
