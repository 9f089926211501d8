#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace glyphreel::media {

/// The text at a network address, such as a playlist's; at most 1 MiB of it. Blocks until it is there, for
/// half a minute at most; a request to `stop`, or Ctrl-C, ends the wait. Only network protocols are used.
/// Errors: BadInput, one sentence.
[[nodiscard]] Result<std::string> fetch_text(const std::string& url, std::stop_token stop = {});

/// Whether more than `bytes` lie at an http or https address, or no end of them is found within half a
/// minute. False also where nothing can be read. Blocks for so long, or until should_stop().
[[nodiscard]] bool is_longer_than(std::int64_t bytes, const std::string& url,
                                  const std::function<bool()>& should_stop);

}  // namespace glyphreel::media
