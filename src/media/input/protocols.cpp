#include "media/input/protocols.h"

#include <algorithm>
#include <array>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavutil/avstring.h>
}

namespace glyphreel::media {
namespace {

constexpr std::string_view LocalProtocols = "file,crypto,data";
constexpr std::string_view WebProtocols = "http,https,httpproxy,tcp,tls,crypto,data";

struct Family {
  const char* schemes = "";  ///< separated by commas
  std::string_view allowed;
};

constexpr std::string_view Rtsp = "rtsp,rtsps,rtp,srtp,udp,tcp,tls,http,https,httpproxy,crypto";
constexpr std::string_view Rtmp =
    "rtmp,rtmps,rtmpt,rtmpts,rtmpe,rtmpte,ffrtmphttp,ffrtmpcrypt,http,https,httpproxy,tcp,tls";
constexpr std::string_view Mms = "mmsh,mmst,http,httpproxy,tcp";
constexpr std::string_view Datagrams = "rtp,srtp,udp,udplite";

/// All schemes that read from the network, and the protocols that each scheme may use.
constexpr auto Families = std::to_array<Family>({
    {"http,https", WebProtocols},
    {"rtsp,rtsps,rtspt,rtspu,satip", Rtsp},
    {"rtmp,rtmps,rtmpt,rtmpts,rtmpe,rtmpte", Rtmp},
    {"mms,mmsh,mmst", Mms},
    {"udp,udplite,rtp,srtp", Datagrams},
    {"srt", "srt"},
    {"rist", "rist"},
    {"tcp", "tcp"},
    {"tls", "tls,tcp"},
    {"ftp", "ftp,tcp"},
    {"sftp", "sftp"},
    {"gopher", "gopher,tcp"},
});

const Family* family_of(const std::string& scheme) {
  const auto* found = std::ranges::find_if(
      Families, [&](const Family& family) { return av_match_name(scheme.c_str(), family.schemes) != 0; });
  return found == Families.end() ? nullptr : found;
}

bool is_scheme_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
         c == '.';
}

/// Removes `prefix` from the front of `text`. Returns false if `text` does not start with `prefix`.
bool skip_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::string scheme_of(std::string_view url) {
  const auto end = std::find_if_not(url.begin(), url.end(), is_scheme_character);
  if (end == url.begin() || end == url.end() || (*end != ':' && *end != ',')) return {};
  // A comma ends a scheme only if a colon follows later, as in "subfile,,start,0,,:a.ts".
  if (*end == ',' && url.find(':') == std::string_view::npos) return {};
  std::string scheme(url.begin(), end);
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return scheme;
}

bool is_network_url(std::string_view url) {
  return url.find("://") != std::string_view::npos && family_of(scheme_of(url)) != nullptr;
}

bool is_web_url(std::string_view url) {
  const std::string scheme = scheme_of(url);
  return is_network_url(url) && (scheme == "http" || scheme == "https");
}

InputAddress read_address(const std::string& url) {
  if (url == "-") return {InputKind::StandardInput, url};
  std::string_view rest = url;
  const auto is = [&](InputKind kind) { return InputAddress{kind, std::string(rest)}; };
  if (skip_prefix(rest, "mf://")) return is(InputKind::ImageSequence);
  skip_prefix(rest, "av://");  // mpv's prefix for FFmpeg's devices
  if (skip_prefix(rest, "lavfi:")) return is(InputKind::Procedural);
  if (skip_prefix(rest, "camera:") || skip_prefix(rest, "v4l2:")) return is(InputKind::Camera);
  if (skip_prefix(rest, "screen:")) return is(InputKind::Screen);
  if (url.starts_with("/dev/video")) return {InputKind::Camera, url};
  return {is_network_url(url) ? InputKind::Network : InputKind::File, url};
}

std::string allowed_protocols(std::string_view url) {
  if (url == "-") return "crypto,data";
  const std::string scheme = scheme_of(url);
  if (const Family* family = family_of(scheme); family != nullptr) return std::string(family->allowed);
  if (scheme.empty() || scheme == "file") {
    // An .sdp file describes a network session, which FFmpeg receives over the protocols added here.
    return std::string(LocalProtocols) +
           (av_match_ext(std::string(url).c_str(), "sdp") != 0 ? ",rtp,srtp,udp" : "");
  }
  // In FFmpeg, "crypto+http" means the crypto protocol applied to http.
  const std::string outer = scheme.substr(0, scheme.find('+'));
  std::string allowed = outer + ',';
  std::string_view inner = url.substr(outer.size());
  if (scheme == "concat") {
    inner.remove_prefix(1);
    allowed += LocalProtocols;
    for (std::size_t bar = 0; bar != std::string_view::npos;) {
      bar = inner.find('|');
      const std::string_view part = inner.substr(0, bar);
      if (is_network_url(part)) allowed += ',' + allowed_protocols(part);
      if (bar != std::string_view::npos) inner.remove_prefix(bar + 1);
    }
    return allowed;
  }
  // Wrappers ("async:", "cache:", "subfile,,:", "crypto+", "hls+") may use the protocols of the wrapped URL.
  const std::size_t start = inner.find_first_of(":+");
  if (start == std::string_view::npos) return allowed + "crypto,data";
  inner.remove_prefix(start + 1);
  return allowed + (is_network_url(inner) ? allowed_protocols(inner) : std::string(LocalProtocols));
}

std::vector<std::pair<std::string, std::string>> protocol_options(std::string_view url) {
  const std::string scheme = scheme_of(url);
  const Family* family = family_of(scheme);
  if (family == nullptr) return {};
  const std::string timeout = std::to_string(ReadTimeoutSeconds) + "000000";  // microseconds
  // The time span of a live stream, in microseconds, that FFmpeg analyzes before playback can start. With
  // this value, an SRT stream started after 2.6 s; with FFmpeg's default of 5 s, it started after 8.7 s.
  const std::pair<std::string, std::string> look{"analyzeduration", "2000000"};
  if (family->allowed == Rtsp) {
    // UDP packets are often lost on the way between networks, so prefer TCP.
    return {{"timeout", timeout}, {"rtsp_flags", "prefer_tcp"}, look};
  }
  if (family->allowed == WebProtocols) {
    // When a server was unavailable for two seconds, 461 of 500 frames were lost without these options, and
    // none with them. Do not set reconnect_streamed: if the server cannot seek, reading would continue with
    // the first bytes of the file.
    return {{"rw_timeout", timeout}, {"reconnect", "1"}, {"reconnect_delay_max", "8"}};
  }
  if (family->allowed == Datagrams) {
    return {{"rw_timeout", timeout}, {"timeout", timeout}, {"overrun_nonfatal", "1"}, look};
  }
  return {{"rw_timeout", timeout}, look};
}

bool waits_for_sender(std::string_view url) {
  std::size_t at = url.find('?');
  while (at != std::string_view::npos) {
    const std::size_t end = url.find('&', at + 1);
    const std::string_view parameter = url.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
    if (parameter == "listen" || parameter == "mode=listener" ||
        (parameter.starts_with("listen=") && parameter != "listen=0")) {
      return true;
    }
    at = end;
  }
  return false;
}

std::string shown_url(const std::string& url) {
  const std::size_t start = url.find("://");
  if (start == std::string::npos) return url;
  const std::size_t host = start + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", host), url.size());
  const std::size_t at = url.rfind('@', end == 0 ? 0 : end - 1);
  const std::size_t colon = url.find(':', host);
  if (at == std::string::npos || at < host || colon == std::string::npos || colon > at) return url;
  return url.substr(0, colon) + url.substr(at);
}

}  // namespace glyphreel::media
