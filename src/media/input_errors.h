#pragma once

#include <optional>
#include <string>

#include "media/ffmpeg.h"
#include "media/input_facts.h"

namespace glyphreel::media {

/// A BadInput error with FFmpeg's words for `averror` as its cause; 0: without.
[[nodiscard]] Error bad_input(std::string message, int averror = 0);

/// What stat() can already tell of a file that is not to be opened. Empty where FFmpeg should try.
[[nodiscard]] std::optional<Error> why_unreadable(const std::string& path);

/// One sentence about an input that FFmpeg could not open. `url`: what was asked for; `name`: how messages
/// call it.
[[nodiscard]] Error opening_failure(InputKind kind, const std::string& name, const std::string& url,
                                    int averror);

/// One sentence about an opened input that cannot be read further.
[[nodiscard]] Error reading_failure(InputKind kind, const std::string& name, int averror);

}  // namespace glyphreel::media
