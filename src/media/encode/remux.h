#pragma once

#include <cstdint>
#include <string>

#include "base/io/atomic_file.h"
#include "base/result.h"

namespace glyphreel::media {

/// Rewrites a finished fragmented mp4 or mov as a progressive one with its index in front; packets and
/// times stay unchanged. `packets` is an upper bound of their number; `path` is the output's name in
/// messages. Errors: Failed; `to` is then partially written.
[[nodiscard]] Result<void> remux_to_progressive(const std::string& from, AtomicFile& to,
                                                const std::string& path, const char* muxer,
                                                std::int64_t packets);

}  // namespace glyphreel::media
