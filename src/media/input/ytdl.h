#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace glyphreel::media {

/// The video of a web page, as reported by yt-dlp.
struct WebVideo {
  std::string url;  ///< of the media itself: http or https
  std::string title;
  std::vector<std::pair<std::string, std::string>> headers;  ///< that the server expects in the request
};

/// True for sites that show videos in pages: trying FFmpeg first is unnecessary.
[[nodiscard]] bool is_video_site(std::string_view url);

/// Parses what `yt-dlp --dump-single-json` printed about `page`. Uses the first video of a list.
/// Errors: BadInput if it contains no address that may be played; only http and https may.
[[nodiscard]] Result<WebVideo> read_web_video(std::string_view json, const std::string& page);

/// Asks yt-dlp, if installed, for the best stream with video and audio up to 1080 lines. Blocks for a
/// minute at most, or until should_stop(). `page` is an http or https URL. Errors: Interrupted; BadInput:
/// yt-dlp is not installed, found no video, or took too long.
[[nodiscard]] Result<WebVideo> find_web_video(const std::string& page,
                                              const std::function<bool()>& should_stop);

}  // namespace glyphreel::media
