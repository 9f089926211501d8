#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace glyphreel::media {

/// The video of a web page, as yt-dlp tells it.
struct WebVideo {
  std::string url;  ///< of the media itself: http or https
  std::string title;
  std::vector<std::pair<std::string, std::string>>
      headers;  ///< that the server wants to see with the request
};

/// True for the addresses of sites that show videos in pages: FFmpeg need not be asked first.
[[nodiscard]] bool is_video_site(std::string_view url);

/// Reads what `yt-dlp --dump-single-json` printed about `page`. The first video of a list is taken.
/// Errors: BadInput where it holds no address that may be played; only http and https may.
[[nodiscard]] Result<WebVideo> read_web_video(std::string_view json, const std::string& page);

/// Asks yt-dlp, where it is installed, for the best picture with sound up to 1080 lines. Blocks for as long
/// as that takes, a minute at most, or until should_stop(). `page` is an http or https URL. Errors:
/// Interrupted; BadInput: yt-dlp is not installed, found no video, or took too long.
[[nodiscard]] Result<WebVideo> find_web_video(const std::string& page,
                                              const std::function<bool()>& should_stop);

}  // namespace glyphreel::media
