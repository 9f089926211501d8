#include "media/input/ytdl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "media/ffmpeg/ffmpeg.h"
#include "media/input/child_process.h"
#include "media/input/protocols.h"

namespace glyphreel::media {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds Timeout{60};

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_one_line(std::string_view text) {
  return text.find_first_of("\r\n") == std::string_view::npos && text.find('\0') == std::string_view::npos;
}

}  // namespace

bool is_video_site(std::string_view url) {
  static constexpr std::array<std::string_view, 8> Sites = {
      "youtube.com",          "youtu.be",   "vimeo.com",   "dailymotion.com", "twitch.tv",
      "youtube-nocookie.com", "tiktok.com", "bilibili.com"};
  if (!is_web_url(url)) return false;
  std::array<char, 256> name{};
  av_url_split(nullptr, 0, nullptr, 0, name.data(), static_cast<int>(name.size()), nullptr, nullptr, 0,
               std::string(url).c_str());
  const std::string_view host = name.data();
  return std::any_of(Sites.begin(), Sites.end(), [&](std::string_view site) {
    if (!host.ends_with(site)) return false;
    return host.size() == site.size() || host[host.size() - site.size() - 1] == '.';
  });
}

Result<WebVideo> read_web_video(std::string_view json, const std::string& page) {
  Json described = Json::parse(json, nullptr, false);
  if (described.is_object() && described.contains("entries")) {
    const Json& entries = described["entries"];
    Json first = entries.is_array() && !entries.empty() ? entries.front() : Json();
    described = std::move(first);
  }
  WebVideo video;
  if (described.is_object()) {
    video.url = text_at(described, "url");
    video.title = text_at(described, "title");
  }
  if (video.url.empty()) {
    return bad_input("yt-dlp found no playable video at {}; check the address or update yt-dlp.",
                     shown_url(page));
  }
  // The web page, not the user, chose this address, so it must not refer to local files or devices.
  if (!is_web_url(video.url) || !is_one_line(video.url)) {
    return Error{
        ErrorCode::BadInput,
        fmt::format("The video of {} has an address that is not a web address; open a different page.",
                    shown_url(page)),
        video.url};
  }
  if (const auto headers = described.find("http_headers");
      headers != described.end() && headers->is_object()) {
    for (const auto& [name, value] : headers->items()) {
      if (!value.is_string() || !is_one_line(name) || !is_one_line(value.get<std::string>())) continue;
      video.headers.emplace_back(name, value.get<std::string>());
    }
  }
  return video;
}

Result<WebVideo> find_web_video(const std::string& page, const std::function<bool()>& should_stop) {
  using End = ProcessOutcome::End;
  const std::string name = shown_url(page);
  if (!is_web_url(page))
    return bad_input("{} is not the address of a web page; it must start with http:// or https://.", name);
  // Request one stream with both video and audio. Character cells do not need more than 1080 lines.
  TRY_ASSIGN(const ProcessOutcome outcome,
             run_process({"yt-dlp", "--no-warnings", "--no-progress", "--no-playlist", "--playlist-items",
                          "1", "--format", "b[height<=?1080]/b/bv*", "--dump-single-json", "--", page},
                         Timeout, should_stop));
  switch (outcome.end) {
    case End::NotFound:
      return bad_input("{} is not media that FFmpeg supports; install yt-dlp to play a video on a web page.",
                       name);
    case End::TimedOut:
      return bad_input("yt-dlp took more than {} seconds for {}; try again later.", Timeout.count(), name);
    case End::Stopped:
      return Error{ErrorCode::Interrupted, fmt::format("Opening {} was interrupted.", name), {}};
    case End::Exited:
      break;
  }
  if (outcome.exit_code != 0) {
    return Error{ErrorCode::BadInput,
                 fmt::format("yt-dlp found no video at {}; check the address or update yt-dlp.", name),
                 last_error_line(outcome)};
  }
  return read_web_video(outcome.output, page);
}

}  // namespace glyphreel::media
