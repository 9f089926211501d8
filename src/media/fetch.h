#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"

namespace glyphreel::media {

/// The text at a network address, such as a playlist's; at most 1 MiB of it. Blocks until it is there, for
/// half a minute at most; a request to `stop`, or Ctrl-C, ends the wait. Only network protocols are used.
/// Errors: BadInput, one sentence.
[[nodiscard]] Result<std::string> fetch_text(const std::string& url, std::stop_token stop = {});

}  // namespace glyphreel::media
