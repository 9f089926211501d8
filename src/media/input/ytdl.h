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
  std::string url;  ///< address of the media itself: http or https
  std::string title;
  std::vector<std::pair<std::string, std::string>> headers;  ///< request headers that the server expects
};

/// Whether the URL is on a known video site. Such a URL is a web page, which FFmpeg cannot open.
[[nodiscard]] bool is_video_site(std::string_view url);

/// Parses the output of `yt-dlp --dump-single-json` for `page`. If the output lists several videos, uses
/// the first one. Errors: BadInput if the output contains no http or https address of a video.
[[nodiscard]] Result<WebVideo> read_web_video(std::string_view json, const std::string& page);

/// Runs yt-dlp, if installed, to find the best stream that contains both video and audio and has at most 1080
/// lines. If there is none, accepts a stream with more lines or, failing that, a stream without audio. Blocks
/// for a minute at most, or until should_stop() is true. `page` is an http or https URL. Errors: Interrupted
/// if should_stop() is true; BadInput if yt-dlp is not installed, finds no video, or takes too long.
[[nodiscard]] Result<WebVideo> find_web_video(const std::string& page,
                                              const std::function<bool()>& should_stop);

}  // namespace glyphreel::media
