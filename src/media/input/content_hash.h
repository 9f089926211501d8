#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glyphreel::media {

/// Returns the 128-bit MurmurHash3 checksum of the bytes as 32 hexadecimal digits. Different contents have
/// equal checksums only if they were constructed for this purpose. Processes several GB/s.
[[nodiscard]] std::string content_hash_of(std::string_view bytes);

/// Returns the checksum of a file's content. Blocks while it reads the file. Errors: BadInput if the file
/// cannot be read.
[[nodiscard]] Result<std::string> content_hash_of_file(const std::string& path);

}  // namespace glyphreel::media
