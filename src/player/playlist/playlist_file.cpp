#include "player/playlist/playlist_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "base/trimmed.h"
#include "media/input/protocols.h"

namespace glyphreel::player {
namespace {

/// Calls `use` with each trimmed line, except lines that are empty after trimming.
template <typename Use>
void for_each_line(std::string_view text, const Use& use) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty()) use(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

/// Returns the title in a line such as `#EXTINF:12 logo="a,b",Title`. The title is the text after the first
/// comma that is not in quotes.
std::string title_of(std::string_view extinf) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < extinf.size(); ++i) {
    if (extinf[i] == '"') is_quoted = !is_quoted;
    if (extinf[i] == ',' && !is_quoted) return std::string(trimmed(extinf.substr(i + 1)));
  }
  return {};
}

/// Returns `name`, without query and fragment if it is a URL.
std::string_view path_of(std::string_view name) {
  return media::is_network_url(name) ? name.substr(0, name.find_first_of("?#")) : name;
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const char* digits = text.data() + i + 1;
      const auto [end, problem] = std::from_chars(digits, digits + 2, code, 16);
      if (problem == std::errc() && end == digits + 2 && code != 0) {
        result.push_back(static_cast<char>(code));
        i += 2;
        continue;
      }
    }
    result.push_back(text[i]);
  }
  return result;
}

std::optional<std::vector<PlaylistEntry>> read_m3u(std::string_view text) {
  constexpr std::string_view Extinf = "#EXTINF:";
  std::vector<PlaylistEntry> entries;
  std::string title;
  bool is_stream = false;
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with("#EXT-X-")) is_stream = true;
    if (line.starts_with(Extinf)) title = title_of(line.substr(Extinf.size()));
    if (line.front() == '#') return;
    entries.push_back({std::string(line), std::exchange(title, {})});
  });
  if (is_stream) return {};
  return entries;
}

std::vector<PlaylistEntry> read_pls(std::string_view text) {
  std::map<int, PlaylistEntry> entries;
  for_each_line(text, [&](std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    const std::string key = lower(trimmed(line.substr(0, equals)));
    const std::string_view value = trimmed(line.substr(equals + 1));
    const std::size_t digits = key.find_first_of("0123456789");
    if (digits == std::string::npos) return;
    int number = 0;
    if (std::from_chars(key.data() + digits, key.data() + key.size(), number).ec != std::errc()) return;
    const std::string_view word = std::string_view(key).substr(0, digits);
    if (word == "file") entries[number].url = value;
    if (word == "title") entries[number].title = value;
  });
  std::vector<PlaylistEntry> result;
  for (auto& [number, entry] : entries) {
    if (!entry.url.empty()) result.push_back(std::move(entry));
  }
  return result;
}

bool is_pls_name(std::string_view name) {
  return lower(path_of(name)).ends_with(".pls");
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

std::string PlaylistEntry::name() const {
  if (!title.empty()) return title;
  if (media::is_network_url(url)) return media::shown_url(url);
  const std::string file = std::filesystem::path(url).filename().string();
  return media::read_address(url).kind != media::InputKind::File || file.empty() ? url : file;
}

std::optional<std::vector<PlaylistEntry>> read_playlist(std::string_view name, std::string_view text) {
  return is_pls_name(name) ? read_pls(text) : read_m3u(text);
}

bool is_playlist_name(std::string_view name) {
  const std::string path = lower(path_of(name));
  return path.ends_with(".m3u") || path.ends_with(".m3u8") || is_pls_name(name);
}

std::optional<std::string> resolve_on_network(std::string_view base, std::string_view location) {
  if (location.empty()) return {};
  if (media::is_web_url(location)) return std::string(location);
  if (!media::scheme_of(location).empty()) return {};  // rejects "file:", "concat:", "camera:" ...
  const std::size_t host = base.find("://");
  if (host == std::string_view::npos) return {};
  if (location.starts_with("//")) return std::string(base.substr(0, host + 1)) + std::string(location);
  const std::string_view page = base.substr(0, base.find_first_of("?#"));
  const std::size_t path = std::min(page.find('/', host + 3), page.size());
  if (location.front() == '/') return std::string(page.substr(0, path)) + std::string(location);
  const std::size_t slash = page.rfind('/');
  const bool has_folder = slash != std::string_view::npos && slash >= path;
  return std::string(page.substr(0, has_folder ? slash : path)) + '/' + std::string(location);
}

std::optional<std::string> path_of_file_url(std::string_view url) {
  constexpr std::string_view Scheme = "file://";
  constexpr std::string_view ThisHost = "localhost/";
  if (lower(url.substr(0, Scheme.size())) != Scheme) return {};
  url.remove_prefix(Scheme.size());
  if (url.starts_with(ThisHost)) url.remove_prefix(ThisHost.size() - 1);
  if (!url.starts_with('/')) return {};
  return percent_decoded(url);
}

}  // namespace glyphreel::player
