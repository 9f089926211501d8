#pragma once

#include <optional>
#include <string>

#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/input_facts.h"

namespace glyphreel::media {

/// Returns why a file cannot be opened, as far as stat() and access() show. Empty if FFmpeg should try to
/// open it.
[[nodiscard]] std::optional<Error> find_file_error(const std::string& path);

/// Returns a one-sentence error about an input that FFmpeg could not open. `url`: the requested address;
/// `name`: the input's name in messages.
[[nodiscard]] Error opening_failure(InputKind kind, const std::string& name, const std::string& url,
                                    int averror);

/// Returns a one-sentence error about an opened input that cannot be read further.
[[nodiscard]] Error reading_failure(InputKind kind, const std::string& name, int averror);

}  // namespace glyphreel::media
