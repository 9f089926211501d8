#pragma once

#include <string>
#include <string_view>

namespace glyphreel::media {

/// Returns bytes in base64 (RFC 4648), with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace glyphreel::media
