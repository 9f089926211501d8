#pragma once

#include <cstdint>
#include <string>

#include "base/atomic_file.h"
#include "base/result.h"

namespace glyphreel::media {

/// Rewrites a finished fragmented mp4 or mov as a progressive one with its index in front, packets and times
/// unchanged. `packets` bounds their number; `path` is what messages call the output. Errors: Failed; `to` is
/// then half written.
[[nodiscard]] Result<void> remux_to_progressive(const std::string& from, AtomicFile& to,
                                                const std::string& path, const char* muxer,
                                                std::int64_t packets);

}  // namespace glyphreel::media
