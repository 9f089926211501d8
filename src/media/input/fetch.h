#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace glyphreel::media {

/// Returns the text at a network address, such as a playlist: at most its first 1 MiB. Blocks for half a
/// minute at most; a stop request through `stop`, or Ctrl-C, ends the wait. Uses only network protocols.
/// Errors, with a one-sentence message: BadInput; Interrupted; Failed if memory runs out.
[[nodiscard]] Result<std::string> fetch_text(const std::string& url, std::stop_token stop = {});

/// Whether the content at an http or https address is longer than `bytes`, or takes more than half a minute
/// to arrive. False if reading fails. Blocks for half a minute at most, or until should_stop() is true.
[[nodiscard]] bool is_longer_than(std::int64_t bytes, const std::string& url,
                                  const std::function<bool()>& should_stop);

}  // namespace glyphreel::media
