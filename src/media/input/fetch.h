#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace glyphreel::media {

/// Returns the text at a network address, such as a playlist; at most 1 MiB of it. Blocks for half a minute
/// at most; a request to `stop`, or Ctrl-C, ends the wait. Uses only network protocols. Errors: BadInput,
/// one sentence.
[[nodiscard]] Result<std::string> fetch_text(const std::string& url, std::stop_token stop = {});

/// Whether an http or https address holds more than `bytes`, or has no end within half a minute. False also
/// if nothing can be read. Blocks for that long at most, or until should_stop().
[[nodiscard]] bool is_longer_than(std::int64_t bytes, const std::string& url,
                                  const std::function<bool()>& should_stop);

}  // namespace glyphreel::media
