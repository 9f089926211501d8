#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace glyphreel::media {

/// Rewrites a finished fragmented mp4 or mov as a progressive one with its index in front, packets and times
/// unchanged. `packets` bounds their number. Errors: Failed; `to` may then be left half written.
[[nodiscard]] Result<void> remux_to_progressive(const std::string& from, const std::string& to,
                                                const char* muxer, std::int64_t packets);

}  // namespace glyphreel::media
